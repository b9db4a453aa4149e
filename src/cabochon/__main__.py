"""`python -m cabochon` is the command `cabochon`."""

from .command import main

main()
