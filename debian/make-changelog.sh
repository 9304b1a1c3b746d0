#!/bin/sh
# Writes debian/changelog. The version is that of the programs, which Messages.swift says and
# nothing else; DEB_VERSION=… gives another one, for trials.
set -eu

version=$(sed -n 's/.*programVersion = "\(.*\)"/\1/p' Sources/TableSync/Messages/Messages.swift)
built=$(.build/release/trestled --version)
if [ "$version" != "$built" ]; then
    echo "The sources are $version and the programs $built: run make build first." >&2
    exit 1
fi
maintainer=$(sed -n 's/^Maintainer: //p' debian/control)
# Where the sources are a copy, `debian/arm64.sh` has written the date beside it.
when=$(git log -1 --format=%cD 2>/dev/null || cat .build/date 2>/dev/null || date -R)
cat > debian/changelog <<END
trestle (${DEB_VERSION:-$version}) unstable; urgency=medium

  * See CHANGELOG.md, which /usr/share/doc/trestle-doc has too.

 -- $maintainer  $when
END
