#!/usr/bin/env bash
# Installs those of the named packages of Debian that are missing. Their services are neither started
# now, nor enabled for the next start of the machine: tests start what they need by themselves.
set -euo pipefail
needed=()
for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || needed+=("$package")
done
[ ${#needed[@]} -gt 0 ] || exit 0
echo "installing: ${needed[*]}"

sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
# Scripts of packages ask this program before they start a service; 101 means no.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
    trap '$sudo rm -f $policy' EXIT
    printf '#!/bin/sh\nexit 101\n' | $sudo tee $policy >/dev/null
    $sudo chmod 755 $policy
fi
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${needed[@]}"

# The packages of systemd itself are what a machine starts with.
services=$(dpkg -L "${needed[@]}" | sed -n 's:.*/systemd/system/\([^/@]*\.service\)$:\1:p' | grep -v '^systemd' | sort -u || true)
[ -z "$services" ] || $sudo systemctl disable --quiet $services 2>/dev/null || true
