#!/bin/bash
# SPDX-License-Identifier: MIT
# The library's face: every name of the installed libgomp and of check_abi.newer is exported at its version node and as
# its default version where it is libgomp's; each is bound to us in a preloaded program and in one that finds us under
# libgomp's name; and the object itself is what a preload must be (libc alone, nodelete, initfirst, little TLS).
# TN_BUILD: the build folder; OMPCC: GCC. `check_abi.sh LIBRARY` compares the names of another object (to see this fail).
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${TN_BUILD:-.}" && pwd)
cc=${OMPCC:-gcc}
ours=${1:-$build/.libs/libtenure.so}
gomp=$(readlink -f "$($cc -print-file-name=libgomp.so.1)")
work=$build/tests/check_abi.tmp
mkdir -p "$work"
failed=0

fault() {
    echo "FAULT: $*"
    failed=1
}

# names FILE: name@NODE or name@@NODE of each defined function or object that a program may use
names() {
    readelf -W --dyn-syms "$1" | awk '$7 != "UND" && $7 != "ABS" && $8 ~ /@/ { print $8 }' |
        grep -E '^(GOMP|GOACC|omp|acc|ompd)_' | sort -u
}

[ -e "$ours" ] || { echo "no $ours"; exit 99; }
names "$ours" >"$work/ours"
names "$gomp" >"$work/libgomp"
grep -v '^#' "$here/check_abi.newer" | sort >"$work/newer"
[ "$(wc -l <"$work/libgomp")" -gt 100 ] || { echo "cannot read the names of $gomp"; exit 99; }

comm -13 "$work/ours" "$work/libgomp" >"$work/missing"
sed 's/@@/@/' "$work/ours" | sort -u >"$work/ours.any"
comm -13 "$work/ours.any" "$work/newer" >>"$work/missing"
[ -s "$work/missing" ] && fault "$(wc -l <"$work/missing") names missing or at another node:" && head -n 40 "$work/missing"
echo "$(wc -l <"$work/libgomp") names of libgomp and $(wc -l <"$work/newer") newer ones compared"

if [ -z "${EMULATOR:-}" ] && [ -z "${TN_SANITIZE:-}" ] && [ $# -eq 0 ]; then
    $cc -O -fopenmp "$here/check_abi_bound.c" -o "$work/bound" -ldl || exit 99
    sed 's/@@/@/' "$work/libgomp" | sort -u - "$work/newer" >"$work/table"
    LD_PRELOAD=$ours timeout 60 "$work/bound" "$(readlink -f "$ours")" <"$work/table" || fault "not all bound by preload"
    folder=$build/shim/.libs
    LD_LIBRARY_PATH=$folder timeout 60 "$work/bound" "$(readlink -f "$folder/libgomp.so.1")" <"$work/table" ||
        fault "not all bound by library folder"
fi

for object in "$ours" "$build/shim/.libs/libgomp.so.1"; do
    dynamic=$(readelf -W -d "$object")
    needed=$(sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' <<<"$dynamic" | grep -Ev '^(libc\.so\.6|ld-linux.*\.so\.[0-9]+)$')
    [ -z "$needed" ] || [ -n "${TN_SANITIZE:-}" ] || fault "$object needs more than libc:" $needed
    grep -q 'NODELETE' <<<"$dynamic" || fault "$object may be unloaded under its threads (no nodelete)"
    grep -q 'INITFIRST' <<<"$dynamic" || fault "$object starts after libgomp has pinned the main thread (no initfirst)"
    grep -q 'NOW' <<<"$dynamic" || fault "$object binds lazily"
    grep -q 'TEXTREL' <<<"$dynamic" && fault "$object has text relocations"
    tls=$(readelf -W -l "$object" | awk '$1 == "TLS" { print $6 }')
    [ $((${tls:-0})) -le 64 ] || [ -n "${TN_SANITIZE:-}" ] || fault "$object has $tls bytes of static TLS"
    leaked=$(readelf -W --dyn-syms "$object" | awk '$7 != "UND" && $7 != "ABS" { print $8 }' | grep -E '^tn_' | head -n 5)
    [ -z "$leaked" ] || fault "$object exports internal names:" $leaked
done
readelf -d "$build/shim/.libs/libgomp.so.1" | grep -q 'SONAME.*\[libgomp.so.1\]' || fault "libgomp.so.1 has another soname"
exit $failed
