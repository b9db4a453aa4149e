"""Make src/art/figures.woff: the digits of Fraunces at weight 600, all of one width (needs fontTools with brotli).

The packaged Fraunces has lining figures, but its subsets have lost the feature `tnum`, so its figures are proportional.
"""

import sys

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

SOURCE = "node_modules/@fontsource-variable/fraunces/files/fraunces-latin-wght-normal.woff2"
DIGITS = range(ord("0"), ord("9") + 1)
WEIGHT = 600


def tabular(font: TTFont) -> TTFont:
    """Every digit in the middle of a field as wide as the widest."""
    cmap, widths, glyphs = font.getBestCmap(), font["hmtx"], font["glyf"]
    names = [cmap[digit] for digit in DIGITS]
    width = max(widths[name][0] for name in names)
    for name in names:
        advance, left = widths[name]
        shift = (width - advance) // 2
        glyphs[name].coordinates.translate((shift, 0))
        glyphs[name].recalcBounds(glyphs)
        widths[name] = (width, left + shift)
    return font


def main(source: str, target: str) -> None:
    font = instantiateVariableFont(TTFont(source), {"wght": WEIGHT})
    options = Options(layout_features=[], name_IDs=[0, 1, 2, 13, 14], notdef_outline=True)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=DIGITS)
    subsetter.subset(font)
    font.flavor = "woff"
    tabular(font).save(target)


if __name__ == "__main__":
    main(*(sys.argv[1:] or (SOURCE, "src/art/figures.woff")))
