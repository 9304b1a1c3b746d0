#!/usr/bin/env bash
# make serve-demo: a kitchen in the browser. Tickets come by themselves; open the links on two tablets
# and a phone, or in three windows. Everything is in a directory that goes away at the end.
#
#   ORIGIN=https://board.example LISTEN=unix:/tmp/board.sock examples/serve/demo.sh   behind a proxy
#   LIMIT=5 examples/serve/demo.sh                                                    five tickets, then the end
set -euo pipefail
cd "$(dirname "$0")/../.."

BIN=${TRESTLE_BIN:-.build/release}
SERVE=${TRESTLE_SERVE:-.build/gateway/release/trestle-serve}
LISTEN=${LISTEN:-127.0.0.1:7580}
WEB=${WEB:-web}
DIR=$(mktemp -d /tmp/trestle-serve-demo.XXXXXX)
export TRESTLE_ENDPOINT=ipc://$DIR/request.sock
export TRESTLE_NAME=till

trestle() { "$BIN/trestle" "$@"; }
serve() { "$SERVE" "$@" --state-directory "$DIR/serve"; }
finish() {
    kill $(jobs -p) 2>>"$DIR/log" || true
    wait 2>>"$DIR/log" || true
    rm -rf "$DIR"
}
trap finish EXIT
trap 'exit 130' INT TERM

"$BIN/trestled" --state-directory "$DIR/state" --endpoint "$TRESTLE_ENDPOINT" 2>>"$DIR/log" &
for _ in $(seq 100); do [ -S "$DIR/request.sock" ] && break; sleep 0.1; done
trestle --timeout 10 health >>"$DIR/log"
trestle create kitchen >>"$DIR/log"
trestle define kitchen examples/kitchen.yaml >>"$DIR/log"
for section in grill fry cold pass; do trestle section kitchen "$section" >>"$DIR/log"; done

# Not by the function: a shell between would be what is ended.
"$SERVE" run --listen "$LISTEN" ${ORIGIN:+--origin "$ORIGIN"} --web "$WEB" \
    --state-directory "$DIR/serve" 2>>"$DIR/serve.log" &
for _ in $(seq 100); do grep -q serving "$DIR/serve.log" && break; sleep 0.1; done
grep -q serving "$DIR/serve.log" || { cat "$DIR/serve.log" >&2; exit 1; }

for device in grill pass phone; do
    printf '\n%s:\n' "$device"
    if [ "$device" = phone ]; then serve pair --name "$device"; else serve pair --name "$device" | grep http; fi
done
printf '\nThe board: %s/board/kitchen   A wall: ?distance=wall   One station: ?section=grill&kiosk=1\n' \
    "$(head -n 1 "$DIR/serve/origin")"
printf 'A ticket comes every few seconds. Ctrl-C ends it.\n\n'

dishes=("ribeye, medium rare" "lamb skewers" "fish & chips" "burger, no onions" "Caesar salad"
    "tempura 天ぷら" "salmon" "fries" "gazpacho")
sections=(grill grill fry grill cold fry grill fry cold)
servers=(Ana Мина João Kim)
number=1041
while [ "${LIMIT:--1}" -ne 0 ]; do
    LIMIT=$((${LIMIT:--1} - 1))
    dish=$((RANDOM % ${#dishes[@]}))
    trestle add kitchen "$((RANDOM % 3 + 1)) × ${dishes[$dish]}" --id "t$number" --kind ticket \
        --section "${sections[$dish]}" --field "order=$number" \
        --field "server=${servers[$((RANDOM % ${#servers[@]}))]}" | sed 's/^/  /'
    number=$((number + 1))
    sleep "${PAUSE:-$((RANDOM % 5 + 2))}"
done
