"""The pinned signatures of the search: what it plays in fixed positions, as one number a style (`golden/signature.txt`)."""

from pathlib import Path

PINNED = dict(line.split() for line in (Path(__file__).parent.parent / "golden" / "signature.txt").read_text().splitlines())
