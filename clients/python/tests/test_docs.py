"""README.md, docs/recipes.md and docs/first-programs.md are right: each program is run, and prints what it should."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from daemon import Daemon

HERE = Path(__file__).resolve().parents[1]
FIRST = (HERE / "docs" / "first-programs.md").read_text()
RECIPES = (HERE / "docs" / "recipes.md").read_text()
README = (HERE / "README.md").read_text()


def programs(text: str) -> list[str]:
    """The indented blocks that import something."""
    blocks = re.findall(r"(?:^(?:    .*)?\n)+", text, re.M)
    return [re.sub(r"^ {4}", "", block, flags=re.M).strip() + "\n" for block in blocks
            if re.search(r"^    (import|from) ", block, re.M)]


def run(program: str, daemon: Daemon, folder: Path = HERE) -> subprocess.Popen[str]:
    """It runs, as a person would start it."""
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=folder,
                            env=os.environ | {"TRESTLE_ENDPOINT": daemon.endpoint})


SAID = [
    r"1", r"2 add \['order-1042'\] 2", r"4", r"4 \['course-2', 'course-0', 'course-1'\]", r"\['Soup'\]",
    r"paging the waiter of Soup\n\['failed', 'done'\]", r"True\n\d+ recall .+\n\d+ remove .+", r"\d+ \d+ True", r"201 live"]
"""What the recipes print, but the last, which is about a daemon that is killed."""


def test_the_recipes(daemon: Daemon, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """In their order, at one daemon."""
    monkeypatch.setenv("TRESTLE_ENDPOINT", daemon.endpoint)
    found = programs(RECIPES)
    assert len(found) == 10 == len(re.findall(r"^## \d+\.", RECIPES, re.M))
    for number, (program, expected) in enumerate(zip(found, SAID, strict=False), 1):
        exec(compile(program, f"recipe {number}", "exec"), {"__name__": "__main__"})
        said = capsys.readouterr().out
        assert re.fullmatch(expected, said.strip()), (number, said)
    process = run(found[9], daemon)
    assert process.stdout
    assert process.stdout.readline() == "kill the daemon now\n"
    daemon.kill()
    assert process.stdout.readline().startswith("start it again ")
    daemon.start()
    assert process.stdout.read() == "True\n" and process.wait() == 0


def test_the_first_programs(daemon: Daemon, tmp_path: Path) -> None:
    """Each is started as a person starts it, in one folder and at one daemon. They take seconds."""
    found = programs(FIRST)
    assert len(found) == 5 == len(re.findall(r"^## \d+\.", FIRST, re.M))
    expected = [r"250 of 1000\n500 of 1000\n750 of 1000\n1000 of 1000\n1000\n", r"1000 111 Dish 8\n",
                r"100 changed\nThere is no row .*dish-9999.*\n",
                r"the whole table, 1000 rows\nset \['dish-1'\]\nremove \['dish-2'\]\n"]
    for program, says in zip(found, expected, strict=False):
        process = run(program, daemon, tmp_path)
        said, _ = process.communicate(timeout=20)
        assert process.returncode == 0 and re.fullmatch(says, said), said
    (tmp_path / "test_kitchen.py").write_text(found[4])
    ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "trestle.pytest_plugin", tmp_path], env=os.environ | {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, capture_output=True, text=True, timeout=20)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_readme(daemon: Daemon) -> None:
    """The first script prints what the page says, and the second sees what happens."""
    first, watch = (program.replace("ipc:///tmp/trestle/request.sock", daemon.endpoint)
                    for program in programs(README))
    process = run(first, daemon)
    said, _ = process.communicate(timeout=20)
    printed = README.split("$ venv/bin/python first.py\n")[1].split("\n\n")[0]
    assert said.strip() == re.sub(r"^ {4}", "", printed, flags=re.M).strip()
    viewer = run(watch, daemon)
    try:
        assert viewer.stdout
        assert viewer.stdout.readline().startswith("live Joined(revision=3, digest='")
        with daemon.connect() as client:
            client.board("kitchen").add("Cake")
        assert re.fullmatch(r"4 \S+ add \['r4'\]\n", viewer.stdout.readline())
    finally:
        viewer.kill()
        viewer.communicate()
    again = run(first, daemon)
    again.communicate(timeout=20)
    assert again.returncode == 1


@pytest.mark.parametrize("page", ["README.md", "docs/recipes.md", "docs/first-programs.md"])
def test_links(page: str) -> None:
    """Each link in the repository leads to a file."""
    text = (HERE / page).read_text()
    for link in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert ((HERE / page).parent / link).exists(), link
