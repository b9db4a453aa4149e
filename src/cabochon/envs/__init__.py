"""The games as research environments: PettingZoo, Gymnasium (single and vector), OpenSpiel, and a batch on a GPU.

Importing this package registers `cabochon/Splendor-v0` and `cabochon/SplendorMarvel-v0` with Gymnasium where that is installed.
`observation`, `episodes` and `gpu` do not need these frameworks.
"""

from importlib.util import find_spec

if find_spec("gymnasium") is not None:
    from .registration import register_all

    register_all()
