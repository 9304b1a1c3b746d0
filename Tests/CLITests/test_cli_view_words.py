"""`trestle view` in people's languages, and from one table to another."""

import json
import os

import pytest
from cli_daemon import HERE
from viewer import LEFT, Pty

KITCHEN = HERE.parents[1] / "examples/kitchen.yaml"


@pytest.fixture
def viewer(daemon, request):
    daemon.ok("create", "kitchen")
    daemon.ok("define", "kitchen", KITCHEN)
    daemon.ok("add", "kitchen", "Suppe", "--id", "t1", "--kind", "ticket", "--section", "grill")
    made = []

    def make(*arguments, **environment):
        made.append(Pty(daemon, "kitchen", *arguments, LC_ALL="", LC_MESSAGES="", **environment))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize("arguments, environment, live", [
    ([], {"LANG": "de_DE.UTF-8"}, "1 Zeile"),
    (["--language", "ja"], {"LANG": "de_DE.UTF-8"}, "ライブ"),
    (["--language=es"], {"LANG": "C"}, "en vivo"),
    ([], {"LANG": "tlh_AQ.UTF-8"}, "● live"),
])
def test_the_language_is_the_environments_or_the_one_that_is_named(viewer, arguments, environment, live):
    screen = viewer(*arguments, **environment)
    screen.wait_for("Suppe", live)


def test_a_refusal_is_said_in_the_language(daemon, viewer):
    screen = viewer("--language", "de")
    screen.wait_for("Suppe", "beenden")
    daemon.ok("--as", "ana", "claim", "kitchen", "t1")
    screen.wait_for("ana")
    screen.type("jc")
    screen.wait_for("ana arbeitet daran")


def test_a_language_that_is_not_there_is_refused(daemon):
    done = daemon.run("view", "kitchen", "--language", "xx")
    assert done.returncode == 64, done.stderr


def test_another_table_is_shown_in_place_of_this_one(daemon, viewer):
    daemon.ok("create", "bar")
    daemon.ok("add", "bar", "Espresso", "--id", "b1")
    screen = viewer()
    screen.wait_for("Suppe")
    screen.type(":table bar\r")
    screen.wait_for("Espresso", "live")
    assert "Suppe" not in screen.text()
    daemon.ok("add", "bar", "Grappa", "--id", "b2")
    screen.wait_for("Grappa")
    screen.type(":table nowhere\r")
    screen.wait_for("There is no table nowhere.")
    screen.type(":table kitchen\r")
    screen.wait_for("Suppe", "live")
    screen.type("q")
    assert screen.ended(10) == 0


#: So many tickets in a shift of CI; FULL=1 has 300.
TICKETS = 300 if os.environ.get("FULL", "") not in ("", "0") else 10


@pytest.mark.parametrize("language, done", [("en", "Undone"), ("ja", "取り消し"), ("ar", "تم التراجع")])
def test_a_shift_by_keys_alone(daemon, viewer, language, done):
    """Each ticket is taken, bumped, and some come back by an undo: no key but the viewer's, in any language."""
    daemon.ok("remove", "kitchen", "t1")
    screen = viewer("--section", "grill", "--language", language, "--as", "ada")
    for number in range(TICKETS):
        daemon.ok("add", "kitchen", f"Ticket-{number}", "--id", f"n{number}", "--kind", "ticket", "--section", "grill")
        screen.wait_for(f"Ticket-{number}")
        screen.type("gc")
        screen.wait_for("◆ ")
        screen.type(LEFT)
        screen.wait_for("1 Bump")
        screen.type("1")
        screen.wait_without(f"Ticket-{number}")
        if number % 5 == 0:
            screen.type("u")
            screen.wait_for(f"Ticket-{number}", done)
            screen.type("g" + LEFT)
            screen.wait_for("1 Bump")
            screen.type("1")
            screen.wait_without("▸1 Bump")
    shown = json.loads(daemon.ok("-o", "json", "show", "kitchen"))["rows"]
    assert sorted((row["id"], row["section"]) for row in shown) == sorted((f"n{n}", "pass") for n in range(TICKETS))
    screen.type("q")
    assert screen.ended(10) == 0


@pytest.mark.parametrize("language, added, paused, faulty", [
    ("de", "„Suppe“ oben in grill hinzugefügt", "kein Gas", "hier gehört ein Wert hin, nicht das Ende"),
    ("ja", "「Suppe」をgrillの先頭に追加", "kein Gas", "値が必要ですが、終わり"), ("ar", "أضاف «Suppe»", "kein Gas", None)])
def test_history_pauses_and_faults_are_said_in_the_language(daemon, viewer, language, added, paused, faulty):
    """News of the daemon come as data. The row sleeps and wakes, work is paused and goes on, who edits is said."""
    screen = viewer("--language", language, "--as", "ana")
    screen.wait_for("Suppe")
    screen.type("g:pause grill kein Gas\r")
    screen.wait_for(paused)
    screen.type(":resume\r")
    screen.wait_without(paused)
    screen.type(":snooze 45m\r")
    screen.type(":history\r")
    screen.wait_for(added)
    assert "added" not in screen.text()
    screen.type("\x1b")
    screen.wait_without(added)
    if faulty:
        screen.type("/age >\r")
        screen.wait_for(faulty)
    daemon.ok("--as", "kim", "edit", "kitchen", "--on")
    screen.wait_for("kim")
    assert json.loads(daemon.ok("-o", "json", "show", "kitchen"))["rows"][0]["sleep"]["untilMs"] > 0
