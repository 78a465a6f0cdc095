"""What plans prevent, compared with control rounds."""
