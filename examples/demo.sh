#!/usr/bin/env bash
# make demo: a daemon with two real tables, two viewers, a third client that changes things, and a
# kill -9 in the middle. Everything is in a directory that goes away at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

BIN=${TRESTLE_BIN:-.build/release}
DIR=$(mktemp -d /tmp/trestle-demo.XXXXXX)
export TRESTLE_ENDPOINT=ipc://$DIR/request.sock
DAEMON=

trestle() { "$BIN/trestle" "$@"; }
say() { printf '\n\033[1m%s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }
# Prints the command as it can be typed, then runs it.
run() {
    local word
    printf '  $ trestle'
    for word in "$@"; do
        case $word in
        '' | *[!A-Za-z0-9_./:=,@%+-]*) printf " '%s'" "${word//\'/\'\\\'\'}" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    trestle "$@" | sed 's/^/    /'
}

start() {
    mkdir -p "$DIR"
    "$BIN/trestled" --state-directory "$DIR/state" --endpoint "$TRESTLE_ENDPOINT" \
        2>>"$DIR/log" &
    DAEMON=$!
    # A socket that is not there yet is refused at once; one that is there is waited for.
    for _ in $(seq 100); do [ -S "$DIR/request.sock" ] && break; sleep 0.1; done
    trestle --timeout 10 health >"$DIR/health"
}
finish() {
    kill $(jobs -p) 2>>"$DIR/log" || true
    wait 2>>"$DIR/log" || true
    rm -rf "$DIR"
}
trap finish EXIT
trap 'exit 130' INT TERM

# The latest "revision digest" that a viewer's output has.
seen() { tail -n 1 "$1" | sed -E 's/.*"revision":([0-9]+),"digest":"([0-9a-f]+)".*/\1 \2/'; }
held() { trestle -o json tables | tr '{' '\n' | sed -nE "s/.*\"table\":\"$1\".*\"revision\":([0-9]+).*\"digest\":\"([0-9a-f]+)\".*/\1 \2/p"; }

# Waits until both viewers show what the daemon holds, then shows the three side by side.
compare() {
    local want a b
    for _ in $(seq 100); do
        want=$(held "$1"); a=$(seen "$DIR/viewer-a"); b=$(seen "$DIR/viewer-b")
        if [ "$want" = "$a" ] && [ "$want" = "$b" ]; then
            printf '    %-10s revision %-6s digest %s\n' daemon $want 'viewer A' $a 'viewer B' $b
            return
        fi
        sleep 0.1
    done
    echo "    NOT IN SYNC: daemon $want, viewer A $a, viewer B $b" >&2
    exit 1
}

say "1. A daemon, on an embedded journal in $DIR/state"
start
sed 's/^/    /' "$DIR/health"

say "2. A real table: the packages that are installed here, in their sections"
{
    echo 'id,section,title,version,kilobytes'
    dpkg-query -W -f '${binary:Package}\t${Section}\t${binary:Summary}\t${Version}\t${Installed-Size}\n' |
        awk -F '\t' -v q='"' '{
            for (i = 1; i <= 5; i++) { gsub(q, q q, $i); printf "%s%s%s%s", q, $i, q, i < 5 ? "," : "\n" }
        }'
} >"$DIR/packages.csv"
run create packages
run import packages "$DIR/packages.csv"
run tables

say "3. A kitchen's board: its kinds of rows, then a dozen tickets"
run create kitchen
run define kitchen examples/kitchen.yaml
run import kitchen examples/kitchen.ndjson
run show kitchen

say "4. Two viewers follow it; a third client works on it"
# Not through the function above: the job must be the viewer itself, so that it can be ended.
"$BIN/trestle" watch kitchen >"$DIR/viewer-a" &
"$BIN/trestle" watch kitchen >"$DIR/viewer-b" &
sleep 1
run swipe kitchen 1041-g --trailing
run expand kitchen 1042-g --toggle
run move kitchen 1044-g --before 1041-g
run set kitchen 1042-g --field note="ALLERGY: dairy; no onions"
run swap kitchen 1041-g 1042-g
compare kitchen
echo "  what viewer A has just been told:"
tail -n 2 "$DIR/viewer-a" | cut -c 1-160 | sed 's/^/    /'

say "5. kill -9 in the middle of 100 commands, each sent until it is answered"
(
    for number in $(seq 100); do
        trestle --timeout 30 add kitchen "Rush $number" --id "rush-$number" --section pass >>"$DIR/adds"
    done
) &
writer=$!
sleep 0.5
disown "$DAEMON"
kill -9 "$DAEMON"
echo "    killed after $(wc -l <"$DIR/adds") answers; starting it again"
start
wait "$writer"
echo "    $(wc -l <"$DIR/adds") answers; on the board: $(trestle -o name show kitchen | grep -c '^rush-') of 100, each once"
compare kitchen

say "6. The journal and every digest, checked from the beginning"
run check
say "That was it. Next: the five-minute tour in README.md."
