"""The pictures of the README are what the programs draw."""

import os
import re
import shutil
import struct
import subprocess
import sys
import zlib
from xml.etree import ElementTree

import pytest
from cli_daemon import BIN, HERE

PICTURES = HERE.parents[1] / "docs" / "pictures"


def lasting(text):
    """Without how many milliseconds the viewer lags behind, how old rows are, and the blanks that make room for that."""
    return [re.sub(r"\s+", " ", re.sub(r"lag\s\d+\sms|>\d:\d\d<", "", line)) for line in text.split("\n")]


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


def test_the_gallery_is_what_the_programs_draw(tmp_path):
    """Twice the same bytes: nothing in it depends on the time or on the order of a dictionary."""
    page = tmp_path / "gallery.html"
    done = subprocess.run(
        [sys.executable, PICTURES / "gallery.py", page], capture_output=True, timeout=120,
        env=dict(os.environ, TRESTLE_BIN=str(BIN)))
    assert done.returncode == 0, done.stderr.decode()
    text = page.read_text()
    assert text == (PICTURES / "gallery.html").read_text(), "make pictures, then look"
    assert len(text.encode()) < 1_000_000
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids)) > 100
    links = set(re.findall(r'(?:href="|url\()#([^")]+)', text))
    assert links <= set(ids)


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


def pixels(path):
    """The lines of a PNG as Chromium writes it: 8 bits each of red, green, blue and perhaps alpha."""
    data, place, packed = path.read_bytes(), 8, b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + size]
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", body[:10])
        packed += body if kind == b"IDAT" else b""
        place += size + 12
    step = {2: 3, 6: 4}[colour]
    raw, before = zlib.decompress(packed), bytes(width * step)
    for y in range(height):
        begin = y * (width * step + 1)
        line = bytearray(raw[begin + 1:begin + 1 + width * step])
        for i in range(len(line)):
            left, up = line[i - step] if i >= step else 0, before[i]
            corner = before[i - step] if i >= step else 0
            guess = left + up - corner
            near = min((left, up, corner), key=lambda part: abs(guess - part))
            line[i] = line[i] + (0, left, up, (left + up) // 2, near)[raw[begin]] & 255
        before = bytes(line)
        yield [before[x:x + 3] for x in range(0, len(line), step)]


@pytest.mark.skipif(not shutil.which("chromium-headless-shell"), reason="needs Debian's chromium-headless-shell")
@pytest.mark.parametrize("width, columns", [(400, 1), (1280, 3), (2560, 4)])
def test_a_page_uses_the_window(daemon, width, columns):
    root = HERE.parents[1]
    daemon.ok("create", "board")
    daemon.ok("define", "board", root / "examples/kitchen.yaml")
    daemon.ok("import", "board", root / "examples/kitchen.ndjson")
    page = daemon.directory / "page.html"
    page.write_text(daemon.ok("-o", "html", "show", "board"))
    shot = daemon.directory / "page.png"
    subprocess.run(
        ["chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--force-device-scale-factor=1", f"--user-data-dir={daemon.directory}/chromium",
         f"--window-size={width},160", f"--screenshot={shot}", page.as_uri()],
        check=True, capture_output=True, timeout=60, cwd=daemon.directory)
    # Just below the titles of the sections: paper of rows, and the page's ground between them.
    ground = b"\xe3\xe3\xe9"
    line = list(pixels(shot))[150]
    edges = [x for x in range(1, width) if (line[x] == ground) != (line[x - 1] == ground)]
    assert len(edges) == 2 * columns, edges
    # No wider than it can be read, and no more than a fifth narrower than it was drawn.
    assert all(330 <= right - left <= 470 for left, right in zip(edges[::2], edges[1::2])), edges
    assert edges[-1] - edges[0] > width * 0.7
