"""Makes view.svg: the viewer at work on examples/kitchen.yaml, drawn from its own output.

Run by make.sh, with a daemon at TRESTLE_ENDPOINT whose table `shift` is there: view.py OUT.svg"""

import os
import pathlib
import subprocess
import sys
import time
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Tests/CLITests"))
import viewer  # noqa: E402
from wcwidth import wcswidth  # noqa: E402

WIDTH, HEIGHT, CELL_W, CELL_H, PAD = 96, 36, 8.4, 18, 14
PAPER, INK = "16181d", "d6dae0"
NAMED = {"black": "000000", "red": "cd0000", "green": "00cd00", "brown": "cdcd00",
         "blue": "0000ee", "magenta": "cd00cd", "cyan": "00cdcd", "white": "e5e5e5"}


class Here:
    # Else the picture names whoever makes it.
    environment = dict(os.environ, LC_ALL="C.UTF-8", TRESTLE_NAME="ana")


def colour(name, other):
    return other if name == "default" else NAMED.get(name, name)


def runs(line):
    """Neighbouring cells of one look."""
    found = []
    x = 0
    while x < WIDTH:
        cell = line[x]
        text = cell.data or " "
        columns = max(1, wcswidth(text))
        ink, ground = colour(cell.fg, INK), colour(cell.bg, None)
        look = (ink, ground, cell.bold, cell.underscore)
        # A wide character stands alone: fonts differ in how wide they make it.
        if found and found[-1][0] == look and columns == 1 and found[-1][3]:
            found[-1][2] += text
        else:
            found.append([look, x, text, columns == 1])
        x += columns
    return found


def svg(screen):
    width, height = WIDTH * CELL_W + 2 * PAD, HEIGHT * CELL_H + 2 * PAD
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1f} {height}" '
           f'width="{width:.1f}" height="{height}" role="img" aria-label="trestle view" '
           'font-family="ui-monospace, SFMono-Regular, Menlo, DejaVu Sans Mono, monospace" '
           'font-size="14">',
           f'<rect width="100%" height="100%" rx="10" fill="#{PAPER}"/>']
    for y in range(HEIGHT):
        top = PAD + y * CELL_H
        for (ink, ground, bold, under), x, text, narrow in runs(screen.buffer[y]):
            left, length = PAD + x * CELL_W, len(text) * CELL_W if narrow else 2 * CELL_W
            if ground:
                out.append(f'<rect x="{left:.1f}" y="{top}" width="{length + 0.3:.1f}" '
                           f'height="{CELL_H}.3" fill="#{ground}"/>')
            if text.strip():
                weight = ' font-weight="700"' if bold else ""
                line = ' text-decoration="underline"' if under else ""
                # Browsers make one of several blanks, whatever xml:space says, and stretch the rest
                # over the whole length.
                shown = escape(text).replace(" ", "\u00a0")
                out.append(f'<text x="{left:.1f}" y="{top + 13}" textLength="{length:.1f}" '
                           f'fill="#{ink}"{weight}{line}>{shown}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main(path):
    screen = viewer.Pty(Here, "shift", width=WIDTH, height=HEIGHT)
    screen.wait_for("live", "salmon")
    for keys in ("jj", " ", " ", "j"):
        screen.type(keys)
        time.sleep(0.3)
    screen.type(viewer.LEFT)
    screen.wait_for("1 Bump")
    time.sleep(0.5)
    screen.lines()
    pathlib.Path(path).write_text(svg(screen.screen))
    screen.type("q")
    screen.process.wait(5)
    screen.close()


if __name__ == "__main__":
    main(sys.argv[1])
