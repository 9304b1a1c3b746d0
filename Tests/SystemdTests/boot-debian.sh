#!/bin/bash
# A Debian or Ubuntu of its own, with systemd as PID 1, in namespaces of this machine. test_debian.py
# installs the packages in it; nothing of this machine is touched but a control group.
#
#   boot-debian.sh --base DIR        makes the system with debootstrap, once (two minutes): the release
#                                    that DIR is called by (bookworm, trixie, noble)
#   boot-debian.sh --boot DIR WORK   boots it, with what changes in WORK, until it is switched off;
#                                    WORK/pid is then the process that is its PID 1
#
# Needs root, debootstrap, and for --base Debian's mirror, or Ubuntu's (MIRROR=… another one).
# Exit 77: cannot be run here.
set -euo pipefail
export PATH=/usr/sbin:/usr/bin:/sbin:/bin

skip() { echo "skipped: $*" >&2; exit 77; }

# What the packages need is in it, so that they install without a network.
NEEDED=systemd,systemd-sysv,dbus,debconf,procps,iproute2,init-system-helpers,libzmq5,libyaml-0-2,\
libstdc++6,libqrencode4,zlib1g,python3,python3-cffi-backend,python3-zmq

make_base() {
  base=$1
  [ "$(cat "$base/.done" 2> /dev/null)" != "$NEEDED" ] || return 0
  command -v debootstrap > /dev/null || skip "needs debootstrap"
  rm -rf --one-file-system "$base"
  release=$(basename "$base") mirror=http://deb.debian.org/debian more=(--include="$NEEDED")
  case $release in noble)
    # Debian has no package of Ubuntu's keys, and its debootstrap neither may know the name nor finds what is
    # provided by another name. All of Ubuntu's releases are made alike.
    mirror=http://archive.ubuntu.com/ubuntu
    more=(--no-check-gpg --components=main,universe --include="$NEEDED,libpgm-5.3-0t64")
    script=/usr/share/debootstrap/scripts/gutsy ;;
  esac
  debootstrap --variant=minbase "${more[@]}" \
    "$release" "$base" "${MIRROR:-$mirror}" ${script:+"$script"} >&2
  # No terminals here, and no time that is anybody's to set.
  for unit in console-getty.service getty@.service systemd-timesyncd.service \
      apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \
      systemd-resolved.service systemd-networkd.service; do
    ln -sf /dev/null "$base/etc/systemd/system/$unit"
  done
  # What debootstrap may leave behind: with it no package starts a service.
  rm -f "$base/usr/sbin/policy-rc.d"
  rm -f "$base"/var/cache/apt/archives/*.deb
  echo trestle-debian > "$base/etc/hostname"
  echo "$NEEDED" > "$base/.done"
}

# In the new namespaces, as their PID 1: arrange the files, then become systemd.
inside() {
  base=$1 work=$2 root=$2/root
  mount --make-rprivate /
  mount -t overlay overlay -o "lowerdir=$base,upperdir=$work/upper,workdir=$work/overlay" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs -o ro "$root/sys"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  mkdir "$root/dev/pts" "$root/dev/shm"
  for node in null zero full random urandom tty; do
    touch "$root/dev/$node" && mount --bind "/dev/$node" "$root/dev/$node"
  done
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  touch "$root/dev/console"
  # The control groups are the way this machine has them: all in one, or each kind by itself.
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  else
    mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
    mkdir "$root"/sys/fs/cgroup/{unified,systemd}
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/unified"
    mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
  fi
  ip link set lo up
  cd "$root"
  mkdir -p .old
  pivot_root . .old
  exec chroot . /bin/bash -c 'umount -l /.old && exec env -i container=trestle-debian \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --log-target=journal \
    --show-status=no < /dev/null'
}

# A control group of its own in each hierarchy that systemd makes groups in.
groups() {
  for place in /sys/fs/cgroup /sys/fs/cgroup/{unified,systemd,memory,pids,devices,cpu,cpuacct,blkio}
  do
    [ ! -e "$place/cgroup.procs" ] || echo "$place/trestle-debian-$1"
  done
}

boot() {
  base=$(realpath -e "$1") work=$(realpath -e "$2")
  mkdir -p "$work/upper" "$work/overlay" "$work/root"
  for group in $(groups $$); do
    mkdir "$group"
    echo $$ > "$group/cgroup.procs"
  done
  unshare --pid --fork --kill-child --mount --uts --ipc --net --cgroup \
    "$0" --inside "$base" "$work" &
  runner=$!
  trap 'kill -KILL $runner 2>/dev/null || true' EXIT
  for _ in $(seq 100); do
    child=$(pgrep -P $runner || true)
    [ -z "$child" ] || break
    sleep 0.05
  done
  echo "$child" > "$work/pid"
  wait $runner || true
  rm -f "$work/pid"
  # Back, and the groups away. The last processes can take a moment.
  for group in $(groups $$); do
    echo $$ > "$(dirname "$group")/cgroup.procs"
    for _ in $(seq 50); do
      find "$group" -depth -type d -exec rmdir {} + 2> /dev/null || true
      [ -d "$group" ] || break
      sleep 0.1
    done
  done
}

[ "$(id -u)" = 0 ] || skip "needs root"
case ${1-} in
  --base) make_base "$2" ;;
  --boot) boot "$2" "$3" ;;
  --inside) inside "$2" "$3" ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
esac
