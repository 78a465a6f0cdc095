"""The edge of the operating system: files, folders, signals, memory, processes and optional libraries."""
