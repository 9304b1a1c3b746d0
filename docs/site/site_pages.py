"""What the site has, in the order in which it is read: groups of pages, each from a file of the repository.

A page that is not here is still made if a link leads to it. It then stands in no list.
"""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Group, then (file, page, name in lists).
GROUPS = [
    ("Start", [
        ("docs/site/front.md", "index.html", "Overview"),
        ("README.md", "start.html", "Getting started"),
    ]),
    ("Tutorials", [
        ("docs/tutorials/kitchen.md", "tutorials/kitchen.html", "A kitchen"),
        ("docs/tutorials/dispatch.md", "tutorials/dispatch.html", "Dispatch"),
        ("docs/tutorials/jobs.md", "tutorials/jobs.html", "A job queue"),
        ("docs/tutorials/lab.md", "tutorials/lab.html", "A lab instrument"),
    ]),
    ("Guide", [
        ("docs/VIEW.md", "guide/view.html", "The terminal viewer"),
        ("docs/BROWSER.md", "guide/browser.html", "The board in a browser"),
        ("docs/ACTIONS.md", "guide/actions.html", "Swipe actions"),
        ("docs/FACES.md", "guide/faces.html", "Faces of actions"),
        ("docs/PREDICATES.md", "guide/predicates.html", "Predicates"),
        ("docs/ROWS.md", "guide/rows.html", "What rows show"),
        ("docs/SESSIONS.md", "guide/sessions.html", "Recorded sessions"),
        ("docs/ACCESS.md", "guide/access.html", "Who may do what"),
        ("docs/REMOTE.md", "guide/remote.html", "From another machine"),
        ("docs/OPERATION.md", "guide/operation.html", "Operation"),
        ("docs/PERSONAL-DATA.md", "guide/personal-data.html", "Personal data"),
        ("docs/CARE.md", "guide/care.html", "Care"),
        ("docs/CLUSTER.md", "guide/cluster.html", "Several daemons"),
        ("docs/STANDBY.md", "guide/standby.html", "A warm standby"),
    ]),
    ("Recipes", [
        ("docs/RECIPES.md", "recipes.html", "Recipes"),
        ("clients/python/docs/first-programs.md", "first-programs-python.html", "First programs in Python"),
        ("clients/python/docs/recipes.md", "recipes-python.html", "Recipes in Python"),
    ]),
    ("Reference", [
        ("(manual)", "man/index.html", "Manual pages"),
        ("docs/VERBS.md", "reference/verbs.html", "Verbs of the protocol"),
        ("docs/NAMES.md", "reference/names.html", "Names"),
        ("clients/python/README.md", "reference/python.html", "The client in Python"),
        ("web/README.md", "reference/web.html", "The page's modules"),
    ]),
    ("Protocol", [
        ("docs/PROTOCOL.md", "protocol.html", "The protocol"),
        ("docs/MESSAGES.md", "messages.html", "Messages, field by field"),
        ("docs/CORNERS.md", "corners.html", "Corners of the two forms"),
        ("docs/LAYOUT.md", "layout.html", "Heights and frames"),
        ("docs/GATEWAY.md", "gateway.html", "The gateway's socket"),
    ]),
    ("Inside", [
        ("docs/ARCHITECTURE.md", "inside/architecture.html", "Architecture"),
        ("docs/RULES.md", "inside/rules.html", "Rules and laws"),
        ("docs/BENCHMARKS.md", "inside/benchmarks.html", "Benchmarks"),
        ("(decisions)", "decisions/index.html", "Decisions"),
        ("CONTRIBUTING.md", "inside/contributing.html", "Contributing"),
        ("CHANGELOG.md", "inside/changes.html", "Changes"),
    ]),
]

# What the manual's list is divided into, by section.
MANUAL = [
    ("Programs and verbs", "1"), ("Daemon and gateway", "8"), ("Files", "5"), ("Concepts", "7"),
]

# Pictures that pages show are copied: a folder of the repository, a folder of the site, which files.
COPIED = [("docs/pictures", "pictures", (".svg", ".png", ".html"))]


def decisions():
    return sorted((ROOT / "docs/decisions").glob("*.md"))


def places():
    """From a file of the repository to its page, in reading order but for the manual."""
    found = {}
    for _, pages in GROUPS:
        for source, page, _ in pages:
            found[source] = page
            if source == "(decisions)":
                for path in decisions():
                    found[f"docs/decisions/{path.name}"] = f"decisions/{path.stem}.html"
    found["docs/decisions"] = "decisions/index.html"
    found["docs/man"] = "man/index.html"
    return found
