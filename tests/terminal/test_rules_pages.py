"""The rules pages, split into sections."""

from cabochon.terminal import section, sections

PAGE = (
    "# Game\n\n## Taking\n\nTake three.\n\n```\n# not a heading\n```\n\n### Two alike\n\nPile of four.\n\n## Ending\n\nFifteen.\n"
)


def test_a_page_is_cut_at_its_headings() -> None:
    assert [(1, "Game"), (2, "Taking"), (3, "Two alike"), (2, "Ending")] == [(level, title) for level, title, _ in sections(PAGE)]
    assert section([PAGE], "TAK").endswith("Pile of four.\n")
    assert section([PAGE], "alike").startswith("### Two alike")
