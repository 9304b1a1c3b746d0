"""The digest of §8, by its example, and against itself without what it remembers."""

import random

from trestle_table import Table

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
        what = dice.randrange(8) if len(ids) > 3 else 0
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
        else:
            op = {"expand": {"row": dice.choice(ids), "state": "80"}}
        table.apply([op], revision)
        remembered = table.digest()
        if revision % 20 == 0:
            again = Table([chunk(*({"section": id, "rows": [table.rows[row] for row in rows]}
                                   for id, rows in table.order()))])
            assert again.digest() == remembered, op
    assert len(table) > 500
