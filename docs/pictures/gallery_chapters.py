"""What gallery.html shows, chapter by chapter. A chapter is a function in CHAPTERS; ids of figures are
what docs/RULES.md links to.
"""

import json
import re

PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAYAAAB/qH1jAAAAEklEQVR42mP4z8DwHxkzoAsAAA8hD/H+RRRj"
       "AAAAAElFTkSuQmCC")
STYLES, EDGES, PARTS = ("default", "circular", "custom"), ("leading", "trailing"), (0, 25, 50, 75, 100)
ACTIONS = [
    {"id": "bump", "title": "Bump", "icon": "checkmark", "background": "#237a4b"},
    {"id": "page", "title": "Page", "icon": "bell", "background": "#b45f06"},
    {"id": "void", "title": "Void", "icon": "trash", "role": "destructive"},
]
LONG = "Two burgers, one without onions, and a portion of fries for the table by the window"


def row(title="Two burgers", **more):
    """A row as an export has it."""
    return {"kind": "k", "title": title, "fields": {"table": "4"}} | more


def group(style, **more):
    """Actions in a style, with what suits it."""
    insets = {"insets": [6, 0, 6, 0]} if style == "custom" else {}
    return {"style": style, "width": 56, "spacing": 8, "actions": ACTIONS} | insets | more


def opened(gallery, anchor, caption, group, edge="trailing", height=76, **definitions):
    """A row that is swiped open."""
    kind = {"height": height, edge: group}
    table = gallery.table({"k": kind}, [row(swipe=edge)], **definitions)
    gallery.picture(anchor, caption, table)


# Swiping


def styles(gallery):
    gallery.chapter("styles", "Styles and edges", "The viewer's own look, circles, and faces of their "
                    "own, at both edges. The first action is at the edge.")
    for style in STYLES:
        for edge in EDGES:
            opened(gallery, f"style-{style}-{edge}", f"{style}, {edge}", group(style), edge)
    mixed = [action | {"style": style} for action, style in zip(ACTIONS, STYLES)]
    opened(gallery, "mixed", "default, circular and custom in one group", group("default", actions=mixed))
    own = {"trailing": {"style": "circular", "width": 52, "actions": [ACTIONS[1] | {"title": "Mine"}]}}
    table = gallery.table({"k": {"height": 76, "trailing": group("default")}},
                          [row("As its kind", swipe="trailing"),
                           row("With an action of its own", actions=own, swipe="trailing")],
                          table={"swipePolicy": "multiple"})
    gallery.picture("own-actions", "the kind's actions, and a row's own", table)
    looks = [ACTIONS[0], ACTIONS[1] | {"style": "custom", "spacing": 20}]
    opened(gallery, "looks", "table: circular; group: spacing 4; Page itself: custom, spacing 20",
           {"spacing": 4, "actions": looks}, table={"style": "circular", "width": 56})


def sizes(gallery):
    gallery.chapter("sizes", "Widths, spacing, circles, insets", "Numbers that are said, and what becomes "
                    "of those that do not fit.")
    for width, words in (74, "74"), (0, "0 or less is 74"), (44, "44"), ("intrinsic", "of the titles"):
        name = "intrinsic" if width == "intrinsic" else f"{width}"
        opened(gallery, f"width-{name}", f"width: {words}", group("default", width=width, spacing=0))
    for spacing in (0, 8, 20):
        opened(gallery, f"spacing-{spacing}", f"spacing {spacing}: part of what is pressed, not of the circle",
               group("circular", spacing=spacing, width=48))
    circle = {"style": "circular", "width": 74, "actions": ACTIONS[:2]}
    opened(gallery, "circle-fits", "a circle of 74 in a row of 44 fits the row", circle, height=44)
    opened(gallery, "circle-compatible", "compatible: it overflows, as in the article",
           circle | {"compatible": True}, height=44)
    for name, insets, words in (
            ("insets", [6, 0, 6, 0], "insets 6 above and below"),
            ("insets-height", [40, 0, 40, 0], "insets that leave no height: all of it"),
            ("insets-width", [0, 40, 0, 40], "insets that leave no width: none, and it is reported")):
        opened(gallery, name, words,
               {"style": "custom", "width": 74, "insets": insets, "actions": ACTIONS[:2]}, height=60)


def pull_view(gallery):
    gallery.chapter("pull-view", "Behind the row", "A colour for the whole group, and the space between the "
                    "sliding row and its first button.")
    for gap in (0, 16, 40):
        opened(gallery, f"gap-{gap}", f"gap {gap}, background #d9e6ff",
               group("circular", width=48, gap=gap, background="#d9e6ff"))
    opened(gallery, "gap-leading", "gap 16 at the leading edge",
           group("circular", width=48, gap=16, background="#ffe6cc"), "leading")
    for policy in ("exclusive", "multiple"):
        rows = [row(name) for name in ("Soup", "Fish", "Roast")]
        table = gallery.table({"k": {"height": 60, "trailing": group("default", width=48)}}, rows,
                              table={"swipePolicy": policy})
        for name in ("r0", "r2"):
            gallery.trestle("swipe", table, name, "--trailing")
        gallery.picture(f"policy-{policy}", f"{policy}: the first row was opened, then the last", table)


def reveal(gallery):
    gallery.chapter("reveal", "While a row is being revealed", "Frames of the motion, to be laid beside a "
                    "phone: a thumb at 0, 25, 50, 75 and 100 % of the way.")
    films = [(f"reveal-{style}-{edge}", f"{style}, {edge}", edge, group(style, gap=8))
             for style in STYLES for edge in EDGES]
    mixed = [action | {"style": style} for action, style in zip(ACTIONS, STYLES)]
    films += [("reveal-mixed", "styles mixed", "trailing", group("default", actions=mixed)),
              ("reveal-gap", "circles, a gap of 24 and a background", "trailing",
               group("circular", width=48, gap=24, background="#d9e6ff"))]
    for anchor, caption, edge, actions in films:
        table = gallery.table({"k": {"height": 76, edge: actions}}, [row(swipe=edge)])
        gallery.film(anchor, caption, [
            (part, gallery.drawing(table, "--reveal", str(part))) for part in PARTS])


def lifted(gallery):
    gallery.chapter("lifted", "While a row is being lifted", "A row on its way up, by the motion profile that "
                    "<code>kinds -o json</code> has: scale, alpha and shadow. This page moves the row; the "
                    "numbers are the product's.")
    table = gallery.table({"k": {"height": 60}}, [row("Two burgers")])
    motion = json.loads(gallery.trestle("-o", "json", "kinds", table))["table"]["motion"]
    frames = []
    for part in PARTS:
        at = part / 100
        scale, alpha = (1 + (motion[key] - 1) * at for key in ("liftedScale", "liftedAlpha"))
        x, y, blur, dark = (
            motion[key] * at for key in ("shadowX", "shadowY", "shadowRadius", "shadowOpacity"))
        look = (f"transform:scale({scale:.4f});opacity:{alpha:.4f};"
                f"filter:drop-shadow({x:g}px {y:g}px {blur:g}px rgba(0,0,0,{dark:.2f}))")
        frames.append((part, f'<i style="{look}">{gallery.drawing(table)}</i>'))
    gallery.film("lift-frames", "lift and drop: {lift} s, scale {liftedScale}, alpha {liftedAlpha}".format(
        **motion), frames, " lifted")


# Faces


def faces(gallery):
    gallery.chapter("faces", "Faces", "Layouts of icons, images and text, filled in from their row.")
    shared = {"big": {"vertical": [{"icon": "bell", "size": 24}, {"text": "Page", "size": 13}]}}
    all_faces = {
        "stack": ("icon above text", shared["big"]),
        "beside": ("icon beside text",
                   {"horizontal": [{"icon": "trash", "size": 18}, {"text": "Void", "size": 13}]}),
        "spacer": ("a spacer, aligned at the left", {"vertical": [
            {"text": "up", "size": 11}, {"spacer": 8}, {"text": "longer", "size": 11}],
            "align": "leading"}),
        "shared": ("a shared face, in a colour of its own", {"face": "big", "color": "#ffb1a8"}),
        "values": ("values of the row: {title}, {table}, and {nobody}, which is empty", {"vertical": [
            {"text": "{title}", "weight": "bold"}, {"text": "table {table}{nobody}"}]}),
        "fonts": ("families, weights, italic", {"vertical": [
            {"text": "Georgia", "family": ["Georgia", "serif"], "italic": True, "size": 14},
            {"text": "Courier", "family": ["Courier New", "monospace"], "size": 14},
            {"text": "heavy", "weight": "heavy", "size": 14}]}),
        "path": ("a path in its colour", {
            "image": {"path": "M3 20L12 4l9 16z"}, "size": 32, "color": "orange"}),
        "path-template": ("a path, tinted", {
            "image": {"path": "M3 20L12 4l9 16z", "template": True}, "size": 32}),
        "png": ("a PNG", {"image": {"png": PNG}, "size": 24}),
        "png-template": ("a PNG, tinted", {"image": {"png": PNG, "template": True}, "size": 24}),
    }
    for name, (caption, face) in all_faces.items():
        action = {"id": "a", "title": "Page", "style": "custom", "width": "face", "background": "#2b5fb0",
                  "foreground": "#ffffff", "insets": [4, 8, 4, 8], "face": face}
        opened(gallery, f"face-{name}", caption, {"actions": [action]}, faces=shared)
    kind = {"height": 44, "states": ["collapsed", {"name": "high", "height": 100}], "trailing": {
        "style": "custom", "width": 90, "insets": [4, 4, 4, 4],
        "actions": [{"id": "a", "background": "#2b5fb0", "face": shared["big"]}]}}
    table = gallery.table({"k": kind}, [row("Low", swipe="trailing"),
                                        row("High", swipe="trailing", expand="high")],
                          table={"swipePolicy": "multiple"})
    gallery.picture("face-heights", "one face at two heights: laid out anew, never tiled", table)


def icons(gallery):
    gallery.chapter("icons", "Icons", "All names of <code>trestle kinds --icons</code>.")
    names = [icon["name"] for icon in json.loads(gallery.trestle("-o", "json", "kinds", "--icons"))["icons"]]
    rows, kinds = [], {}
    for start in range(0, len(names), 3):
        few = [{"id": name, "icon": name, "title": name, "background": "#3a4a63"}
               for name in names[start:start + 3]]
        kinds[f"k{start}"] = {"height": 60, "states": ["collapsed"], "trailing": {
            "width": 96, "actions": few[::-1]}}
        rows.append(row(" ", kind=f"k{start}", fields={}, swipe="trailing"))
    for start in range(0, len(rows), 5):
        part = rows[start:start + 5]
        table = gallery.table({one["kind"]: kinds[one["kind"]] for one in part}, part,
                              table={"swipePolicy": "multiple"})
        shown = names[3 * start:3 * start + 15]
        gallery.picture(f"icons-{start // 5 + 1}", f"{shown[0]} to {shown[-1]}", table)


# Rows


def states(gallery):
    gallery.chapter("states", "States and heights", "Heights are measured, never estimated.")
    kind = {"states": ["collapsed", {"name": "summary", "height": 100}, "expanded"]}
    fields = {"table": "4", "server": "Ana", "order": "1041"}
    for state in ("collapsed", "summary", "expanded", "140"):
        table = gallery.table({"k": kind}, [row(LONG, expand=state, fields=fields)])
        gallery.picture(f"state-{state}", state if state != "140" else "a height of its own: 140", table)
    for layout in ("auto", "manual"):
        table = gallery.table({"k": {"layout": layout}}, [row("", expand="expanded", fields={"table": "4"})])
        gallery.picture(f"layout-{layout}", f"{layout}, without a title", table)
    own = [{"name": "high", "height": 110}, "collapsed"]
    table = gallery.table({"k": {}}, [row("As its kind: collapsed"),
                                      row("With states of its own, and in `high`", states=own,
                                          expand="high")])
    gallery.picture("own-states", "a row with states of its own", table)
    table = gallery.table({"k": {}}, [row("Soup"), row("Fish"), row("Roast")],
                          table={"expandPolicy": "accordionTable"})
    for name in ("r0", "r1"):
        gallery.trestle("expand", table, name, "--to", "expanded")
    gallery.picture("accordion", "an accordion: Soup was opened, then Fish", table)


def appearance(gallery):
    gallery.chapter("appearance", "Colours of a state", "Background, tint of the text, and the alpha of what "
                    "a collapsed row hides.")
    looks = {
        "collapsed": {"background": "#eef4ff"},
        "summary": {"background": "#fff1d6", "tint": "#7a4a00", "alpha": 0.5},
        "expanded": {"background": "#1f3b2c", "tint": "#d8ffe6"},
    }
    kind = {"states": ["collapsed", {"name": "summary", "height": 120}, "expanded"], "appearance": looks}
    for state in looks:
        table = gallery.table({"k": kind}, [row(LONG, expand=state)])
        gallery.picture(f"appearance-{state}", f"{state}: {json.dumps(looks[state])}", table)
    for alpha in (0, 0.25, 0.5, 1):
        kind = {"appearance": {"expanded": {"alpha": alpha}}}
        table = gallery.table({"k": kind}, [row(LONG, expand="expanded")])
        gallery.picture(f"alpha-{round(alpha * 100)}", f"expanded, alpha {alpha}", table)


def marks(gallery):
    gallery.chapter("marks", "Results and marks", "What was performed on a row, how old it is, and what is "
                    "pinned.")
    action = {"id": "page", "title": "Page", "effect": {"invoke": {"deadline": 300}}}
    done = {"id": "bump", "title": "Bump", "effect": {"set": {"state": "done"}}}
    kind = {"height": 60, "trailing": {"actions": [action, done]}}
    rows = [row("Under way"), row("Done"), row("Failed", performed=[
        {"action": "page", "state": "failed", "reason": "no pager answers"}])]
    table = gallery.table({"k": kind}, rows)
    gallery.trestle("act", table, "r0", "page")
    gallery.trestle("act", table, "r1", "bump")
    gallery.picture("performed", "under way, done, failed and why", table)
    kinds = {"k": {}, "warned": {"ages": {"warn": 1}}, "late": {"ages": {"warn": 1, "late": 2}},
             "pinned": {"pinned": True}}
    table = gallery.table(kinds, [row(kind, kind=kind, createdMs=1) for kind in kinds])
    gallery.picture("ages", "a row, one that waits too long, one that is late, one that is pinned", table)
    titles = ["羊肉串と味噌汁、天ぷら", "שלום עולם", "👨‍👩‍👧 🇩🇪 🍟", "\u202etxt.exe \x07", ""]
    table = gallery.table({"k": {"height": 52}}, [row(title) for title in titles])
    gallery.picture("titles", "wide, from right to left, emoji, dangerous characters, none", table)


def editing(gallery):
    gallery.chapter("editing", "Edit mode", "The control that <code>editingStyle</code> says, and a grip on "
                    "what moves.")
    kinds = {"k": {"height": 52}, "slot": {"height": 52, "editingStyle": "insert"},
             "bare": {"height": 52, "editingStyle": "none"}, "kept": {"height": 52, "canDelete": False},
             "pinned": {"height": 40, "pinned": True}, "fixed": {"height": 52, "canMove": False}}
    rows = [row("Pinned: no grip", kind="pinned", fields={}), row("delete, the default"),
            row("insert", kind="slot"), row("none", kind="bare"), row("canDelete: false", kind="kept"),
            row("canMove: false", kind="fixed"), row(LONG, expand="expanded")]
    for name, words in ("off", "edit mode is off"), ("on", "edit mode: each kind's control and grip"):
        table = gallery.table(kinds, rows)
        gallery.trestle("edit", table, f"--{name}")
        gallery.picture(f"editing-{name}", words, table, whole=True)


def strips(gallery):
    gallery.chapter("strips", "Strips", "Rows that scroll sideways.")
    items = [{"id": name, "title": name.capitalize()}
             for name in ("soup", "fish", "roast", "cheese", "cake")]
    kind = {"strip": True, "height": 92, "states": ["collapsed"], "trailing": group("default", width=48)}
    scope = {"scrollScope": "shared"}
    table = gallery.table({"k": kind}, [row("Table 12", items=items)], table=scope)
    gallery.picture("strip", "at its beginning", table)
    gallery.trestle("scroll", table, "r0", "--item", "fish", "--fraction", "0.5")
    gallery.picture("strip-scrolled", "half of Fish further", table)
    gallery.trestle("swipe", table, "r0", "--trailing")
    gallery.picture("strip-swiped", "swiped at its end", table)
    table = gallery.table({"k": kind | {"height": 44}}, [row("Table 12", items=items[:2])])
    gallery.picture("strip-low", "a low one, without a title", table)
    table = gallery.table({"k": kind}, [row("Table 13")])
    gallery.picture("strip-empty", "without items", table)


def cells(gallery):
    gallery.chapter("cells", "Cells", "Items of a kind: a width and a height of their own, the fields that "
                    "they show, and a badge.")
    kinds = {
        "dish": {"width": 132, "height": 74, "fields": ["note", "state"], "badge": "qty"},
        "drink": {"layout": "auto", "fields": ["state"], "badge": "qty"},
        "tall": {"width": 84, "height": 200},
    }
    items = [
        {"id": "water", "kind": "drink", "title": "Water", "fields": {"qty": "4"}},
        {"id": "sole", "kind": "dish", "title": "Sole, no butter",
         "fields": {"note": "ALLERGY: milk", "qty": "1", "state": "served"}},
        {"id": "tall", "kind": "tall", "title": "Too high"},
        {"id": "plain", "title": "No kind"},
        {"id": "ribeye", "kind": "dish", "title": "Ribeye", "fields": {"note": "rare", "qty": "12"}},
    ]
    for spacing in (10, 0, 30):
        kind = {"strip": True, "height": 128, "states": ["collapsed"], "spacing": spacing, "items": kinds}
        table = gallery.table({"k": kind}, [row("Table 12", items=items)])
        gallery.picture(f"cells-{spacing}", f"a drink, a dish, one that is cut to the room; spacing {spacing}",
                        table)
    few = [{"id": f"i{n}", "kind": "dish", "title": f"Course {n}"} for n in range(1, 7)]
    for page in ("none", "item", "width"):
        kind = {"strip": True, "height": 128, "states": ["collapsed"], "page": page, "items": kinds}
        table = gallery.table({"k": kind}, [row(f"page: {page}", items=few)], table={"scrollScope": "shared"})
        gallery.trestle("scroll", table, "r0", "--item", "i2", "--fraction", "0.7")
        strip = json.loads(gallery.trestle("-o", "json", "layout", table, "--width", "320"))["rows"][0]["strip"]
        item = [one for one in strip["items"] if one["x"] <= strip["rest"]][-1]
        fraction = (strip["rest"] - item["x"]) / (item["width"] + strip["spacing"])
        gallery.trestle("scroll", table, "r0", "--item", item["id"], "--fraction", f"{fraction:.6f}")
        gallery.picture(f"cells-page-{page}", f"page {page}: where a scroll by 0.7 of the second comes to rest",
                        table)


def selected(gallery):
    gallery.chapter("selected", "What is selected", "With <code>selection: shared</code> every screen shows it.")
    strip = {"strip": True, "height": 92, "states": ["collapsed"]}
    rows = [row("Two burgers"), row("Soup"),
            row("Table 12", kind="strip",
                items=[{"id": name, "title": name.capitalize()} for name in ("soup", "fish", "roast")])]
    for name, chosen, words in (("row", ("r1",), "a row"), ("item", ("r2/fish",), "an item")):
        table = gallery.table({"k": {"height": 60}, "strip": strip}, rows, table={"selection": "shared"})
        gallery.trestle("select", table, *chosen)
        gallery.picture(f"selected-{name}", words, table)


# The order of the page. Whoever builds more adds a function here.
CHAPTERS = [styles, sizes, pull_view, reveal, lifted, faces, icons, states, appearance, marks, editing, strips,
            cells, selected]
