"""The games as research environments: PettingZoo, Gymnasium (single and vector), OpenSpiel, and a batch on a GPU.

Importing this package registers an environment for each variant, `cabochon/Splendor-v0` and so on, where Gymnasium is installed.
`observation`, `episodes` and `gpu` do not need these frameworks.
"""

from importlib.util import find_spec

if find_spec("gymnasium") is not None:
    from .registration import register_all

    register_all()
