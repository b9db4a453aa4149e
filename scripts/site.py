"""What MkDocs must know of this repository: pages outside `docs`, links to them and to sources, and the reference."""

import re
import tomllib
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
VARIANTS = "src/cabochon/variants"

# Where pages that are kept outside `docs` stand in the site.
OUTSIDE = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    f"{VARIANTS}/house-rules.md": "rules/house-rules.md",
    f"{VARIANTS}/refusals.md": "rules/refusals.md",
} | {path.relative_to(ROOT).as_posix(): f"rules/{path.parent.name}.md" for path in sorted((ROOT / VARIANTS).glob("*/rules.md"))}

# The public modules, each with a page of the reference.
REFERENCE = [
    "cabochon",
    "cabochon.batch",
    "cabochon.bots",
    "cabochon.search",
    "cabochon.study",
    "cabochon.arena",
    "cabochon.envs",
    "cabochon.errors",
]
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The address of the repository has one home, pyproject.toml; the lists of pages that only grow are written out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    config.repo_url = project.get("urls", {}).get("Source", "")
    decisions = sorted(f"decisions/{path.name}" for path in (ROOT / "docs/decisions").glob("0*.md"))
    lists: dict[str, list[Any]] = {
        "REFERENCE": [{module: f"reference/{module}.md"} for module in REFERENCE],
        "DECISIONS": ["decisions/README.md", *decisions],
    }
    config.nav = _written_out(config.nav, lists)
    return config


def _written_out(nav: Any, lists: dict[str, list[Any]]) -> Any:
    if isinstance(nav, list):
        return [_written_out(entry, lists) for entry in nav]
    if isinstance(nav, dict):
        return {title: _written_out(entry, lists) for title, entry in nav.items()}
    return lists.get(nav, nav)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Pages that are not in `docs`."""
    for source, place in OUTSIDE.items():
        files.append(File.generated(config, place, content=(ROOT / source).read_text()))
    for module in REFERENCE:
        files.append(File.generated(config, f"reference/{module}.md", content=f"# {module}\n\n::: {module}\n"))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links are written for readers of the repository; here they lead to the same page of the site, or to the repository."""
    place = page.file.src_uri
    source = next((source for source, at in OUTSIDE.items() if at == place), f"docs/{place}")

    def led(found: re.Match[str]) -> str:
        return found[1] + _target(found[2], source, place, files, config.repo_url or "") + found[3]

    parts = CODE.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(led, part) for part in parts)


def _target(link: str, source: str, place: str, files: Files, repository: str) -> str:
    address, hash_sign, anchor = link.partition("#")
    if not address or "://" in address or address.startswith("mailto:"):
        return link
    path = normpath(str(PurePosixPath(source).parent / address))
    at = OUTSIDE.get(path) or path.removeprefix("docs/")
    for candidate in (at, f"{at}/README.md"):
        if (path in OUTSIDE or path.startswith("docs/")) and files.get_file_from_path(candidate):
            return relpath(candidate, str(PurePosixPath(place).parent)) + hash_sign + anchor
    return f"{repository}/blob/main/{path}{hash_sign}{anchor}"
