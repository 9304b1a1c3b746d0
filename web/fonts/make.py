#!/usr/bin/env python3
"""Makes the fonts beside it from Debian's Liberation Sans: web/fonts/make.py [FOLDER OF THE TTF].

The subset has what boards are mostly written in: Latin, Greek, Cyrillic, and the marks that the page
draws. Letters that are not in it are drawn in the reader's own font. Needs fonttools and brotli (PyPI), and
Debian's fonts-liberation2 (2.x, the OFL; 1.x has another licence). The same font gives the same bytes.
The OFL reserves the name Liberation for the unchanged fonts, so the subset has another.
"""

import pathlib
import sys

from fontTools import subset
from fontTools.ttLib import TTFont

HERE = pathlib.Path(__file__).parent
SOURCE = pathlib.Path("/usr/share/fonts/truetype/liberation2")
NAMES = {"LiberationSans-Regular": "sans", "LiberationSans-Bold": "sans-bold"}
RANGES = [
    (0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x400, 0x45F), (0x490, 0x491),
    (0x2010, 0x2015), (0x2018, 0x201E), (0x2020, 0x2022), (0x2026, 0x2026), (0x2030, 0x2030),
    (0x2039, 0x203A), (0x20AC, 0x20AC), (0x2116, 0x2116), (0x2122, 0x2122), (0x2190, 0x2193),
    (0x2212, 0x2212), (0x2260, 0x2265), (0x25B2, 0x25BC), (0x25CF, 0x25CF),
]


def make(source: pathlib.Path, target: pathlib.Path) -> None:
    """Writes the subset of one font."""
    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options(flavor="woff2", layout_features=["kern"], hinting=False)
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    # A letter that no font of the reader's has is a box. Without this line it would be nothing.
    options.notdef_outline = True
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[code for low, high in RANGES for code in range(low, high + 1)])
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6):
            text = record.toUnicode().replace("Liberation Sans", "Trestle Sans")
            record.string = text.replace("LiberationSans", "TrestleSans")
    subset.save_font(font, str(target), options)


if __name__ == "__main__":
    source = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE
    for name, target in NAMES.items():
        make(source / f"{name}.ttf", HERE / f"{target}.woff2")
