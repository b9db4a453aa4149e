"""What the pages say is true: code blocks run, examples parse, links lead somewhere."""

import doctest
import re
from collections import Counter
from pathlib import Path

import pytest

from cabochon import Game, format_position, format_record, parse_position, parse_record
from cabochon.rules.state import state_t

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


PYTHON = [(page, block) for page in PAGES for block in blocks(page, "python")]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "block"), PYTHON, ids=lambda value: value.name if isinstance(value, Path) else "")
def test_python_on_the_pages_runs(page: Path, block: str) -> None:
    if ">>>" in block:
        test = doctest.DocTestParser().get_doctest(block, {}, page.name, str(page), 0)
        assert 0 == doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test).failed
    else:
        exec(compile(block, page.name, "exec"), {})


def test_the_game_in_the_readme_has_ten_lines() -> None:
    whole_game = blocks(ROOT / "README.md", "python")[0]
    assert 10 >= len([line for line in whole_game.splitlines() if line])


def test_positions_in_formats() -> None:
    found = blocks(ROOT / "docs/formats.md", "position")
    assert 2 == len(found)
    for text in found:
        assert text.strip() == format_position(parse_position(text))


def test_record_in_formats() -> None:
    (text,) = blocks(ROOT / "docs/formats.md", "record")
    record = parse_record(text)
    assert not record.is_complete
    assert ("Anna", "Ben") == record.names
    assert 4 == len(Game.from_record(text).moves)
    assert record == parse_record(format_record(record))


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page: small letters, hyphens for spaces, a number for a repeated one."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    found: Counter[str] = Counter()
    slugs = set()
    for title in re.findall(r"^#+ +(.+?) *#*$", text, re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        slugs.add(f"{slug}-{found[slug]}" if found[slug] else slug)
        found[slug] += 1
    return slugs


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        file, _, anchor = link.partition("#")
        if "://" in file:
            continue
        target = page.parent / file if file else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_tests_named_on_the_pages_are_there() -> None:
    """A page may name a test file by the end of its path, or a test by its function."""
    files = [str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")]
    tests = set(re.findall(r"def (test_\w+)", "".join((ROOT / file).read_text() for file in files)))
    history = [ROOT / "CHANGELOG.md", *(ROOT / "docs/decisions").iterdir()]
    text = "".join(page.read_text() for page in PAGES if page not in history)
    named = set(re.findall(r"`((?:[\w/]+/)?test_\w+(?:\.py)?)`", text))
    assert named
    for name in named - tests:
        assert any(f"/{file}".endswith(f"/{name}") for file in files), name


def test_a_heading_gets_the_anchor_that_github_gives_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# The `deal`, again\n\n```\n# not a heading\n```\n\n## Two alike\n\n## Two alike\n\n### 2–4 seats\n")
    assert {"the-deal-again", "two-alike", "two-alike-1", "24-seats"} == anchors(page)


def test_record_layout_is_drawn_as_it_is() -> None:
    source = (ROOT / "src/cabochon/rules/state.py").read_text()
    drawn = {name: (int(at), int(size)) for at, size, name in re.findall(r"^ +(\d+) +(\d+)  ([a-z_]+)", source, re.MULTILINE)}
    assert state_t.fields is not None
    assert {name: (field[1], field[0].itemsize) for name, field in state_t.fields.items()} == drawn
