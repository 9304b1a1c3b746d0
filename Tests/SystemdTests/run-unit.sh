#!/bin/bash
# Runs the units as they are, under a systemd of their own, and checks them from outside
# (check_units.py). PID 1 of this machine need not be systemd, and nothing outside a scratch
# directory and a scratch control group is touched: own mounts, processes, network, everything.
#
#   run-unit.sh [--trestled PROGRAM] [--config FILE] [--keep]
#
# Without --trestled a stand-in (standin.c, needs cc and libzmq) is run in its place.
# Ends within 180 s. Exit 0 all passed, 1 something did not, 77 cannot be run here.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
units=$here/../../systemd
program= config= keep= seconds=180
export PATH=/usr/sbin:/usr/bin:/sbin:/bin

skip() { echo "skipped: $*" >&2; exit 77; }

# What systemd has to say goes to its console, a terminal: here, one that leads to standard output.
console='
import os
leader, follower = os.openpty()
with open("/run/check/console.new", "w") as file:
    file.write(os.ttyname(follower))
os.rename("/run/check/console.new", "/run/check/console")
while True:
    text = os.read(leader, 65536).replace(b"\r", b"").replace(b"\x1bM", b"")
    os.write(1, text.replace(b"\x1b[K", b""))
'

# In the new namespaces, as its PID 1: arrange the files, then become systemd.
inside() {
  work=$1
  cd /
  mount -t proc proc /proc
  mount -t tmpfs -o mode=755 tmpfs /run
  mkdir -p /run/check/scratch /run/check/work
  mount --bind "$work" /run/check/work
  mount -t tmpfs tmpfs /run/check/scratch
  for place in /etc /usr/bin /var/lib /var/cache; do
    layer=/run/check/scratch$place
    mkdir -p "$layer/upper" "$layer/work"
    mount -t overlay overlay -o "lowerdir=$place,upperdir=$layer/upper,workdir=$layer/work" $place
  done
  # Beneath /sys only the control groups are ours.
  mount -t tmpfs tmpfs /sys/fs/cgroup
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  install -m 755 /run/check/work/trestled /usr/bin/trestled
  install -D -m 644 /run/check/work/trestled.yaml /etc/trestle/trestled.yaml
  install -D -m 644 /run/check/work/trestle.sysusers /etc/sysusers.d/trestle.conf
  rm -rf /var/lib/trestle /var/cache/trestle
  # An address that is not loopback's but answers, so that it is the unit which stops packets to it.
  ip addr add 192.0.2.1/32 dev lo && ip link set lo up \
    || echo "no address outside: that check says little"
  systemd-sysusers /etc/sysusers.d/trestle.conf
  mount -t tmpfs -o mode=1777 tmpfs /tmp
  mount -t tmpfs -o mode=1777 tmpfs /var/tmp
  /usr/bin/python3 -c "$console" &
  for _ in $(seq 100); do [ -e /run/check/console ] || sleep 0.05; done
  mount --bind "$(cat /run/check/console)" /dev/console
  export container=trestle-check SYSTEMD_LOG_COLOR=0 SYSTEMD_UNIT_PATH=/run/check/work/units
  exec /usr/lib/systemd/systemd --system --unit=check.service --log-target=console \
    --log-level=info --show-status=no
}

# In a mount namespace: a control group of our own, then all the other namespaces.
between() {
  work=$1
  mount -t cgroup2 cgroup2 "$work/cgroup"
  mkdir "$work/cgroup/trestle-check-$2"
  echo $$ > "$work/cgroup/trestle-check-$2/cgroup.procs"
  umount "$work/cgroup"
  exec unshare --pid --fork --kill-child --mount --uts --ipc --net --cgroup \
    "$0" --inside "$work"
}

# The control groups are empty once the last process has gone; that can take a moment.
sweep() {
  mount -t cgroup2 cgroup2 "$1/cgroup"
  for _ in $(seq 50); do
    find "$1/cgroup/trestle-check-$2" -depth -type d -exec rmdir {} + 2>/dev/null || true
    [ -d "$1/cgroup/trestle-check-$2" ] || return 0
    sleep 0.1
  done
  echo "left behind: control group trestle-check-$2" >&2
}

case ${1-} in
  --inside) inside "$2"; exit ;;
  --between) between "$2" "$3"; exit ;;
  --sweep) sweep "$2" "$3"; exit ;;
esac

while [ $# -gt 0 ]; do
  case $1 in
    --trestled) program=$(realpath -e "$2"); shift 2 ;;
    --config) config=$(realpath -e "$2"); shift 2 ;;
    --keep) keep=yes; shift ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
  esac
done

[ "$(id -u)" = 0 ] || skip "needs root"
[ -x /usr/lib/systemd/systemd ] || skip "needs systemd installed"
[ -x /usr/bin/python3 ] || skip "needs /usr/bin/python3"
unshare --pid --fork --mount --uts --ipc --net --cgroup true 2>/dev/null || skip "no namespaces"

work=$(mktemp -d /tmp/trestle-check.XXXXXX)
runner=
finish() {
  code=$?
  trap - EXIT INT TERM
  if [ -n "$runner" ]; then
    kill -KILL "$runner" 2>/dev/null || true
    wait "$runner" 2>/dev/null || true
  fi
  unshare --mount "$0" --sweep "$work" $$ || true
  if [ -n "$keep" ]; then echo "kept: $work" >&2; else rm -rf --one-file-system "$work"; fi
  exit $code
}
trap finish EXIT
trap 'exit 130' INT TERM

chmod 755 "$work"
mkdir -p "$work/cgroup" "$work/units/trestled.service.d" "$work/units/trestled-activated.service.d"

# Adds lines to both services: only what the place needs, never what is checked.
add() {
  for unit in trestled trestled-activated; do
    printf '[Service]\n%s\n' "$2" > "$work/units/$unit.service.d/$1.conf"
  done
}

if [ -n "$program" ]; then
  kind=real
  install -m 755 "$program" "$work/trestled"
  install -m 644 "${config:-$here/../../config/trestled.yaml}" "$work/trestled.yaml"
  # A program linked to libraries outside /usr (a Swift toolchain's, say) is not what is installed.
  strays=$(ldd "$program" | awk '$3 ~ /^\// && $3 !~ /^\/(usr|lib)/ {print $3}' \
    | xargs -r -n1 dirname | sort -u)
  if [ -n "$strays" ]; then
    echo "note: libraries in" $strays "(made executable here): install a static build" >&2
    add strays "ExecPaths=$(echo $strays)"
  fi
else
  kind=standin
  cc -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -O1 "$here/standin.c" -o "$work/trestled" \
    -lzmq || skip "cannot build the stand-in"
  echo "tcp://127.0.0.1:5999" > "$work/trestled.yaml"
fi
cp "$units"/*.service "$units"/*.socket "$work/units/"
cp "$units/trestle.sysusers" "$here/check_units.py" "$work/"
for name in sysinit basic sockets multi-user shutdown network; do
  printf '[Unit]\nDefaultDependencies=no\n' > "$work/units/$name.target"
done
# There is no journal daemon here.
add log "StandardOutput=null
StandardError=append:/run/check/work/daemon.log"
cat > "$work/units/check.service" <<UNIT
[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
TimeoutStartSec=$seconds
ExecStart=/usr/bin/python3 /run/check/work/check_units.py $kind /run/check/work/result
StandardOutput=append:/run/check/work/check.log
StandardError=append:/run/check/work/check.log
UNIT

unshare --mount "$0" --between "$work" $$ > "$work/systemd.log" 2>&1 &
runner=$!
for _ in $(seq $((seconds * 5))); do
  [ ! -e "$work/result" ] && kill -0 "$runner" 2>/dev/null || break
  sleep 0.2
done

cat "$work/check.log" 2>/dev/null || true
if [ "$(cat "$work/result" 2>/dev/null)" = passed ]; then exit 0; fi
echo "--- the daemon"; tail -n 40 "$work/daemon.log" 2>/dev/null || true
echo "--- systemd"; grep -av 'Job check.service' "$work/systemd.log" | tail -n 60
exit 1
