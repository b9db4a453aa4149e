"""A push service on this machine, and browsers that are subscribed to it: they can read what is posted for them."""

import base64
import json
import os
import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CREATED = 201
WAIT_SECONDS = 20


def text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@dataclass(frozen=True)
class Posted:
    """What was posted: to which browser, and with which headers."""

    path: str
    headers: Mapping[str, str]
    body: bytes


class Browser:
    """A subscription, with the private key that a browser keeps to itself."""

    def __init__(self, origin: str, name: str) -> None:
        self.path = f"/for/{name}"
        self.endpoint = origin + self.path
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)

    def out(self) -> dict[str, str]:
        """A PushIn."""
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.endpoint, "p256dh": text(point), "auth": text(self.auth)}

    def read(self, posted: Posted) -> Any:
        return json.loads(http_ece.decrypt(posted.body, private_key=self.key, auth_secret=self.auth, version="aes128gcm"))


class PushService:
    """It keeps what is posted and answers with the status it was told."""

    def __init__(self, origin: str) -> None:
        self.origin, self.status = origin, CREATED
        self.headers: dict[str, str] = {}
        self.posted: dict[str, queue.Queue[Posted]] = {}

    def browser(self, name: str) -> Browser:
        found = Browser(self.origin, name)
        self.posted[found.path] = queue.Queue()
        return found

    def next_for(self, browser: Browser) -> Posted:
        """What was posted next for a browser."""
        return self.posted[browser.path].get(timeout=WAIT_SECONDS)

    def waiting_for(self, browser: Browser) -> int:
        return self.posted[browser.path].qsize()


@contextmanager
def push_service() -> Iterator[PushService]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            service.posted[self.path].put(Posted(self.path, dict(self.headers), body))
            self.send_response(service.status)
            for name, value in service.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service = PushService(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
