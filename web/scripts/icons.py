"""Draw the icons of the installed page into public/: the emerald of src/art/gems.ts on a plate of parchment, in walnut.

The plate lies within the middle four fifths, which is what every platform leaves of an icon that it crops ("maskable").
Needs resvg-py, which `make setup` installs.
"""

import math
from pathlib import Path

import resvg_py

PUBLIC = Path(__file__).parent.parent / "public"
SIZES = {"icon-192.png": 192, "icon-512.png": 512, "apple-touch-icon.png": 180}
WALNUT, PARCHMENT, BRASS, EMERALD, EDGE = "#2a201a", "#f4ecdc", "#a67f35", "#1e8a5a", "#0b3f2a"
OCTAGON = [(8, 1), (16, 1), (20, 5), (20, 19), (16, 23), (8, 23), (4, 19), (4, 5)]
STEPS, STRENGTH, TABLE = (0.72, 0.44), 0.5, 0.5


def tint(colour: str, tone: float) -> str:
    """Lighter above 0, darker below."""
    target = (255, 255, 255) if tone > 0 else (11, 10, 18)
    channels = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * abs(tone)):02x}" for a, b in zip(channels, target, strict=True))


def path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z"


def facets() -> list[tuple[str, float]]:
    """Rings of facets from the outline inwards, lit from the upper left, and the table on top."""
    found, outer = [], OCTAGON
    for level, size in enumerate(STEPS):
        inner = [(12 + (x - 12) * size, 12 + (y - 12) * size) for x, y in OCTAGON]
        for i in range(8):
            j = (i + 1) % 8
            corners = [outer[i], outer[j], inner[j], inner[i]]
            x, y = sum(c[0] - 12 for c in corners), sum(c[1] - 12 for c in corners)
            found.append((path(corners), STRENGTH * (1 - 0.35 * level) * (-0.55 * x - 0.83 * y) / math.hypot(x, y)))
        outer = inner
    return [*found, (path(outer), TABLE)]


def icon() -> str:
    gem = "".join(f'<path d="{d}" fill="{tint(EMERALD, tone)}"/>' for d, tone in facets())
    outline = f'<path d="{path(OCTAGON)}" fill="none" stroke="{EDGE}" stroke-width=".8" stroke-linejoin="round"/>'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">'
        f'<rect width="512" height="512" fill="{WALNUT}"/>'
        f'<circle cx="256" cy="256" r="200" fill="{PARCHMENT}"/>'
        f'<circle cx="256" cy="256" r="186" fill="none" stroke="{BRASS}" stroke-width="6"/>'
        f'<g transform="translate(256 256) scale(11.6) translate(-12 -12)">{gem}{outline}</g></svg>\n'
    )


def main() -> None:
    drawn = icon()
    for name, size in SIZES.items():
        (PUBLIC / name).write_bytes(bytes(resvg_py.svg_to_bytes(svg_string=drawn, width=size, height=size)))
        print(name, (PUBLIC / name).stat().st_size)


if __name__ == "__main__":
    main()
