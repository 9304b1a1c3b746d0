#!/usr/bin/env bash
# Runs the unit tests by the command that it gets, after what else runs (LATER: a command for that). Some of them wait for
# a thread of theirs, and on a busy machine for longer than they have: as with the tests of the programs
# (retry-failed.sh), up to three failed tests are repeated once, alone and like any other process. What fails twice has
# failed. `make test` prints and counts the repeated ones at its end.
set -u -o pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
said=$(mktemp)
trap 'rm -f "$said"' EXIT

${LATER:-} "$@" 2>&1 | tee "$said"
status=$?
[ $status != 0 ] || exit 0
mapfile -t failed < <(sed -nE 's/^✘ Test ([A-Za-z0-9_]+)\(.* failed after .*/\1/p' "$said" | sort -u)
# Without a name it is something else than a failed test.
{ [ ${#failed[@]} -gt 0 ] && [ ${#failed[@]} -le 3 ]; } || exit $status
printf '\nOnce more, alone: %s\n' "${failed[@]}"
mkdir -p "$top/.build"
printf '%s\n' "${failed[@]}" >> "$top/.build/retried"
"$@" --filter "[/.]($(IFS='|'; echo "${failed[*]}"))\\(" 2>&1 | tee "$said" || exit $?
# A pattern that finds nothing would pass.
[ "$(grep -c '^✔ Test [A-Za-z0-9_]*(.* passed after' "$said")" -ge ${#failed[@]} ]
