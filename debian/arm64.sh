#!/usr/bin/env bash
# Builds the programs for arm64 on a machine of another kind, packs them, and holds them against their tests under
# QEMU. `make arm64` calls this.
#
#   arm64.sh build   the programs, the unit tests of the core, and the packages in .build/arm64/src/.build/deb
#   arm64.sh test    these unit tests, and the tests of the real programs that FILES names
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
    within "$compiler" 'cd /tmp && apt-get -o APT::Sandbox::User=root download swiftlang libswiftlang swiftlang:arm64 libswiftlang:arm64 >&2'
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
    "$top/Tests/install-packages.sh" mmdebstrap qemu-user-static
    binary_format
    mkdir -p "$work"
    make_compiler
    make_sdk
    make_machine
    # The files of the repository as they are now, and what is the same on each processor.
    mkdir -p "$src/.build"
    (cd "$top" && git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - ) | tar -x -C "$src"
    cp -a "$top/.build/web" "$top/.build/site" "$src/.build/"
    git -C "$top" log -1 --format=%cD > "$src/.build/date"
    within "$compiler" 'cd /src && git config --global safe.directory "*" && make SWIFT=swift-arm64 INSTALL=: -o web PROGRAMS="trestled trestle" build serve'
    within "$compiler" 'cd /src && swift-arm64 build --product trestlePackageTests --scratch-path .build/unit -Xswiftc -gnone -Xcc -g0'
    within "$machine" 'cd /src && make INSTALL=: -o site -o web packages'
    lintian --allow-root --fail-on error,warning --suppress-tags debug-file-with-no-debug-symbols "$src/.build/deb/trestle.changes"
}

# What is pure, and what reads and writes bytes. The others open sockets by the hundred and measure.
core='TableHashTests|TableModelTests|TableWireTests|TablePredicateTests|TableLayoutTests|TableJournalTests|TableSyncTests'
files=${FILES:-Tests/CLITests/test_cli_golden.py $(echo Tests/IPCTests/test_{basics,actions,next,kill,curve,in_sync,restart}.py)}

test_all() {
    binary_format
    within "$machine" "cd /src && LD_LIBRARY_PATH=/usr/lib/swift/linux .build/unit/$triple/debug/trestlePackageTests.xctest --testing-library swift-testing --filter '$core'"
    # The tests run here, and only the programs are of the other processor.
    cd "$top"
    QEMU_LD_PREFIX=$machine TRESTLE_BIN=$src/.build/release .venv/bin/python -m pytest -q -m 'not slow' $files
}

case ${1-} in
    build) build ;;
    test) test_all ;;
    *) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 64 ;;
esac
