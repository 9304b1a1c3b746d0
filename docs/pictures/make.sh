#!/usr/bin/env bash
# Makes the pictures beside it again, with the real programs: docs/pictures/make.sh. The boards are
# examples/kitchen.yaml with its style changed and nothing else; the same programs give the same
# bytes, so afterwards `git diff` shows what has changed about them. With an argument: into that
# folder.
set -euo pipefail
OUT=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")/../.."

BIN=${TRESTLE_BIN:-.build/release}
DIR=$(mktemp -d /tmp/trestle-pictures.XXXXXX)
export TRESTLE_ENDPOINT=ipc://$DIR/request.sock

"$BIN/trestled" --state-directory "$DIR/state" --endpoint "$TRESTLE_ENDPOINT" 2>"$DIR/log" &
DAEMON=$!
for _ in $(seq 100); do [ -S "$DIR/request.sock" ] && break; sleep 0.1; done
finish() {
    kill "$DAEMON" 2>>"$DIR/log" || true
    wait "$DAEMON" 2>>"$DIR/log" || true
    rm -rf "$DIR"
}
trap finish EXIT

trestle() { "$BIN/trestle" --timeout 10 "$@" >>"$DIR/said"; }
picture() { "$BIN/trestle" -o svg show "$1" --width 390 >"$OUT/$2.svg"; }

# What is at the grill and at the pass, of a kind as the script on standard input changes it; two
# rows are swiped open, one at each side.
board() {
    sed -E -e 's/swipePolicy: exclusive/swipePolicy: multiple/' "${@:2}" examples/kitchen.yaml \
        >"$DIR/$1.yaml"
    grep -E '"section":"(grill|pass)"' examples/kitchen.ndjson >"$DIR/$1.ndjson"
    trestle create "$1"
    trestle define "$1" "$DIR/$1.yaml"
    trestle import "$1" "$DIR/$1.ndjson"
    trestle swipe "$1" 1041-g --trailing
    trestle swipe "$1" 1039-p --leading
}

# The viewer's own look: buttons side by side, all of one width.
board default -e 's/style: [a-z]+/style: default/' -e 's/spacing: (8|12)$/spacing: 0/' \
    -e 's/width: [0-9]+/width: 74/'
picture default board-default

board circular -e 's/style: [a-z]+/style: circular/' -e 's/width: [0-9]+/width: 42/' \
    -e 's/spacing: (8|12)$/spacing: 20/'
picture circular board-circular

# Without a face of its own an action with this style shows icon above title.
board custom -e 's/style: [a-z]+/style: custom/' -e 's/width: [0-9]+/width: 64/' \
    -e 's/^( *)spacing: 12$/\1spacing: 8\n\1insets: [6, 0, 6, 0]/'
picture custom board-custom

# As the example is, at work: one order read in full, one server being paged, one who could not be.
board kitchen
trestle expand kitchen 1044-g --to expanded
trestle act kitchen 1042-g page
"$BIN/trestle" --timeout 10 handle kitchen page --count 1 -- \
    sh -c 'cat >/dev/null; echo "no pager answers: João is off" >&2; exit 1' >>"$DIR/said" 2>&1
trestle act kitchen 1040-p page
picture kitchen board-mixed

# Tables and their courses: all closed, then opened up, with the strip scrolled on every screen.
board open
trestle import open examples/courses.ndjson
trestle swipe open 1041-g --close
trestle swipe open 1039-p --close
picture open board-collapsed
trestle expand open 1044-g --to expanded
trestle scroll open table-12 --item soup --fraction 0.6
picture open board-expanded

# What the tutorials build, with their own kinds. A width of 520 points is a tablet's column.
tutorial() {
    awk '/^```yaml /{on = 1; next} /^```/{on = 0} on' "docs/tutorials/$1.md" >"$DIR/$1.yaml"
    trestle create "$1"
    trestle define "$1" "$DIR/$1.yaml"
    trestle import "$1" -
}
column() { "$BIN/trestle" -o svg show "$1" --width 520 >"$OUT/tutorial-$1.svg"; }

tutorial dispatch <<'END'
{"id":"c2","kind":"call","section":"waiting","title":"Chest pain","fields":{"where":"Station, platform 3","priority":"1"}}
{"id":"c1","kind":"call","section":"waiting","title":"Fall, conscious","fields":{"where":"14 Mill Lane","priority":"2"}}
{"id":"c3","kind":"call","section":"waiting","title":"Cut hand","fields":{"where":"Harbour gate","priority":"3"}}
{"id":"c0","kind":"call","section":"under way","title":"Burn","fields":{"where":"7 Quay Street","priority":"2","state":"paged"}}
END
trestle act dispatch c3 page
"$BIN/trestle" --timeout 10 handle dispatch page --count 1 -- \
    sh -c 'cat >/dev/null; echo "no signal at the harbour" >&2; exit 1' >>"$DIR/said" 2>&1
trestle swipe dispatch c2 --trailing
column dispatch

tutorial jobs <<'END'
{"id":"mail","kind":"job","section":"queued","title":"Send the letters","fields":{"command":"sleep 0.1"}}
{"id":"thumbs","kind":"job","section":"queued","title":"Make thumbnails","fields":{"command":"sleep 0.1"}}
{"id":"index","kind":"job","section":"queued","title":"Build the index","fields":{"command":"test -e index.conf"}}
{"id":"report","kind":"job","section":"done","title":"Monthly report","fields":{"command":"sleep 0.1","tries":"1"}}
END
trestle act jobs index run
"$BIN/trestle" --timeout 10 handle jobs run --count 1 -- \
    sh -c 'cat >/dev/null; echo "ended with 1" >&2; exit 1' >>"$DIR/said" 2>&1
trestle act jobs thumbs run
trestle swipe jobs mail --leading
column jobs

tutorial lab <<'END'
{"id":"p9","kind":"plate","section":"running","title":"Plate 9, urgent","items":[{"id":"a1","kind":"well","title":"Unknown","fields":{"vial":"1","sample":"S-2050"}}]}
{"id":"p7","kind":"plate","section":"queue","title":"Plate 7, caffeine","items":[{"id":"a1","kind":"well","title":"Blank","fields":{"vial":"1"}},{"id":"a2","kind":"well","title":"Standard","fields":{"vial":"2","sample":"50 ng/µl"}},{"id":"a3","kind":"well","title":"Unknown","fields":{"vial":"3","sample":"S-2041"}},{"id":"a4","kind":"well","title":"Unknown","fields":{"vial":"4","sample":"S-2042"}}]}
{"id":"p8","kind":"plate","section":"queue","title":"Plate 8, nicotine","items":[{"id":"a1","kind":"well","title":"Blank","fields":{"vial":"1"}},{"id":"a2","kind":"well","title":"Unknown","fields":{"vial":"2","sample":"S-2047"}}]}
END
trestle swipe lab p8 --trailing
column lab

# The viewer on a terminal, drawn from what it writes; needs pyte, which `make deps` has.
trestle create shift
trestle define shift examples/kitchen.yaml
trestle import shift examples/kitchen.ndjson
trestle act shift 1043-f page
TRESTLE_BIN=$BIN "${PYTHON:-.venv/bin/python}" docs/pictures/view.py "$OUT/view.svg"
