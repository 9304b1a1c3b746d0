#!/usr/bin/env bash
# Holds the packages of `make rpm` against a system without one: it installs them there, works with them, upgrades and
# removes them. The system is a Debian with what they require, since rpm is in Debian, and dnf and its mirrors are not.
#
#   check.sh FOLDER      with the packages, and with those of a higher release in FOLDER/next
#
# Needs root and Debian's mirror, once.
set -euo pipefail

# Mounts of this process go with it.
[ -n "${ALONE-}" ] || ALONE=yes exec unshare --mount "$0" "$@"

top=$(cd "$(dirname "$0")/.." && pwd)
packages=$(realpath "$1")
root=$top/.build/rpm-root
mirror=${MIRROR:-http://deb.debian.org/debian}
rpm_there() { rpm --root "$root" --force-debian "$@"; }
fail() { echo "$*" >&2; exit 1; }

for package in "$packages"/*.rpm; do
    rpm -K "$package" | grep -q 'digests OK' || fail "$package is damaged"
done

rm -rf --one-file-system "$root"
mmdebstrap --quiet --variant=minbase --include=systemd,libzmq5,libyaml-0-2,libqrencode4,libcurl4 bookworm "$root" "$mirror"
mkdir -p "$root/src"
for folder in proc dev; do mount --bind "/$folder" "$root/$folder"; done
mount --bind "$top" "$root/src"
rpm --root "$root" --initdb
# The packages require each other, which is held to. Debian's own packages are not in the table of rpm.
rpm_there --nodeps -i "$packages"/*.rpm
rpm_there -qa | sort
chroot "$root" sh -ec 'id trestle; id trestle-serve; test -d /var/backups/trestle; trestled check-config --config /etc/trestle/trestled.yaml'

# A daemon, viewers, a kill, a check.
chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TRESTLE_BIN=/usr/bin /src/examples/demo.sh | tail -n 12

# An upgrade keeps what the administrator wrote, and a removal the tables.
echo '# ours' >> "$root/etc/trestle/trestled.yaml"
install -d "$root/var/lib/trestle"
rpm_there --nodeps -U "$packages"/next/*.rpm
grep -q '^# ours' "$root/etc/trestle/trestled.yaml" || fail "an upgrade changed the configuration"
rpm_there --nodeps -V trestle trestle-serve || fail "files differ from the packages"
rpm_there -e trestle trestled trestle-serve
[ -d "$root/var/lib/trestle" ] && [ ! -e "$root/usr/bin/trestled" ] || fail "a removal left the program, or took the tables"
echo "installed, worked with, upgraded, removed"
