"""A trained net as the package ships it, in half of the bytes: `python -m cabochon.learn.pack NET... FOLDER`. Needs no torch."""

import argparse
from pathlib import Path

from ..search.models.net import read_net, read_run, save_packed_net


def main() -> None:
    """Write the nets into the folder, under the same names."""
    parser = argparse.ArgumentParser("python -m cabochon.learn.pack", description=__doc__)
    parser.add_argument("nets", type=Path, nargs="+", metavar="NET")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    for path in options.nets:
        save_packed_net(options.folder / path.name, read_net(path), read_run(path))


if __name__ == "__main__":
    main()
