"""Addresses: which clients belong together, which are proxies that we trust, and what may be the name of a host."""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from ..errors import CabochonError

SITE_BITS = 64  # one customer has a whole IPv6 network of this size: counting its single addresses would limit nobody
MAPPED_BITS = 96  # IPv4 addresses are the last 32 bits of ::ffff:0:0/96
MAX_ADDRESS_LENGTH = 45
HOST_AND_PORT = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")

Network = IPv4Network | IPv6Network


@lru_cache(maxsize=4096)
def address_block(host: str) -> str:
    """What limits by address count by: the IPv4 address, or the /64 network of an IPv6 address."""
    address = _parsed(host)
    if address is None:
        return host[:MAX_ADDRESS_LENGTH]
    return str(address if address.version == 4 else ip_network((address, SITE_BITS), strict=False))


def _parsed(host: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if address.version == 6 else None
    return mapped or address


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """The networks that proxies are in. A single address is a network too."""
    return tuple(_network(text) for text in texts)


def _network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise CabochonError(f"CABOCHON_TRUSTED_PROXIES: {text!r} is not an IP address or a network like 10.0.0.0/8") from error


def with_mapped(texts: Iterable[str]) -> list[str]:
    """The same networks, and those of IPv4 also as a socket that listens on IPv6 sees them: 10.0.0.0/8 as ::ffff:10.0.0.0/104."""
    networks = parse_networks(texts)
    mapped = [f"::ffff:{found.network_address}/{MAPPED_BITS + found.prefixlen}" for found in networks if found.version == 4]
    return [*(str(found) for found in networks), *mapped]


def is_within(host: str, networks: tuple[Network, ...]) -> bool:
    """Whether an address is in one of these networks."""
    address = _parsed(host)
    return address is not None and any(address in network for network in networks)


def is_host(text: str) -> bool:
    """Whether this is a name or address, with or without a port: addresses for others are made of it."""
    try:
        return HOST_AND_PORT.fullmatch(text) is not None and urlsplit(f"//{text}").port != 0
    except ValueError:
        return False
