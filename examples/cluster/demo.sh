#!/usr/bin/env bash
# make cluster-demo: three members of etcd and three daemons on this machine are one service. The daemon that
# writes is killed with -9 in the middle of commands; everything is found, once. All of it is in a
# directory that goes away at the end.
set -euo pipefail
cd "$(dirname "$0")/../.."

BIN=${TRESTLE_BIN:-.build/release}
DIR=$(mktemp -d /tmp/trestle-cluster.XXXXXX)
# Below the ports that the system gives to whoever connects: such a one could be taken when a daemon starts again.
BASE=${BASE:-$((20000 + RANDOM % 12000))}
ROWS=${ROWS:-300}

say() { printf '\n%s\n' "$*"; }
finish() {
    kill -9 $(jobs -p) 2>>"$DIR/log" || true
    wait 2>>"$DIR/log" || true
    rm -rf "$DIR"
}
trap finish EXIT
trap 'exit 130' INT TERM

command -v etcd >/dev/null || { echo "there is no etcd: apt-get install etcd-server" >&2; exit 1; }

etcd_url() { echo "http://127.0.0.1:$((BASE + $1))"; }
peer_url() { echo "http://127.0.0.1:$((BASE + 10 + $1))"; }
endpoint() { echo "tcp://127.0.0.1:$((BASE + 20 + 2 * $1))"; }
publish() { echo "tcp://127.0.0.1:$((BASE + 21 + 2 * $1))"; }

say "1. Three members of etcd"
cluster="m1=$(peer_url 1),m2=$(peer_url 2),m3=$(peer_url 3)"
for n in 1 2 3; do
    etcd --name "m$n" --data-dir "$DIR/etcd$n" --snapshot-count 5000 --log-level error --logger zap \
        --listen-client-urls "$(etcd_url $n)" --advertise-client-urls "$(etcd_url $n)" \
        --listen-peer-urls "$(peer_url $n)" --initial-advertise-peer-urls "$(peer_url $n)" \
        --initial-cluster "$cluster" --initial-cluster-state new >>"$DIR/log" 2>&1 &
done

start() {
    cat >"$DIR/trestled$1.yaml" <<YAML
endpoints: [{request: "$(endpoint "$1")", publish: "$(publish "$1")"}]
journal:
  etcd:
    endpoints: ["$(etcd_url 1)", "$(etcd_url 2)", "$(etcd_url 3)"]
    name: demo
    lease_seconds: 2
YAML
    "$BIN/trestled" --config "$DIR/trestled$1.yaml" --state-directory "$DIR/state$1" 2>>"$DIR/daemon$1.log" &
    PID[$1]=$!
}
declare -a PID
say "2. Three daemons with the same journal"
for n in 1 2 3; do start $n; done
export TRESTLE_ENDPOINT
TRESTLE_ENDPOINT="$(endpoint 1),$(endpoint 2),$(endpoint 3)"
trestle() { "$BIN/trestle" --timeout 30 "$@"; }
# Nobody listens before there is something to recover from.
for _ in $(seq 50); do trestle health >"$DIR/health" 2>>"$DIR/log" && break; sleep 0.2; done
trestle create board >"$DIR/made"
role() { "$BIN/trestle" -e "$(endpoint "$1")" --timeout 2 -o json health 2>>"$DIR/log" | grep -o '"role":"[a-z]*"' || true; }
leader() {
    for _ in $(seq 100); do
        for n in 1 2 3; do
            if [ -n "${PID[$n]}" ] && [ "$(role $n)" = '"role":"leader"' ]; then echo $n; return; fi
        done
        sleep 0.2
    done
    echo "nobody writes" >&2
    exit 1
}
# What each says of the others is a few seconds old.
sleep 3
trestle health | sed 's/^/    /'

say "3. $ROWS commands, one after the other, and a kill -9 of the daemon that writes"
(for n in $(seq "$ROWS"); do trestle add board "Order $n" --id "o$n" >>"$DIR/added"; done) &
orders=$!
sleep 2
victim=$(leader)
kill -9 "${PID[$victim]}"
PID[victim]=
echo "    daemon $victim is dead"
echo "    daemon $(leader) writes now"
wait $orders || { echo "    a command failed after $(wc -l <"$DIR/added") of them" >&2; exit 1; }

say "4. What is there"
start "$victim"
sleep 3
for n in 1 2 3; do
    "$BIN/trestle" -e "$(endpoint $n)" --timeout 20 -o json tables | grep -o '"rows":[0-9]*\|"digest":"[0-9a-f]*"' | tr '\n' ' ' |
        sed "s/^/    daemon $n: /"
    echo
done
found=$(trestle -o json tables | grep -o '"rows":[0-9]*' | cut -d: -f2)
digests=$(for n in 1 2 3; do "$BIN/trestle" -e "$(endpoint $n)" --timeout 20 -o json tables | grep -o '"digest":"[0-9a-f]*"'; done | sort -u | wc -l)
if [ "$found" != "$ROWS" ] || [ "$digests" != 1 ]; then
    echo "    $found rows of $ROWS, $digests digests" >&2
    exit 1
fi
echo "    all $ROWS rows, each once, and one digest"
