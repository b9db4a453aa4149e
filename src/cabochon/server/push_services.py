"""Push services: the sites of browser makers to which the server posts that it is somebody's turn.

A subscription names the address to post to, and a guest may send any. So that nobody can make this server post to machines of its
own network, it posts only to services that are named in its settings, and to those only at addresses of the public internet.
"""

import http.client
import socket
import ssl
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

MAX_ENDPOINT_LENGTH = 1000
TIMEOUT_SECONDS = 10.0
MAX_ANSWER_BYTES = 1000
HTTPS_PORT = 443
ANY_SUBDOMAIN = "*."


class NotPublic(OSError):
    """A name that leads to an address which is not one of the public internet."""


class PushServices:
    """The services that are trusted.

    A name (`fcm.googleapis.com`, or `*.push.apple.com` for all names that end so) is trusted over HTTPS at public addresses. A
    whole origin (`http://127.0.0.1:9000`) is the host's own word for a service of theirs: it may be anywhere.
    """

    def __init__(self, services: Iterable[str]) -> None:
        listed = [service.lower().rstrip("/") for service in services]
        self.origins = frozenset(service for service in listed if "://" in service)
        self.names = frozenset(listed) - self.origins

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.origins or self.names)

    def trusts(self, endpoint: str) -> bool:
        """Whether the server may post there."""
        url = _split(endpoint)
        return url is not None and (self._is_own(url) or self._is_known(url))

    def _is_own(self, url: SplitResult) -> bool:
        return origin_of(url) in self.origins

    def _is_known(self, url: SplitResult) -> bool:
        if url.scheme != "https" or url.port not in (None, HTTPS_PORT):
            return False
        name = url.hostname or ""
        parents = {f"{ANY_SUBDOMAIN}{name[place + 1 :]}" for place, letter in enumerate(name) if letter == "."}
        return name in self.names or not self.names.isdisjoint(parents)

    def post(self, endpoint: str, headers: Mapping[str, str], body: bytes) -> int:
        """Post a message; the status of the answer. A redirection is an answer like any other: it is not followed."""
        url = _split(endpoint)
        if url is None or not self.trusts(endpoint):
            raise NotPublic("this push service is not trusted")
        connection = self._connection(url)
        try:
            connection.request("POST", f"{url.path or '/'}{f'?{url.query}' if url.query else ''}", body, dict(headers))
            answer = connection.getresponse()
            answer.read(MAX_ANSWER_BYTES)
            return answer.status
        finally:
            connection.close()

    def _connection(self, url: SplitResult) -> http.client.HTTPConnection:
        host = url.hostname or ""
        if not self._is_own(url):
            return PublicConnection(host)
        if url.scheme == "http":
            return http.client.HTTPConnection(host, url.port, timeout=TIMEOUT_SECONDS)
        return http.client.HTTPSConnection(host, url.port, timeout=TIMEOUT_SECONDS)


class PublicConnection(http.client.HTTPSConnection):
    """A connection by HTTPS to the very address that was found to be public: the name is looked up once."""

    def __init__(self, host: str) -> None:
        self.tls = ssl.create_default_context()
        super().__init__(host, HTTPS_PORT, timeout=TIMEOUT_SECONDS, context=self.tls)

    def connect(self) -> None:
        """Connect, if that is allowed."""
        raw = socket.create_connection((public_address(self.host), self.port), TIMEOUT_SECONDS)
        try:
            self.sock = self.tls.wrap_socket(raw, server_hostname=self.host)
        except BaseException:
            raw.close()
            raise


def public_address(host: str) -> str:
    """The address of a host. One that has any address outside the public internet is refused."""
    found = [str(info[4][0]) for info in socket.getaddrinfo(host, HTTPS_PORT, type=socket.SOCK_STREAM)]
    if not found or not all(_is_public(address) for address in found):
        raise NotPublic(f"{host} is not in the public internet")
    return found[0]


def _is_public(text: str) -> bool:
    address = ip_address(text.partition("%")[0])
    mapped = address.ipv4_mapped if address.version == 6 else None
    return (mapped or address).is_global and not address.is_multicast


def origin_of(url: SplitResult) -> str:
    """Scheme, host and port."""
    return f"{url.scheme}://{url.netloc.lower()}"


def _split(endpoint: str) -> SplitResult | None:
    """An address without a name and password in it, and without anything a request line could not carry."""
    if len(endpoint) > MAX_ENDPOINT_LENGTH or not endpoint.isascii() or not endpoint.isprintable() or " " in endpoint:
        return None
    try:
        url = urlsplit(endpoint)
        is_usable = bool(url.hostname) and "@" not in url.netloc and not url.fragment and url.port != 0
    except ValueError:
        return None
    return url if is_usable else None
