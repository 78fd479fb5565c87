"""Run the command line as ``python -m featsieve``."""

from featsieve.cli import main

main()
