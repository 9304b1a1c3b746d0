#!/usr/bin/env python3
"""Puts the client for Python into a folder of packages, as pip would: the modules, and what importlib finds of them.

    debian/python.py FOLDER

All that is said of it (version, what it needs, its plugin of pytest) is in pyproject.toml.
"""

import pathlib
import shutil
import sys
import tomllib

CLIENT = pathlib.Path(__file__).resolve().parent.parent / "clients/python"


def metadata(project):
    """What is said of the package, without its extras: Debian has those as packages of their own."""
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    return lines + [f"Requires-Dist: {one}" for one in project["dependencies"]]


def entry_points(project):
    """Where others find parts of it, such as pytest its plugin."""
    groups = {"console_scripts": project.get("scripts", {}), "gui_scripts": project.get("gui-scripts", {}),
              **project.get("entry-points", {})}
    for group, entries in groups.items():
        if entries:
            yield from [f"[{group}]", *(f"{name} = {what}" for name, what in entries.items()), ""]


def main(folder):
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]
    for file in sorted((CLIENT / "src").rglob("*")):
        if file.suffix == ".py" or file.name == "py.typed":
            to = folder / file.relative_to(CLIENT / "src")
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, to)
            to.chmod(0o644)
    info = folder / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    for name, lines in (("METADATA", metadata(project)), ("entry_points.txt", entry_points(project))):
        (info / name).write_text("".join(f"{line}\n" for line in lines))


main(pathlib.Path(sys.argv[1]))
