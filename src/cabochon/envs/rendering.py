"""The three ways an environment shows a position: as text, as pixels, or as text printed for a person."""

from typing import Any

from ..errors import CabochonError
from ..notation.ascii import draw
from ..view import view
from .render_svg import pixels

RENDER_MODES = ["ansi", "rgb_array", "human"]


def checked_mode(render_mode: str | None) -> str | None:
    """A way to render that there is, or none."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise CabochonError(f"render_mode must be one of {', '.join(RENDER_MODES)}, not {render_mode!r}")
    return render_mode


def render(state: Any, seat: int | None, render_mode: str | None) -> Any:
    """What a seat (None: a spectator) may see: a text, an array of pixels, or nothing because it was printed."""
    if render_mode is None:
        raise CabochonError("say how to render when the environment is made: render_mode='ansi', 'rgb_array' or 'human'")
    shown = view(state, seat)
    if render_mode == "rgb_array":
        return pixels(shown)
    text = draw(shown)
    if render_mode == "ansi":
        return text
    print(text)
    return None
