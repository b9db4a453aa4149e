"""What the environments of a variant are called in each framework, from the one name in its `variant.toml`."""

from ..rules.variants import Variant

NAMESPACE = "cabochon"
VERSION = "v0"  # a change of actions, observation or rewards makes a new one


def gymnasium_id(variant: Variant) -> str:
    """`cabochon/SplendorMarvel-v0`: Gymnasium's names are in CamelCase."""
    words = "".join(word.capitalize() for word in variant.environment.split("_"))
    return f"{NAMESPACE}/{words}-{VERSION}"


def pettingzoo_module(variant: Variant) -> str:
    """`splendor_marvel_v0`: PettingZoo has a module for each environment, here in this package."""
    return f"{variant.environment}_{VERSION}"


def openspiel_name(variant: Variant) -> str:
    """`python_splendor_marvel`: OpenSpiel's games that are written in Python begin so."""
    return f"python_{variant.environment}"
