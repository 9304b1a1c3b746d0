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

# The viewer on a terminal, drawn from what it writes; needs pyte, which `make deps` has.
trestle create shift
trestle define shift examples/kitchen.yaml
trestle import shift examples/kitchen.ndjson
trestle act shift 1043-f page
TRESTLE_BIN=$BIN "${PYTHON:-.venv/bin/python}" docs/pictures/view.py "$OUT/view.svg"
