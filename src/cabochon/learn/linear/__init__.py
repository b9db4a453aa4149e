"""Training the linear weights: `python -m cabochon.learn.linear --help`. Needs no torch, but for `--gpu`."""
