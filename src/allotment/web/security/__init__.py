"""What keeps other programs and web sites out: hosts, origins, tokens, sessions, sizes and headers."""
