"""`python -m cabochon` is the command `cabochon`."""

from .cli import app

app()
