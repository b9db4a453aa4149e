"""What a browser is given besides data: the client's files, the QR code of a link, and a page that lists the API."""

import gzip
import io
import mimetypes
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

import segno
from fastapi import Request, Response
from starlette.responses import HTMLResponse

from .addresses import join_origin

STATIC = Path(__file__).parent / "static"
LONG = "public, max-age=31536000, immutable"
SHORT = "no-cache"
WORTH_PACKING = 1000
MAX_KEPT_QR_CODES = 256
TEXTUAL = ("text/", "application/json", "application/javascript", "image/svg", "application/manifest")
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("font/woff2", ".woff2")
mimetypes.add_type("application/manifest+json", ".webmanifest")

PLAIN_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>cabochon</title></head>
<body><h1>cabochon</h1>
<p>The server is running. The pages are not built yet: <code>npm run build</code> in <code>web/</code> makes them.</p>
<p><a href="/api/docs">What the server offers</a></p></body></html>
"""

API_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>cabochon API</title></head>
<body>{}</dl></body></html>
"""


@lru_cache(maxsize=256)
def _content(path: Path, _modified: int, packed: bool) -> bytes:
    content = path.read_bytes()
    return gzip.compress(content, 9, mtime=0) if packed else content


def page(request: Request, path: str) -> Response:
    """A file of the client; any other address without a dot in its last part is the client itself."""
    found = _file(path)
    if found is None and "." in path.rpartition("/")[2]:
        return Response("there is no such file", 404, media_type="text/plain")
    found = found or _file("index.html")
    if found is None:
        return HTMLResponse(PLAIN_PAGE)
    return _served(request, found)


def _file(path: str) -> Path | None:
    try:
        wanted = (STATIC / path).resolve()
        is_there = wanted.is_relative_to(STATIC.resolve()) and wanted.is_file()
    except (ValueError, OSError):
        return None
    return wanted if is_there else None


def _served(request: Request, path: Path) -> Response:
    modified = path.stat().st_mtime_ns
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    is_text = kind.startswith(TEXTUAL) and path.stat().st_size > WORTH_PACKING
    packs = is_text and "gzip" in request.headers.get("accept-encoding", "")
    headers = {"Cache-Control": LONG if path.parent.name == "assets" else SHORT, "ETag": f'"{modified:x}{"z" if packs else ""}"'}
    if is_text:
        headers["Vary"] = "Accept-Encoding"
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    if packs:
        headers["Content-Encoding"] = "gzip"
    return Response(_content(path, modified, packs), media_type=kind, headers=headers)


def origin_for_friends(request: Request, public_url: str, bound_to: str) -> str:
    """The beginning of every address that is for others."""
    url = request.url
    return join_origin(url.scheme, url.hostname or "", url.port, public_url, bound_to)


@lru_cache(maxsize=MAX_KEPT_QR_CODES)
def _drawn(url: str) -> bytes:
    out = io.BytesIO()
    segno.make(url, error="m").save(out, kind="svg", scale=4, border=4, light="#fff", dark="#000", xmldecl=False)
    return out.getvalue()


def qr_code(url: str) -> Response:
    """A link as a picture. To draw it takes some milliseconds: not for the event loop."""
    return Response(_drawn(url), media_type="image/svg+xml", headers={"Cache-Control": "no-store"})


def api_page(schema: dict[str, Any]) -> HTMLResponse:
    """The OpenAPI description as a page without scripts, so that it needs no other site."""
    lines = [f"<h1>{escape(schema['info']['title'])}</h1>", '<p>As <a href="/api/openapi.json">OpenAPI</a>.</p>', "<dl>"]
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            text = operation.get("description") or operation.get("summary", "")
            lines.append(f"<dt><code>{method.upper()} {escape(path)}</code></dt><dd>{escape(text)} {_answer(operation)}</dd>")
    lines.append("</dl><h2>Bodies</h2><dl>")
    for name, model in schema.get("components", {}).get("schemas", {}).items():
        fields = ", ".join(f"<code>{escape(field)}</code>" for field in model.get("properties", {}))
        lines.append(f'<dt id="{escape(name)}">{escape(name)}</dt><dd>{escape(model.get("description", ""))} {fields}</dd>')
    return HTMLResponse(API_PAGE.format("\n".join(lines)))


def _answer(operation: dict[str, Any]) -> str:
    content = operation.get("responses", {}).get("200", {}).get("content", {})
    reference = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    name = escape(reference.rpartition("/")[2])
    return f'Answer: <a href="#{name}">{name}</a>' if name else ""
