"""The command's side: the socket, its certificates, and how the browser is opened."""
