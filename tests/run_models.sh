#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks the Spin models of the protocols: each must hold, and each mistake planted in it (-DBUG=1 …, as many as its
# line "BUGS: n" says) must be found. `run_models.sh [MODEL…]`; SPIN names spin, TN_BUILD the build folder.
set -u
here=$(cd "$(dirname "$0")" && pwd)
spin=${SPIN:-spin}
work=${TN_BUILD:-.}/tests/models.tmp
command -v "$spin" >/dev/null || { echo "spin is not installed"; exit 77; }
[ $# -gt 0 ] || set -- "$here"/models/*.pml
failed=0

# verify MODEL BUG: prints "holds", "error found" or "broken: …"
verify() {
    local dir options
    dir=$work/$(basename "$1" .pml).$2
    mkdir -p "$dir"
    options=$(sed -n 's/.*SPIN: *\([^*]*\).*/\1/p' "$1")
    (
        cd "$dir" || exit
        # shellcheck disable=SC2086
        "$spin" -a -DBUG="$2" "$1" >spin.log 2>&1 && ${CC:-gcc} -O2 -w ${options:-} -o pan pan.c >>spin.log 2>&1 &&
            timeout 300 ./pan -m1000000 $(sed -n 's/.*PAN: *\([^*]*\).*/\1/p' "$1") >pan.log 2>&1
        if ! grep -q 'errors:' pan.log 2>/dev/null; then
            echo "broken: $(tail -n 1 spin.log pan.log 2>/dev/null | tr '\n' ' ')"
        elif grep -q 'max search depth too small' pan.log; then
            echo "broken: search depth too small"
        elif grep -q 'errors: 0' pan.log; then
            echo holds
        else
            echo 'error found'
        fi
    )
}

for model in "$@"; do
    model=$(readlink -f "$model")
    bugs=$(sed -n 's/.*BUGS: *\([0-9]*\).*/\1/p' "$model")
    for bug in $(seq 0 "${bugs:-0}"); do
        wanted=holds
        [ "$bug" -gt 0 ] && wanted='error found'
        got=$(verify "$model" "$bug")
        verdict=PASS
        [ "$got" = "$wanted" ] || { verdict=FAIL; failed=1; }
        echo "$verdict: $(basename "$model") bug $bug: $got"
    done
done
exit $failed
