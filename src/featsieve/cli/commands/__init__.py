"""Options and help of the commands, one module each; light, so that --help is fast."""
