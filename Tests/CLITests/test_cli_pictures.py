"""The pictures of the README are what the programs draw."""

import os
import subprocess
import sys
from xml.etree import ElementTree

from cli_daemon import BIN, HERE

PICTURES = HERE.parents[1] / "docs" / "pictures"


def lasting(text):
    """Without the line in which the viewer says how many milliseconds it lags behind."""
    return [line for line in text.split("\n") if not (">" in line and " lag " in line)]


def test_the_pictures_are_what_the_programs_draw(tmp_path):
    done = subprocess.run(
        [PICTURES / "make.sh", tmp_path], capture_output=True, timeout=60,
        env=dict(os.environ, TRESTLE_BIN=str(BIN), PYTHON=sys.executable))
    assert done.returncode == 0, done.stderr.decode()
    # That one is drawn from a run of `make bench`.
    names = sorted({path.name for path in PICTURES.glob("*.svg")} - {"benchmark.svg"})
    assert names == sorted(path.name for path in tmp_path.glob("*.svg"))
    for name in names:
        text = (tmp_path / name).read_text()
        assert lasting(text) == lasting((PICTURES / name).read_text()), \
            f"{name}: docs/pictures/make.sh, then look"
        ElementTree.fromstring(text)


def test_a_page_of_hostile_rows(daemon):
    daemon.ok("create", "board")
    title = "</svg><script>alert(1)</script>]]>\u202e&\x1b[31m"
    daemon.ok("add", "board", title, "--id", "t1", "--field", "k=\"' onload=x")
    for form in ("svg", "html"):
        text = daemon.ok("-o", form, "show", "board", "--width", "2000")
        root = ElementTree.fromstring(text)
        assert not [part for part in root.iter() if part.tag.endswith("script")]
        words = [part.text for part in root.iter() if part.tag.endswith("}text")]
        assert "</svg><script>alert(1)</script>]]>\\u202e&\\u001b[31m" in words
