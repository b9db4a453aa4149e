"""A trained net as the package ships it, in half of the bytes: `python -m cabochon.learn.pack NET... FOLDER`. Needs no torch."""

import argparse
import json
from pathlib import Path

import numpy as np

from ..search.models.net import read_net, read_run, save_packed_net
from ..search.net import Net


def with_temperature(net: Net, temperature: float) -> Net:
    """The net with the logits of its value divided by a temperature (temperature scaling: Guo et al. 2017)."""
    factor = np.float32(1 / temperature)
    return net._replace(value=net.value * factor, value_bias=net.value_bias * factor)


def main() -> None:
    """Write the nets into the folder, under the same names."""
    parser = argparse.ArgumentParser("python -m cabochon.learn.pack", description=__doc__)
    parser.add_argument("nets", type=Path, nargs="+", metavar="NET")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--temperature", type=float, default=1.0, help="of the value, as cabochon.learn.calibrate finds it: below 1 it is surer"
    )
    options = parser.parse_args()
    if not options.temperature > 0:
        parser.error(f"--temperature must be above zero, not {options.temperature:g}")
    for path in options.nets:
        run = read_run(path)
        if options.temperature != 1:
            run["temperature"] = json.dumps(options.temperature * json.loads(run.get("temperature", "1")))
        save_packed_net(options.folder / path.name, with_temperature(read_net(path), options.temperature), run)


if __name__ == "__main__":
    main()
