"""The render modes of the environments: text, pixels, or text that is printed."""

from typing import Any

from ..errors import CabochonError
from ..notation.ascii import draw
from ..notation.svg import pixels
from ..view import view

RENDER_MODES = ["ansi", "rgb_array", "human"]


def checked_mode(render_mode: str | None) -> str | None:
    """The render mode; an unknown one raises."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise CabochonError(f"render_mode must be one of {', '.join(RENDER_MODES)}, not {render_mode!r}")
    return render_mode


def render(state: Any, seat: int | None, render_mode: str | None) -> Any:
    """The table as a seat (None: a spectator) sees it: a text, an array of pixels, or None if it was printed."""
    if render_mode is None:
        raise CabochonError("the environment was made without a render mode: use render_mode='ansi', 'rgb_array' or 'human'")
    seen = view(state, seat)
    if render_mode == "rgb_array":
        return pixels(seen)
    text = draw(seen)
    if render_mode == "ansi":
        return text
    print(text)
    return None
