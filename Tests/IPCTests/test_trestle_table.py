"""The digest of §8: compared with its example, and with one that is computed without cached hashes."""

import random

import pytest

from trestle_table import Table, Wrong

KIND = {"id": "row", "digest": "561a9447a7952773"}
SETTINGS = {"swipePolicy": "exclusive", "swipeScope": "shared", "expandPolicy": "independent",
            "digest": "f33a72af52251878"}


def chunk(*slices):
    return {"kinds": [KIND], "settings": SETTINGS, "slices": list(slices)}


def test_a_new_table():
    assert Table([chunk()]).digest() == "14d24eb6952b1359"


def test_what_is_remembered_changes_nothing():
    """After each of 2,000 diffs, the digest is that of a table that was made from a snapshot."""
    dice = random.Random("table")
    table, made = Table([chunk({"section": "main"}, {"section": "grill"})]), 0
    for revision in range(1, 2001):
        ids = list(table.rows)
        place = {"after": dice.choice(ids)} if ids and dice.random() < 0.8 else {
            "section": dice.choice(["main", "grill"])}
        what = dice.randrange(11) if len(ids) > 3 else 0
        if what in (0, 1, 2):
            made += 1
            op = {"insert": {"row": {"id": f"r{made}", "kind": "row", "createdMs": made}} | place}
        elif what == 3:
            op = {"remove": {"row": dice.choice(ids)}}
        elif what == 4:
            moved = dice.sample(ids, 3)
            op = {"move": {"rows": moved} | (place if place.get("after") not in moved else {"section": "main"})}
        elif what == 5:
            a, b = dice.sample(ids, 2)
            op = {"swap": {"a": a, "b": b}}
        elif what == 6:
            op = {"set": {"row": dice.choice(ids), "title": f"ü{revision}", "fields": {"é": "1", "z": "2"}}}
        elif what == 7:
            op = {"expand": {"row": dice.choice(ids), "state": "80"}}
        elif what == 8:
            claim = {"holder": "ada", "note": "é", "sinceMs": 7} | dice.choice([{}, {"ttl": 1.5}])
            op = {"claim": {"row": dice.choice(ids)} | dice.choice([{}, {"claim": claim}])}
        elif what == 9:
            op = {"restore": {"row": dice.choice(ids), "version": 3, "changedMs": revision} | dice.choice(
                [{}, {"movedMs": 9, "performed": [{"action": "a", "state": "failed", "reason": "r"}]}])}
        else:
            op = {"perform": {"row": dice.choice(ids), "performance": {"action": "a", "state": "done"}}}
        table.apply([op], revision, dice.choice([0, revision * 10]))
        remembered = table.digest()
        if revision % 20 == 0:
            again = Table([chunk(*({"section": id, "rows": [table.rows[row] for row in rows]}
                                   for id, rows in table.order()))])
            assert again.digest() == remembered, op
    assert len(table) > 300


def test_times_and_versions():
    """Which ops set which times and versions (§6), and that an inverse sets none."""
    rows = [{"id": id, "kind": "row", "version": 1, "createdMs": 5} for id in "abc"]
    table = Table([chunk({"section": "main", "rows": rows})])
    first = table.digest()
    table.apply([{"set": {"row": "a", "title": "A"}}, {"move": {"rows": ["b"], "after": "c"}},
                 {"swipe": {"row": "c", "edge": "leading"}}, {"expand": {"row": "c", "state": "80"}}], 2, 70)
    stamps = {id: [row.get(key, 0) for key in ("version", "changedMs", "movedMs")]
              for id, row in table.rows.items()}
    assert stamps == {"a": [2, 70, 0], "b": [1, 0, 70], "c": [1, 0, 0]}
    table.apply([{"set": {"row": "a", "title": "B"}}, {"swap": {"a": "a", "b": "b"}}], 3)
    assert [table.rows["a"][key] for key in ("version", "changedMs")] == [3, 70]
    assert "movedMs" not in table.rows["a"]
    # An undo: the traces are as they were, the version is not.
    table.apply([{"restore": {"row": "b", "version": 1}}], 4, 90)
    assert [table.rows["b"][key] for key in ("version", "changedMs", "movedMs")] == [4, 0, 0]
    # Back to the first, in a copy.
    copy, here = table.copy(), table.digest()
    copy.rewind({"revision": 1, "digest": first, "ops": [
        {"swap": {"a": "a", "b": "b"}}, {"move": {"rows": ["b"], "after": "a"}},
        {"set": {"row": "a", "title": ""}}, {"restore": {"row": "a", "version": 1}},
        {"restore": {"row": "b", "version": 1}}, {"swipe": {"row": "c", "edge": "closed"}},
        {"expand": {"row": "c", "state": "collapsed"}}]})
    assert [row["version"] for row in copy.rows.values()] == [1, 1, 1]
    assert table.digest() == here
    with pytest.raises(Wrong):
        copy.rewind({"revision": 0, "digest": first, "ops": [{"remove": {"row": "a"}}]})
    copy.rewind({"revision": 0, "digest": copy.copy().digest(), "ops": []})
