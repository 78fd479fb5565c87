"""What the commands print and write, one module each; loaded when a command runs."""
