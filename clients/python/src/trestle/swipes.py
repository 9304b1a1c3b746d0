"""Swipe actions with their looks, faces and effects, in the form of a kinds file, for commands (`kinds`)."""

from collections.abc import Callable, Mapping
from math import floor
from typing import Any, TypeGuard

from .tokens import BadToken, tokens
from .wire import Json, is_list, is_object

LOOK = ("style", "width", "spacing", "insets")
GROUP = (*LOOK, "compatible", "fullSwipe", "background", "gap", "actions")
MENU = ("id", "title", "role", "icon", "background", "foreground", "confirm", "repeat", "when", "unless", "effect")
ACTION = (*MENU, *LOOK, "face", "hidesWhenSelected")
CONTENTS = ("vertical", "horizontal", "icon", "text", "spacer", "image", "face")
FACE = (*CONTENTS, "size", "weight", "family", "italic", "color", "align", "spacing", "insets")


def is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    """Whether it is a mapping of any class."""
    return isinstance(value, Mapping)


def mapping(value: Any, at: str) -> Json:
    """The value as a dictionary of its own. TypeError: it is no mapping, or a key is no text."""
    if not is_mapping(value):
        raise TypeError(f"{at}: {value!r} is no mapping")
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"{at}: the key {key!r} is no text")
    return dict(value)


def known(value: Any, at: str, keys: tuple[str, ...]) -> Json:
    """A mapping that has these keys only. ValueError: it has another one."""
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
    """Those that have a value."""
    return {key: value for key, value in said.items() if value is not None}


def texts_by_name(value: Any, at: str) -> Json:
    """A mapping of texts. TypeError: a key or a value is none."""
    if not is_mapping(value):
        raise TypeError(f"{at}: {value!r} is no mapping")
    for key, one in value.items():
        if not isinstance(key, str) or not isinstance(one, str):
            raise TypeError(f"{at}[{key!r}]: {one!r} is no text")
    return dict(value)


def whole_numbers(value: Any, at: str) -> Json:
    """A mapping of whole numbers; 2.0 is one. TypeError: one is none."""
    held = mapping(value, at)
    for key, one in held.items():
        if isinstance(one, float) and one.is_integer():
            held[key] = int(one)
        elif type(one) is not int:
            raise TypeError(f"{at}[{key!r}]: {one!r} is no whole number")
    return held


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
            return {key: {"fields": texts_by_name(what, at)}}
        case "increment":
            return {key: {"by": whole_numbers(what, at)}}
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
