"""The verbs that change a table, as typed methods. They are written once for all that takes commands:

    Board[Reply], Board[Awaitable[Reply]]   one command each, carried out at once
    Batch                                   collects them: one revision, or nothing
    Trial                                   asks what they would do

Ids, titles and fields are texts. Where a row goes is told by one of `top`, `bottom`, `before` (a row),
`after` (a row), and by `section`. What is left out stays as it is, or is the table's to choose.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from .kinds import document, own_actions, own_items, own_states, settings
from .kinds import kinds as kinds_by_name
from .reply import Reply
from .row import Item
from .swipes import texts_by_name
from .wire import Json

R = TypeVar("R", covariant=True)


def given(**values: Any) -> Json:
    """Those values that are not None."""
    return {key: value for key, value in values.items() if value is not None}


def texts(**values: str | None) -> Json:
    """Those values that are not None. TypeError: one is no text. The daemon could not say which."""
    for key, value in given(**values).items():
        if not isinstance(value, str):
            raise TypeError(f"{key}: {value!r} is no text")
    return given(**values)


def ids(key: str, values: Sequence[Any]) -> list[str]:
    """A list of texts. TypeError: one is none, or it is one text."""
    if isinstance(values, str) or not all(isinstance(one, str) for one in values):
        raise TypeError(f"{key}: {values!r} is no list of texts")
    return list(values)


def pairs(fields: Mapping[Any, Any] | None) -> Json | None:
    """Fields, if there are any. TypeError: a key or a value is no text."""
    return None if fields is None else texts_by_name(fields, "fields")


def conditions(version: int | None, claimed: bool, if_: str | None) -> Json:
    """The conditions on a row, as commands name them."""
    return given(ifVersion=version, ifClaimed=claimed or None) | ({} if if_ is None else {"if": if_})


def anchor(top: bool, bottom: bool, before: str | None, after: str | None,
           section: str | None) -> Json:
    """A place, as commands name it. ValueError: more than one was named."""
    places = given(top=top or None, bottom=bottom or None) | texts(before=before, after=after)
    if len(places) > 1:
        raise ValueError(f"one place at a time: {', '.join(places)}")
    return places | texts(section=section)


class Verbs(Generic[R]):
    """A taker of commands. Each method gives what `command` gives."""

    def command(self, verb: str, **fields: Any) -> R:
        """Any command, with its fields as docs/PROTOCOL.md names them: `command("set", row="t41", title="Tea")`."""
        return self._do({verb: fields})

    def _do(self, command: Json) -> R:
        raise NotImplementedError

    # Rows.

    def add(self, title: str = "", *, id: str | None = None, kind: str | None = None,
            section: str | None = None, top: bool = False, bottom: bool = False, before: str | None = None,
            after: str | None = None, fields: Mapping[str, str] | None = None,
            items: Sequence[Item | Mapping[str, Any]] | None = None, actions: Mapping[str, Any] | None = None,
            states: Sequence[Mapping[str, Any] | str] | None = None, expand: str | None = None,
            carried: Json | None = None, hint: str | None = None) -> R:
        """Adds a row. Without `id` the table makes one: `reply.row`. Without a place it goes to the bottom.

        `items`, `actions` and `states` are as rows have them, as files have them, or in the protocol's form.
        `hint` says how viewers show it coming: `fade`, `left`, `right`, `top`, `bottom` or `none`.
        """
        return self._do({"add": texts(title=title, id=id, kind=kind, expand=expand, hint=hint) | given(
            fields=pairs(fields), items=None if items is None else own_items(items),
            actions=None if actions is None else own_actions(actions),
            states=None if states is None else own_states(states), carried=carried) | anchor(top, bottom, before, after, section)})

    def set(self, row: str, *, title: str | None = None, kind: str | None = None,
            fields: Mapping[str, str] | None = None, unset: Sequence[str] | None = None,
            actions: Mapping[str, Any] | None = None, states: Sequence[Mapping[str, Any] | str] | None = None) -> R:
        """Sets what is given. Keys in `unset` go; `states=[]` gives the row its kind's again."""
        return self._do({"set": texts(row=row, title=title, kind=kind) | given(
            fields=pairs(fields), unset=unset and ids("unset", unset),
            actions=None if actions is None else own_actions(actions),
            states=None if states is None else {"states": own_states(states)})})

    def remove(self, *rows: str, hint: str | None = None) -> R:
        """Removes rows. `hint` as in `add`."""
        return self._do({"remove": {"rows": ids("rows", rows), **texts(hint=hint)}})

    def move(self, *rows: str, top: bool = False, bottom: bool = False, before: str | None = None,
             after: str | None = None, section: str | None = None, strict: bool = False) -> R:
        """The rows stand in the order given, at the place. `strict`: refused where the anchor has gone."""
        return self._do({"move": {"rows": ids("rows", rows), **anchor(top, bottom, before, after, section),
                                  **given(strict=strict or None)}})

    def swap(self, a: str, b: str) -> R:
        """Each stands where the other stood."""
        return self._do({"swap": texts(a=a, b=b)})

    def swipe(self, row: str, edge: str) -> R:
        """Opens one side (`leading`, `trailing`), or closes (`closed`)."""
        return self._do({"swipe": texts(row=row, edge=edge)})

    def expand(self, row: str, to: str | None = None) -> R:
        """Puts the row into a state: `collapsed`, `expanded`, one of its kind, a height. Without: the next."""
        return self._do({"expand": texts(row=row, to=to) | given(toggle=True if to is None else None)})

    def expand_all(self, open: bool = True) -> R:
        """Every row to `expanded`, or to `collapsed`, if its kind has that state."""
        return self._do({"expandAll": {"open": open}})

    def edit(self, on: bool = True) -> R:
        """Edit mode: while it is on, no swipe is opened and no action performed."""
        return self._do({"edit": {"on": on}})

    def each(self, where: str, verb: str, *, section: str | None = None, limit: int | None = None,
             **fields: Any) -> R:
        """Carries a command out on each row that a condition fits, in one revision: `set`, `remove`, `move`, `act`,
        `claim`, `recall`, `retry` or `snooze`, with its fields as docs/PROTOCOL.md names them, but without rows.

            board.each('field.driver == "7"', "set", fields={"driver": "9"})

        The daemon looks for the rows when it carries the command out. `limit`: only the first so many.
        """
        return self._do({"each": texts(where=where, section=section) | given(limit=limit) | {verb: fields}})

    # Sections and definitions.

    def section(self, id: str, title: str | None = None) -> R:
        """Makes a section, or sets its title."""
        return self._do({"section": texts(id=id, title=title)})

    def remove_section(self, id: str) -> R:
        """Removes an empty section."""
        return self._do({"removeSection": texts(id=id)})

    def define(self, definitions: Reply | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None, /, *,
               kinds: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None, drop: Sequence[str] | None = None,
               table: Mapping[str, Any] | None = None) -> R:
        """Registers kinds or changes what they name, drops kinds, changes the table's settings.

            board.define(json.loads(printed))       # what `trestle kinds -o json` prints, or a kinds file
            board.define(other.kinds())             # a reply, which says all of its kinds and settings
            board.define(kinds={"ticket": {"height": 76}}, table={"swipePolicy": "multiple"})
            board.define(kinds=viewer.table.kinds, table=viewer.table.settings)
            board.define([{"id": "ticket", "height": 76}])

        Kinds are given by their names, as in a kinds file, or as a list in the protocol's form; settings in either form.
        As for `trestle define`, what is not named stays as it is, and a key that is None goes back to its default.
        ValueError: a key or a value is none of a kinds file. TypeError: a value has another form.
        """
        whole: Json = {}
        if isinstance(definitions, (Reply, Mapping)):
            whole = document(definitions)
        elif definitions is not None:
            whole = {"kinds": definitions}
        said = given(kinds=kinds_by_name(kinds) if isinstance(kinds, Mapping) else kinds,
                     table=None if table is None else settings(table))
        if twice := whole.keys() & said.keys():
            raise ValueError(f"{min(twice)}: given twice, in the first argument too")
        return self._do({"define": whole | said | given(drop=drop and ids("drop", drop))})

    # Actions and strips.

    def act(self, row: str, action: str, *, item: str | None = None, edge: str | None = None,
            full: bool = False, confirmed: bool = False) -> R:
        """Performs an action of the row, or of an item's menu, once on each version of the row."""
        return self._do({"act": texts(row=row, action=action, item=item, edge=edge)
                         | given(full=full or None, confirmed=confirmed or None)})

    def retry(self, row: str, action: str | None = None, *, item: str | None = None) -> R:
        """Performs what has failed on the row once more. What waits for its next attempt need not wait any longer."""
        return self._do({"retry": texts(row=row, action=action, item=item)})

    def select(self, row: str, item: str | None = None) -> R:
        """Selects a row, or an item of a strip."""
        return self._do({"select": texts(row=row, item=item)})

    def mark(self, row: str | None = None, item: str | None = None) -> R:
        """Selects without a tap, or nothing, where the table keeps one selection for all screens."""
        return self._do({"mark": texts(row=row, item=item)})

    def add_item(self, row: str, id: str, title: str = "", *, kind: str | None = None, first: bool = False,
                 before: str | None = None, after: str | None = None,
                 fields: Mapping[str, str] | None = None) -> R:
        """Adds an item to a strip; without a place at its end."""
        place = given(first=first or None) | texts(before=before, after=after)
        item = texts(id=id, title=title, kind=kind) | given(fields=pairs(fields))
        return self._do({"item": texts(row=row) | {"add": {"item": item, **given(anchor=place or None)}}})

    def set_item(self, row: str, item: str, *, title: str | None = None, kind: str | None = None,
                 fields: Mapping[str, str] | None = None, unset: Sequence[str] | None = None) -> R:
        """Sets what is given of an item; an empty kind takes it away."""
        return self._do({"item": texts(row=row) | {"set": texts(item=item, title=title, kind=kind) | given(
            fields=pairs(fields), unset=unset and ids("unset", unset))}})

    def remove_items(self, row: str, *items: str) -> R:
        """Removes items of a strip."""
        return self._do({"item": texts(row=row) | {"remove": {"items": ids("items", items)}}})

    def move_items(self, row: str, *items: str, first: bool = False, last: bool = False,
                   before: str | None = None, after: str | None = None) -> R:
        """The items stand in the order given, at the place."""
        place = given(first=first or None, last=last or None) | texts(before=before, after=after)
        return self._do({"item": texts(row=row) | {"move": {"items": ids("items", items), "anchor": place}}})

    def scroll(self, row: str, item: str, fraction: float = 0.0) -> R:
        """Where all screens scroll a strip to. `fraction`: the part of the item that is scrolled out, 0 to 1."""
        return self._do({"scroll": texts(row=row, item=item) | {"fraction": fraction}})

    # Claims and the past.

    def claim(self, *rows: str, note: str | None = None, ttl: float | None = None) -> R:
        """Says that you work on them. `ttl`: seconds until it ends by itself."""
        return self._do({"claim": {"rows": ids("rows", rows)} | texts(note=note) | given(ttl=ttl)})

    def unclaim(self, *rows: str, holder: str | None = None) -> R:
        """Ends your claims of these rows, or of all; with `holder`, somebody else's."""
        return self._do({"unclaim": given(rows=ids("rows", rows) or None) | texts(holder=holder)})

    def snooze(self, *rows: str, until_ms: int | None = None, seconds: float | None = None, top: bool = False) -> R:
        """The rows sleep: `next` passes them over. The daemon wakes them at the time, or after so many seconds.

        `top`: they come to the top of their section then. With neither time they wake now.
        """
        for_ms = None if seconds is None else round(seconds * 1000)
        return self._do({"snooze": {"rows": ids("rows", rows)} | given(untilMs=until_ms, forMs=for_ms,
                                                                      top=top or None)})

    def pause(self, *, section: str | None = None, action: str | None = None, note: str | None = None) -> R:
        """Takes no new work: of a section, of an action, or of the whole table. `note`: why, for everybody."""
        return self._do({"pause": texts(section=section, action=action, note=note)})

    def resume(self, *, section: str | None = None, action: str | None = None) -> R:
        """Takes it again; with neither, all that was paused."""
        return self._do({"pause": texts(section=section, action=action) | {"resume": True}})

    def next(self, *, action: str | None = None, section: str | None = None, where: str | None = None,
             most: int | None = None, ttl: float | None = None, note: str | None = None,
             wait: float | None = None) -> R:
        """The first rows that nobody works on are yours: `reply.rows`, empty if there is none. Not in a batch.

        `where`: a condition on the row alone. `ttl`: seconds until the claim ends by itself, 60 if left out.
        `action`: it is performed on them; what it begins is held by you: `reply.invocations`. `wait`: the answer
        waits for a row, at most so many seconds; those that wait are served in the order in which they came.
        """
        return self._do({"next": texts(action=action, section=section, where=where, note=note)
                         | given(most=most, ttl=ttl, wait=wait)})

    def undo(self, revision: int | None = None, *, mine: bool = False) -> R:
        """Takes a revision back, or the latest that stands; `mine`: only your own count."""
        return self._do({"undo": given(revision=revision, mine=mine or None)})

    def redo(self, *, mine: bool = False) -> R:
        """Takes the latest undo back."""
        return self._do({"redo": given(mine=mine or None)})

    def recall(self, *rows: str) -> R:
        """Brings removed rows back as they were."""
        return self._do({"recall": {"rows": ids("rows", rows)}})


class Batch(Verbs[None]):
    """Commands that are carried out together: `board.batch(batch)`."""

    def __init__(self) -> None:
        self.commands: list[Json] = []
        self._conditions: Json = {}

    def when(self, *, version: int | None = None, claimed: bool = False, if_: str | None = None) -> "Batch":
        """This batch, for a command about rows: `batch.when(version=3).set("t41", title="Tea")`.

        Where it is not so, nothing of the batch is carried out. As of `Board.when`; a revision is required of the
        whole batch.
        """
        same = Batch()
        same.commands, same._conditions = self.commands, self._conditions | conditions(version, claimed, if_)
        return same

    def _do(self, command: Json) -> None:
        self.commands.append(command | self._conditions)
