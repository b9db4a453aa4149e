"""Addresses: which clients belong together, which are trusted proxies, what may be the name of a host, where friends join."""

import re
import socket
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from ..errors import CabochonError

SITE_BITS = 64  # one customer has a whole IPv6 network of this size: counting its single addresses would limit nobody
MAPPED_BITS = 96  # IPv4 addresses are the last 32 bits of ::ffff:0:0/96
MAX_ADDRESS_LENGTH = 45
EVERYWHERE = ("0.0.0.0", "::")  # what a server listens at that is open to its network
PROBE = ("192.0.2.1", 9)  # an address that is nobody's: only the way there is asked for
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


def is_local(host: str) -> bool:
    """Whether only this very machine can reach a host of this name."""
    name = host.strip("[]").lower()
    address = _parsed(name)
    return name == "localhost" or name.endswith(".localhost") if address is None else address.is_loopback


def lan_address() -> str | None:
    """The address of this machine in its network. Nothing is sent to find it."""
    return next((address for address in (_address_by_route(), *_addresses_by_name()) if address and not is_local(address)), None)


def _address_by_route() -> str | None:
    """The address from which others would be spoken to."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(PROBE)
            return str(probe.getsockname()[0])
        except OSError:
            return None


def _addresses_by_name() -> list[str]:
    """A network without a way out (a hotspot) has no such route; the machine's own name may know its address."""
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    except OSError:
        return []


def join_origin(scheme: str, host: str, port: int | None, public_url: str, bound_to: str) -> str:
    """Where friends find this server: the public address, or the one its page was opened at.

    Who opened it as `localhost` on a server that is open to the network is told this machine's address there.
    """
    if public_url:
        return public_url.rstrip("/")
    if is_local(host) and bound_to in EVERYWHERE:
        host = lan_address() or host
    return f"{scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}"
