"""Registers the environments of every variant with Gymnasium and PettingZoo."""

from importlib.util import find_spec

import gymnasium

from ..rules.variants import VARIANTS
from .names import NAMESPACE, gymnasium_id, pettingzoo_module

GYMNASIUM_IDS = {gymnasium_id(variant): variant.name for variant in VARIANTS.values()}
PETTINGZOO_IDS = {f"{NAMESPACE}/{name}": name for name in map(pettingzoo_module, VARIANTS.values())}


def register_all() -> None:
    for name, variant in GYMNASIUM_IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                id=name,
                entry_point="cabochon.envs.gymnasium:SplendorEnv",
                vector_entry_point="cabochon.envs.vector:SplendorVectorEnv",
                kwargs={"variant": variant},
            )
    if find_spec("pettingzoo") is not None:
        _register_seats()


def _register_seats() -> None:
    import pettingzoo  # type: ignore[import-untyped]

    register = getattr(pettingzoo, "register", None)
    if register is not None:  # PettingZoo has a registry from 1.27 on
        for name, module in PETTINGZOO_IDS.items():
            register("aec", name, entry_point=f"cabochon.envs.{module}:env")
