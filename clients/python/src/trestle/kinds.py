"""Kinds and settings in the form of a kinds file, in which `trestle kinds -o json` prints them too, for commands.

Only the form is changed here. Which heights, states and actions are in order is the daemon's to say. As for `trestle
define`, what a file does not name stays as it is, and a key without a value (None) goes back to its default.
ValueError: a key is none of a kinds file, or its value has no meaning. TypeError: a value has another form.
"""

from collections.abc import Callable, Mapping
from math import floor
from typing import Any, TypeGuard

from .reply import Reply
from .tokens import BadToken, tokens
from .wire import Json, is_list, is_object

LOOK = ("style", "width", "spacing", "insets")
GROUP = (*LOOK, "compatible", "fullSwipe", "background", "gap", "actions")
MENU = ("id", "title", "role", "icon", "background", "foreground", "confirm", "repeat", "when", "unless", "effect")
ACTION = (*MENU, *LOOK, "face", "hidesWhenSelected")
CONTENTS = ("vertical", "horizontal", "icon", "text", "spacer", "image", "face")
FACE = (*CONTENTS, "size", "weight", "family", "italic", "color", "align", "spacing", "insets")
SHOW = ("title", "line", "badge", "detail", "hide", "as", "wrap", "group", "color")
MARGINS: Json = {"text": 20, "bottom": 40}
STATES = ["collapsed", "expanded"]
KIND: Json = {"height": 60, "layout": "auto", "initial": "collapsed", "strip": False, "canMove": True,
              "canDelete": True, "pinned": False, "spacing": 8, "page": "none", "editingStyle": "delete"}
"""Values of a kind that stand on the wire as in a file, with their defaults."""
WORDS: Json = {"swipePolicy": "exclusive", "swipeScope": "shared", "expandPolicy": "independent",
               "expandScope": "shared", "scrollScope": "viewer", "selection": "none"}
"""The same of settings."""
MOTION: Json = {"circular": 0.5, "circularFirst": 0, "face": 0, "expand": 0.3, "longPress": 0.5, "lift": 0.3,
                "drop": 0.3, "liftedScale": 1.05, "liftedAlpha": 0.98, "shadowX": -5, "shadowY": 0, "shadowRadius": 5,
                "shadowOpacity": 0.4, "hidesLifted": 1}
SETTINGS = (*WORDS, *LOOK, "motion", "alerts")
PROTOCOLS = {"digest", "look", "faces", "dropFaces", "noAlerts", "pauses"}
"""Keys of settings that no file has below `table`."""


def is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    """Whether it is a mapping of any class."""
    return isinstance(value, Mapping)


def mapping(value: Any, at: str) -> Json:
    """What it holds. TypeError: it is no mapping."""
    if not is_mapping(value):
        raise TypeError(f"{at}: {value!r} is no mapping")
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"{at}: the key {key!r} is no text")
    return dict(value)


def known(value: Any, at: str, keys: tuple[str, ...]) -> Json:
    """The same, of these keys only."""
    held = mapping(value, at)
    for key in held:
        if key not in keys:
            raise ValueError(f"{at}: `{key}` is none of its keys, which are {', '.join(sorted(keys))}")
    return held


def listed(value: Any, at: str) -> list[Any]:
    """A list. TypeError: it is none."""
    if not is_list(value):
        raise TypeError(f"{at}: {value!r} is no list")
    return value


def each(value: Any, at: str, one: Callable[[Any, str], Json]) -> list[Json]:
    """A list, with each part in the protocol's form."""
    return [one(part, f"{at}[{index}]") for index, part in enumerate(listed(value, at))]


def there(said: Json) -> Json:
    """What has a value."""
    return {key: value for key, value in said.items() if value is not None}


def seconds(value: Any, at: str) -> Any:
    """A number of seconds, or those of a duration such as `30s`."""
    if not isinstance(value, str):
        return value
    try:
        first, *rest = tokens(value)
    except BadToken:
        rest = []
    else:
        if first.kind == "duration" and first.written == value and len(rest) == 1:
            return first.value
    raise ValueError(f"{at}: {value!r} is no duration, such as 30s")


def sides(value: Any, at: str) -> list[Any]:
    """Insets: without four numbers the daemon would take them for none."""
    if len(numbers := listed(value, at)) != 4:
        raise ValueError(f"{at}: expected [top, left, bottom, right], found {len(numbers)} numbers")
    return numbers


def look(said: Json, at: str, clear: bool = False) -> Json:
    """The look among the keys, empty where none is; `clear`: a key without a value takes the value away."""
    out: Json = {}
    for key in LOOK:
        value = said.get(key)
        if value is None:
            if clear and key in said:
                out.setdefault("clear", []).append(key)
        elif key == "width" and value in ("intrinsic", "face"):
            out["intrinsic" if value == "intrinsic" else "faceWidth"] = True
        else:
            out[key] = sides(value, f"{at}.{key}") if key == "insets" else value
    return out


# Faces.

def face(value: Any, at: str) -> Json:
    """A face; a word alone is the name of a shared one."""
    if isinstance(value, str):
        return {"face": value}
    out = there(known(value, at, FACE))
    if len(what := [key for key in CONTENTS if key in out]) != 1:
        raise ValueError(f"{at}: expected one of {', '.join(CONTENTS)}, found {', '.join(what) or 'none'}")
    for key in ("vertical", "horizontal"):
        if key in out:
            out[key] = {"parts": each(out[key], f"{at}.{key}", face)}
    if isinstance(out.get("family"), str):
        out["family"] = [out["family"]]
    if "insets" in out:
        out["insets"] = sides(out["insets"], f"{at}.insets")
    if "image" in out:
        image = out["image"] = there(known(out["image"], f"{at}.image", ("path", "png", "grid", "template")))
        if isinstance(png := image.get("png"), str):
            image["png"] = "".join(png.split())
    return out


# Effects and actions.

def effects(value: Any, at: str) -> list[Json]:
    """One effect, or a list of them."""
    return each(value, at, effect) if is_list(value) else [effect(value, at)]


def effect(value: Any, at: str) -> Json:
    """One effect."""
    held = there(mapping(value, at))
    if len(held) != 1:
        raise ValueError(f"{at}: expected one effect, found {', '.join(held) or 'none'}")
    (key, what), = held.items()
    at = f"{at}.{key}"
    match key:
        case "remove" | "removeItem":
            if what is not True:
                raise ValueError(f"{at}: expected true, found {what!r}")
            return held
        case "move":
            return {"moveBack": True} if what == "back" else {"move": there(mapping(what, at))}
        case "set" | "fill" | "setItem":
            return {key: {"fields": mapping(what, at)}}
        case "increment":
            return {key: {"by": {name: int(by) if isinstance(by, float) and by.is_integer() else by
                                 for name, by in mapping(what, at).items()}}}
        case "unset":
            return {key: {"keys": listed(what, at)}}
        case "group":
            return {key: {"effects": effects(what, at)}}
        case "kind" | "expand":
            return held
        case "invoke":
            return {key: invoke(what, at)}
        case "snooze":
            said = known(what, at, ("for", "wake")) if is_object(what) else {"for": what}
            if (wake := said.get("wake")) not in (None, "place", "top"):
                raise ValueError(f"{at}.wake: expected place or top, found {wake!r}")
            forms = {"forMs": floor(float(seconds(said.get("for"), f"{at}.for")) * 1000 + 0.5)}
            return {key: forms | ({"top": True} if wake == "top" else {})}
        case _:
            raise ValueError(f"{at}: there is no such effect")


def invoke(value: Any, at: str) -> Json:
    """A handler's part, and how often it is tried."""
    said = there(known(value, at, ("deadline", "attempts", "backoff", "then", "else")))
    out: Json = {key: seconds(said[key], f"{at}.{key}") for key in ("deadline",) if key in said}
    if "then" in said:
        out["then"] = effects(said["then"], f"{at}.then")
    retries = {key: said[key] for key in ("attempts",) if key in said}
    if "backoff" in said:
        retries["backoff"] = seconds(said["backoff"], f"{at}.backoff")
    if "else" in said:
        retries["else"] = effects(said["else"], f"{at}.else")
    return out | ({"retries": retries} if retries else {})


def action(value: Any, at: str, keys: tuple[str, ...] = ACTION) -> Json:
    """An action at an edge of a row or, with the keys of `MENU`, in a menu."""
    said = known(value, at, keys)
    out = there({key: said[key] for key in said if key not in (*LOOK, "face", "effect")})
    if "unless" in out and "when" not in out:
        raise ValueError(f"{at}: `unless` says why a press is refused: `when` is missing")
    if own := look(said, at):
        out["look"] = own
    if said.get("face") is not None:
        out["face"] = face(said["face"], f"{at}.face")
    if said.get("effect") is not None:
        out["effect"] = effects(said["effect"], f"{at}.effect")
    return out


def in_menu(value: Any, at: str) -> Json:
    """An action in the menu of an item."""
    return action(value, at, MENU)


def group(value: Any, at: str) -> Json:
    """The actions of one edge."""
    said = known(value, at, GROUP)
    out: Json = {}
    if own := look(said, at, clear=True):
        out["look"] = own
    for key in ("compatible", "fullSwipe"):
        if key in said:
            out[key] = False if said[key] is None else said[key]
    actions = said.get("actions")
    parts: Json = {"actions": None if actions is None else each(actions, f"{at}.actions", action) or None}
    parts |= {key: said.get(key) for key in ("background", "gap")}
    out |= there(parts)
    if cleared := [key for key in parts if key in said and parts[key] is None]:
        out["clear"] = cleared
    return out


def tap(value: Any, at: str) -> tuple[list[Json], bool]:
    """Effects, and whether they may be done again at once."""
    if value is None:
        return [], False
    if is_object(value) and ("effect" in value or "repeat" in value):
        said = known(value, at, ("effect", "repeat"))
        return effects(said.get("effect"), f"{at}.effect"), bool(said.get("repeat"))
    return effects(value, at), False


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
            ages = {one: "made" if one == "since" and is_in is None else is_in for one, is_in in ages.items()}
            clear += [one for one, is_in in ages.items() if is_in is None or is_in == []]
            out[key] = {one: is_in for one, is_in in ages.items() if one not in clear}
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
    """Kinds by their names, for a command `define`."""
    whole: dict[str, Json] = {}
    for name, value in mapping(by_name, at).items():
        said = {} if value is None else known(value, f"{at}.{name}", KEYS)
        if (like := said.pop("like", None)) is not None:
            if like not in whole:
                raise ValueError(f"{at}.{name}.like: `{like}` is no kind that stands above this one")
            said = beginning_with(whole[like], said)
        whole[name] = said
    return [kind(name, said, f"{at}.{name}") for name, said in whole.items()]


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
        motion = MOTION if said["motion"] is None else mapping(said["motion"], f"{at}.motion")
        out["motion"] = {key: MOTION.get(key) if value is None else float(value) if isinstance(value, bool) else value
                         for key, value in motion.items()}
    if "alerts" in said:
        alerts = [] if said["alerts"] is None else listed(said["alerts"], f"{at}.alerts")
        out |= {"alerts": alerts} if alerts else {"noAlerts": True}
    return out


def document(value: Any) -> Json:
    """What a document says, or a reply of `board.kinds()` or its `kinds`, as `kinds` and `table` of a command."""
    if isinstance(value, Reply):
        value = value["kinds"]
    said = there(mapping(value, "define"))
    if not said or said.keys() - {"faces", "kinds", "table"}:
        raise ValueError("define: expected `kinds`, `table`, `faces` or several of them, "
                         f"found {', '.join(said) or 'none'}; kinds by their names are given as `kinds=`")
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
