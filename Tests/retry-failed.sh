#!/usr/bin/env bash
# Runs pytest with the arguments that it gets. A test that measures time, or loads the machine, fails now and then
# because others use the machine too: up to three failed tests are repeated once, alone. What fails twice has failed,
# and more than three failures are not repeated. Both runs are printed. The repeated tests are kept in .build/retried,
# and `make test` prints and counts them at its end: look at a test that needs its second try.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
pytest() { "$python" -m pytest --rootdir "$PWD" -o cache_dir="$cache" "$@"; }

pytest "$@"
status=$?
[ $status = 1 ] || exit $status  # 0, or something else than a failed test
mapfile -t failed < <("$python" -c 'import json, sys
print(*json.load(open(sys.argv[1])), sep="\n")' "$cache/v/cache/lastfailed")
[ ${#failed[@]} -le 3 ] || exit 1
printf '\nOnce more, alone: %s\n' "${failed[@]}"
mkdir -p "$top/.build"
printf '%s\n' "${failed[@]}" >> "$top/.build/retried"
pytest -q "${failed[@]}"
