"""Kinds and settings in the form of a kinds file, in which `trestle kinds -o json` prints them too, for commands.

Only the form is changed here. Which heights, states and actions are in order is the daemon's to say. As for `trestle
define`, what a file does not name stays as it is, and a key without a value (None) goes back to its default.
ValueError: a key is none of a kinds file, or its value has no meaning. TypeError: a value has another form.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from .reply import Reply
from .row import Item
from .swipes import LOOK, each, effects, face, group, in_menu, is_mapping, known, listed, look, mapping, tap, there
from .wire import Json, is_list, is_object

SHOW = ("title", "line", "badge", "detail", "hide", "as", "wrap", "group", "color")
MARGINS: Json = {"text": 20, "bottom": 40}
STATES = ["collapsed", "expanded"]
KIND: Json = {"height": 60, "layout": "auto", "initial": "collapsed", "strip": False, "canMove": True,
              "canDelete": True, "pinned": False, "spacing": 8, "page": "none", "editingStyle": "delete"}
"""Values of a kind that stand on the wire as in a file, with their defaults."""
WORDS: Json = {"swipePolicy": "exclusive", "swipeScope": "shared", "expandPolicy": "independent",
               "expandScope": "shared", "scrollScope": "viewer", "selection": "none"}
"""Values of settings that stand on the wire as in a file, with their defaults."""
MOTION: Json = {"circular": 0.5, "circularFirst": 0, "face": 0, "expand": 0.3, "longPress": 0.5, "lift": 0.3,
                "drop": 0.3, "liftedScale": 1.05, "liftedAlpha": 0.98, "shadowX": -5, "shadowY": 0, "shadowRadius": 5,
                "shadowOpacity": 0.4, "hidesLifted": 1}
SETTINGS = (*WORDS, *LOOK, "motion", "alerts")
PROTOCOLS = {"digest", "look", "faces", "dropFaces", "noAlerts", "pauses"}
"""Keys of settings that no file has below `table`."""


# Kinds.

def state(value: Any, at: str) -> Json:
    """A state of a kind: a word, or a name with a height."""
    return {"name": value} if isinstance(value, str) else there(known(value, at, ("name", "height")))


def emphasis(value: Any, at: str) -> Json:
    """One part of `emphasis`. Without a field the protocol means the row."""
    said = there(known(value, at, ("when", "field", "row", "background", "color", "icon")))
    if bool(said.pop("row", False)) == ("field" in said):
        raise ValueError(f"{at}: either a `field` stands out, or with `row: true` the whole row")
    return said


def item(name: str, value: Any, at: str) -> Json:
    """A kind of items, which is given as a whole."""
    said = there(known(value, at, ("width", "height", "layout", "fields", "badge", "tap", "menu")))
    out: Json = {"name": name} | {key: said[key] for key in said if key not in ("fields", "tap", "menu")}
    if out.get("width") == "intrinsic":
        del out["width"]
    if "fields" in said:
        out["fields"] = {"keys": said["fields"]}
    if "menu" in said:
        out["menu"] = each(said["menu"], f"{at}.menu", in_menu)
    out["tap"], out["tapRepeat"] = tap(said.get("tap"), f"{at}.tap")
    return out


def part(key: str, value: Any, at: str) -> Any:
    """A part of a kind that can be taken away; empty: it is."""
    match key:
        case "leading" | "trailing":
            return group(value, at)
        case "appearance":
            return [{"state": name} | there(known(one or {}, f"{at}.{name}", ("background", "alpha", "tint")))
                    for name, one in mapping(value, at).items()]
        case "show":
            out = there(known(value, at, SHOW))
            return out | ({"line": {"parts": out["line"]}} if "line" in out else {})
        case "emphasis":
            return each(value, at, emphasis)
        case _:
            return listed(value, at)


PARTS = ("leading", "trailing", "appearance", "show", "emphasis", "form")
KEYS = (*KIND, *PARTS, "margins", "states", "ages", "tap", "items", "like")


def kind(name: str, said: Json, at: str) -> Json:
    """One kind, with what of it goes back to its default."""
    out: Json = {"id": name}
    clear: list[str] = []
    for key, value in said.items():
        where = f"{at}.{key}"
        if key in KIND:
            out[key] = KIND[key] if value is None else value
        elif key == "margins":
            margins = known(MARGINS if value is None else value, where, tuple(MARGINS))
            out[key] = {side: MARGINS[side] if points is None else points for side, points in margins.items()}
        elif key == "states":
            # An empty list would stand for none that are said.
            if not (states := each(STATES if value is None else value, where, state)):
                raise ValueError(f"{where}: a kind has at least one state: leave `states` out for the default")
            out[key] = states
        elif key == "ages" and value is not None:
            ages = known(value, where, ("warn", "late", "in", "since"))
            ages = {one: "made" if one == "since" and its is None else its for one, its in ages.items()}
            clear += [one for one, its in ages.items() if its is None or its == []]
            out[key] = {one: its for one, its in ages.items() if one not in clear}
        elif key == "tap":
            out[key], out["tapRepeat"] = tap(value, where)
            clear += [] if out[key] else [key]
        elif key == "items" and value is not None:
            items = mapping(value, where)
            out[key] = [item(one, its, f"{where}.{one}") for one, its in items.items() if its is not None]
            out["dropItems"] = [one for one, its in items.items() if its is None]
        elif value is None or not (made := part(key, value, where)) and key not in ("leading", "trailing"):
            clear.append(key)
        else:
            out[key] = made
    return out | ({"clear": clear} if clear else {})


def beginning_with(model: Json, own: Json) -> Json:
    """What a kind says that begins with all that another one says."""
    out = dict(model)
    for key, value in own.items():
        old = out.get(key)
        if key in ("margins", "ages", "leading", "trailing", "items") and is_object(old) and is_object(value):
            value = {**old, **value}
        out[key] = value
    return out


def kinds(by_name: Any, at: str = "kinds") -> list[Json]:
    """Kinds by their names, for a command `define`. Those in the protocol's form, as in `table.kinds`, stay as they are."""
    whole: dict[str, Json] = {}
    for name, value in mapping(by_name, at).items():
        if is_mapping(value) and value.get("id") == name:
            whole[name] = dict(value)
            continue
        said = {} if value is None else known(value, f"{at}.{name}", KEYS)
        if (like := said.pop("like", None)) is not None:
            if like not in whole or "id" in whole[like]:
                raise ValueError(f"{at}.{name}.like: `{like}` is no kind that stands above this one")
            said = beginning_with(whole[like], said)
        whole[name] = said
    return [said if "id" in said else kind(name, said, f"{at}.{name}") for name, said in whole.items()]


# Parts of a row.

def own_actions(value: Mapping[str, Any]) -> Json:
    """Swipe actions of a row's own, of a file as `trestle set --actions` takes it, or in the protocol's form.

    What fits both forms means the same in both.
    """
    try:
        said = there(known(value, "actions", ("leading", "trailing")))
        return {edge: group(one, f"actions.{edge}") for edge, one in said.items()}
    except (TypeError, ValueError):
        return dict(value)


def own_states(value: Sequence[Any]) -> list[Any]:
    """States of a row's own; a word alone is the name of one. TypeError: it is one word."""
    if isinstance(value, str):
        raise TypeError(f"states: {value!r} is no list")
    return [{"name": one} if isinstance(one, str) else one for one in value]


def own_items(value: Sequence[Item | Mapping[str, Any]]) -> list[Json]:
    """Items of a strip, as rows have them, as `trestle export` prints them, or in the protocol's form."""
    out: list[Json] = []
    for index, one in enumerate(value):
        if isinstance(one, Item):
            held: Json = {"id": one.id, "title": one.title, "kind": one.kind or None, "fields": dict(one.fields)}
            out.append(there(held))
        else:
            held = dict(one)
            if is_list(held.get("tap")):
                held["tap"] = {"effects": effects(held["tap"], f"items[{index}].tap")}
            out.append(held)
    return out


# Settings, and all of it.

def settings(table: Any, at: str = "table") -> Json:
    """A table's settings, for a command `define`. Those in the protocol's form stay as they are."""
    said = mapping(table, at)
    if PROTOCOLS & said.keys():
        return said
    out = {key: WORDS[key] if key in WORDS and value is None else value for key, value in said.items()
           if key not in (*LOOK, "motion", "alerts")}
    if own := look(said, at, clear=True):
        out["look"] = own
    if "motion" in said:
        motion = MOTION if said["motion"] is None else known(said["motion"], f"{at}.motion", tuple(MOTION))
        out["motion"] = {key: MOTION[key] if value is None else float(value) if isinstance(value, bool) else value
                         for key, value in motion.items()}
    if "alerts" in said:
        alerts = [] if said["alerts"] is None else listed(said["alerts"], f"{at}.alerts")
        out |= {"alerts": alerts} if alerts else {"noAlerts": True}
    return out


def document(value: Any) -> Json:
    """A document, or its `kinds` alone, or a reply of `board.kinds()`, as `kinds` and `table` of a command."""
    held = mapping(value["kinds"] if isinstance(value, Reply) else value, "define")
    if held.keys() - {"faces", "kinds", "table"}:
        return {"kinds": kinds(held)}
    if not (said := there(held)):
        raise ValueError("define: expected `kinds`, `table`, `faces` or several of them")
    if is_list(said.get("kinds")):
        return said
    out: Json = {"kinds": kinds(said["kinds"])} if "kinds" in said else {}
    if "table" in said:
        out["table"] = settings(known(said["table"], "table", SETTINGS))
    if "faces" in said:
        faces = mapping(said["faces"], "faces")
        out.setdefault("table", {}).update(
            faces=[{"name": name, "face": face(one, f"faces.{name}")} for name, one in faces.items() if one is not None],
            dropFaces=[name for name, one in faces.items() if one is None])
    return out
