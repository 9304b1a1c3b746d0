#!/usr/bin/env bash
# Builds the programs for arm64 on a machine of another kind, packs them, and holds them against their tests under
# QEMU. `make arm64` calls this.
#
#   arm64.sh build   trestled and trestle, and the packages in .build/arm64/src/.build/deb; the gateway is not among them
#   arm64.sh test    the packages in an empty Debian, and the tests of the real programs that FILES names; what this
#                    machine's programs have written (`make build`) is read by those for arm64, and the other way round
#
# swift.org's compiler for Debian has no libraries for another processor, and Debian's own compiler has them: it is
# unpacked with a Debian unstable around it, beside a Debian 13 for arm64 that is both what the programs are linked
# with and the system in which they are packed. Both come from Debian's mirror, once, with 1.2 GB of compilers; they
# take 8 GB. Nothing of this machine is touched but its table of binary formats, which QEMU's package writes too.
# Needs root. APTOPT=… is for apt (a mirror that is a copy of another day: 'Acquire::Check-Valid-Until "false"').
set -euo pipefail
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8

top=$(cd "$(dirname "$0")/.." && pwd)
work=$top/.build/arm64
compiler=$work/compiler machine=$work/machine src=$work/src
triple=aarch64-unknown-linux-gnu
mirror=${MIRROR:-http://deb.debian.org/debian}
strap() { mmdebstrap ${APTOPT:+--aptopt="$APTOPT"} --variant=minbase "$@" "$mirror" >&2; }

# Programs for arm64 start through QEMU, also in a folder that is their root.
binary_format() {
    [ -e /proc/sys/fs/binfmt_misc/register ] || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf > /proc/sys/fs/binfmt_misc/register
}

# What the compiler's package needs, and nothing that it would install besides.
make_compiler() {
    [ ! -e "$compiler/.done" ] || return 0
    rm -rf --one-file-system "$compiler"
    strap --architectures=amd64,arm64 --include=ca-certificates,git,make,gcc,g++,binutils,libedit2,libncurses6,libpython3.14,libsqlite3-0,libxml2-16,libzstd1,libuuid1,libcurl4t64,pkg-config sid "$compiler"
    within "$compiler" 'cd /tmp && apt-get update -qq >&2 && apt-get -o APT::Sandbox::User=root download swiftlang libswiftlang swiftlang:arm64 libswiftlang:arm64 >&2'
    for package in "$compiler"/tmp/*_amd64.deb; do dpkg -x "$package" "$compiler"; done
    for package in "$compiler"/tmp/*_arm64.deb; do dpkg -x "$package" "$compiler/arm64"; done
    rm "$compiler"/tmp/*.deb
    touch "$compiler/.done"
}

# How the compiler finds what is for arm64.
make_sdk() {
    # The compiler's `swift build`, for arm64 whatever else it is told.
    cat > "$compiler/usr/local/bin/swift-arm64" <<END
#!/bin/sh
# Debian's compiler checks its own intermediate code, and takes a failing init of a value without copies for wrong.
verb=\$1; shift
exec swift "\$verb" --swift-sdks-path /sdk --swift-sdk $triple "\$@" -Xswiftc -Xfrontend -Xswiftc -sil-verify-none
END
    chmod +x "$compiler/usr/local/bin/swift-arm64"
    local bundle=$compiler/sdk/arm64.artifactbundle
    mkdir -p "$bundle/arm64/sysroot" "$compiler/src"
    echo '{"schemaVersion":"1.0","artifacts":{"arm64":{"type":"swiftSDK","version":"1","variants":[{"path":"arm64"}]}}}' > "$bundle/info.json"
    echo '{"schemaVersion":"1.0","swiftCompiler":{"extraCLIOptions":["-use-ld=lld"]}}' > "$bundle/arm64/toolset.json"
    sed 's/^ *//' > "$bundle/arm64/swift-sdk.json" <<END
        {"schemaVersion":"4.0","targetTriples":{"$triple":{"sdkRootPath":"sysroot","toolsetPaths":["toolset.json"],
        "swiftResourcesPath":"sysroot/usr/lib/swift","swiftStaticResourcesPath":"sysroot/usr/lib/swift_static"}}}
END
}

# Libraries to link with, tools to pack with, and the compiler's libraries for arm64.
make_machine() {
    [ ! -e "$machine/.done" ] || return 0
    rm -rf --one-file-system "$machine"
    strap --architectures=arm64 --include=libstdc++-14-dev,libzmq3-dev,libyaml-dev,libcurl4-openssl-dev,libqrencode-dev,zlib1g-dev,libxml2-dev,debhelper,dh-python,po-debconf,fakeroot,dpkg-dev,man-db,groff-base,python3,make,git trixie "$machine"
    mkdir -p "$machine/src"
    mv "$compiler"/arm64/usr/libexec/swift/lib/{swift,swift_static,clang} "$machine/usr/lib/"
    rm -rf "$compiler/arm64"
    touch "$machine/.done"
}

# `debian/inside.py` asks the compiler for its version and its licence, and there is none where the programs are packed.
name_compiler() {
    local version
    version=$(within "$compiler" 'swift --version 2>/dev/null' | grep -o 'Swift version [0-9.]*')
    printf '#!/bin/sh\necho "%s"\n' "$version" > "$machine/usr/local/bin/swift"
    chmod +x "$machine/usr/local/bin/swift"
    install -D -m 644 "$compiler/usr/share/doc/swiftlang/copyright" "$machine/usr/local/share/swift/LICENSE.txt"
}

# within ROOT COMMAND: as root there, with the sources, and with the folders that this process alone sees.
within() {
    unshare --mount bash -s "$@" <<'END'
set -euo pipefail
root=$1 command=$2
mount --bind /proc "$root/proc"
mount --bind /dev "$root/dev"
sdk=$root/sdk/arm64.artifactbundle/arm64/sysroot
[ ! -d "$sdk" ] || mount --bind "$(dirname "$root")/machine" "$sdk"
[ ! -d "$root/src" ] || mount --bind "$(dirname "$root")/src" "$root/src"
# Where git on this machine reads copies of the packages, the compiler's does too.
copies=$(git config --get-regexp '^url\..*\.insteadof$' | sed -n 's/^url\.\(\/[^ ]*\)\.insteadof .*/\1/p' | head -1)
if [ -n "$copies" ]; then
    mkdir -p "$root$copies"
    mount --bind "$copies" "$root$copies"
    git config --file "$root/etc/gitconfig" "url.$copies.insteadOf" https://github.com/
fi
exec chroot "$root" env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/bin:/usr/libexec/swift/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -ec "$command"
END
}

build() {
    "$top/Tests/install-packages.sh" mmdebstrap qemu-user-static rsync
    binary_format
    mkdir -p "$src/.build"
    make_compiler
    make_sdk
    make_machine
    name_compiler
    # The files of the repository as they are now, and what is the same on each processor. A file that has not changed
    # is not written again: it would be compiled again.
    rm -rf "$work/now"
    mkdir "$work/now"
    (cd "$top" && git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - ) | tar -x -C "$work/now"
    rsync --recursive --links --perms --checksum --delete --exclude /.build --exclude Package.resolved "$work/now/" "$src/"
    rm -rf "$src"/.build/{web,site}
    cp -a "$top/.build/web" "$top/.build/site" "$src/.build/"
    git -C "$top" log -1 --format=%cD > "$src/.build/date"
    within "$compiler" 'cd /src && git config --global safe.directory "*" && make SWIFT=swift-arm64 INSTALL=: -o web PROGRAMS="trestled trestle" build'
    within "$machine" 'cd /src && make INSTALL=: -o site -o web packages'
    lintian --allow-root --fail-on error,warning --suppress-tags debug-file-with-no-debug-symbols "$src/.build/deb/trestle.changes"
}

# The packages in a Debian 13 that has nothing else: apt finds what they need, and the demonstration ends a daemon and compares digests.
try_packages() {
    rm -rf --one-file-system "$work/fresh"
    strap --architectures=arm64 trixie "$work/fresh"
    cp "$src"/.build/deb/{trestle,trestled,trestle-doc}_*.deb "$work/fresh/tmp/"
    within "$work/fresh" 'cd /tmp
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ./*.deb > install.log || { cat install.log; exit 1; }
        for program in trestle trestled; do echo "$(uname -m): $program $($program --version)"; done
        TRESTLE_BIN=/usr/bin bash /usr/share/doc/trestle-doc/examples/demo.sh > demo.log || { cat demo.log; exit 1; }
        cat demo.log
        grep -q "on the board: 100 of 100" demo.log
        apt-get purge -y -qq trestle trestled trestle-doc > purge.log'
}

# Answers, digests, kills, files of this machine's programs, and encryption. Left out is what measures: a program takes
# ten times as long under QEMU.
ipc=Tests/IPCTests
encrypted="$(printf "$ipc/test_curve.py::test_%s " known_key_is_served nobody_else_decides_anything revoked_key_is_out_within_a_second)"
files=${FILES:-$(echo $ipc/test_{other_processor,releases,basics,kill,restart,next}.py) $encrypted}

test_all() {
    binary_format
    try_packages
    # The tests run here, and only the programs are of the other processor.
    cd "$top"
    QEMU_LD_PREFIX=$machine TRESTLE_BIN=$src/.build/release TRESTLE_OTHER_BIN=$top/.build/release \
        .venv/bin/python -m pytest -q -m 'not slow' --deselect $ipc/test_next.py::test_waiting_costs_nothing $files
}

case ${1-} in
    build) build ;;
    test) test_all ;;
    *) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 64 ;;
esac
