#!/usr/bin/env bash
# Runs a command, and appends the lines about failed tests to .build/failed. `make test` prints that file last: two
# stages print at a time, and of a long output the end is read first.
set -u -o pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
said=$(mktemp)
trap 'rm -f "$said"' EXIT

"$@" 2>&1 | tee "$said"
status=$?
if [ $status != 0 ]; then
    mkdir -p "$top/.build"
    {
        printf '\nFailed (%s): %s\n' "$status" "$*"
        grep -E '^(FAILED|ERROR|E   )|✘|✖|error:|Once more, alone' "$said" | tail -n 20 | cut -c 1-300
        echo 'The end of it:'
        tail -n 5 "$said" | cut -c 1-300
    } >> "$top/.build/failed"
fi
exit $status
