#!/bin/bash
# SPDX-License-Identifier: MIT
# The source's own rules: includes go shim -> omp_bridge -> kernels; omp_bridge knows no GOMP_ name; kernels know no
# thread; every source is in its folder's Makemodule.am; files begin with an SPDX line and end before line 450.
# `check_layers.sh ROOT` looks at another tree (to see this fail).
set -u
cd "${1:-$(dirname "$0")/..}" || exit 99
failed=0

fault() {
    echo "FAULT: $*"
    failed=1
}

declare -A rank=([kernels]=0 [omp_bridge]=1 [shim]=2) home
for folder in kernels omp_bridge shim; do
    for header in "$folder"/*.h; do
        [ -e "$header" ] || continue
        base=$(basename "$header")
        [ -z "${home[$base]:-}" ] || fault "$base is in ${home[$base]} and in $folder: an include finds either"
        home[$base]=$folder
    done
done
for folder in kernels omp_bridge shim; do
    for file in "$folder"/*.[ch]; do
        [ -e "$file" ] || continue
        for header in $(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$file"); do
            to=${home[$(basename "$header")]:-}
            [ -n "$to" ] || { fault "$file includes $header, which no folder has"; continue; }
            [ "${rank[$to]}" -le "${rank[$folder]}" ] || fault "$file includes $to/$(basename "$header"): the wrong way"
        done
        grep -qw "$file" "$folder/Makemodule.am" || fault "$file is not in $folder/Makemodule.am"
    done
done
grep -n 'GOMP_[a-z]' omp_bridge/*.[ch] | grep -v '^omp_bridge/tenure.h' && fault "omp_bridge names a GOMP_ entry"
grep -nE 'pthread|omp\.h|#pragma omp' kernels/*.[ch] 2>/dev/null && fault "kernels know of threads"
for file in kernels/*.[ch] omp_bridge/*.[ch] shim/*.[ch] tests/*.[ch] tests/conform/*.[ch] bench/*.[ch]; do
    [ -e "$file" ] || continue
    head -n 1 "$file" | grep -q 'SPDX-License-Identifier: MIT' || fault "$file does not begin with its SPDX line"
    lines=$(wc -l <"$file")
    [ "$lines" -le 450 ] || fault "$file has $lines lines"
done
exit $failed
