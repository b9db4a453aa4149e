"""A trained net as the package ships it, in half of the bytes: `python -m cabochon.learn.pack NET... FOLDER`. Needs no torch."""

import argparse
import json
from pathlib import Path

import numpy as np

from ..search.models.net import players_of, read_net, read_run, save_packed_net
from ..search.net import Net
from .prune import pruned


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
    parser.add_argument(
        "--prune", type=int, default=0, metavar="POSITIONS", help="leave out units of hidden1 that do nothing in so many"
    )
    options = parser.parse_args()
    if options.prune < 0:
        parser.error(f"--prune takes a number of positions, not {options.prune}")
    if not options.temperature > 0:
        parser.error(f"--temperature must be above zero, not {options.temperature:g}")
    for path in options.nets:
        net, run = read_net(path), read_run(path)
        if options.prune:
            units = net.hidden1_bias.size
            net = pruned(net, path.stem.split("-")[0], players_of(path), options.prune)
            run["pruned"] = json.dumps(units - net.hidden1_bias.size + json.loads(run.get("pruned", "0")))
        if options.temperature != 1:
            run["temperature"] = json.dumps(options.temperature * json.loads(run.get("temperature", "1")))
        save_packed_net(options.folder / path.name, with_temperature(net, options.temperature), run)


if __name__ == "__main__":
    main()
