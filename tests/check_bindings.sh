#!/bin/bash
# SPDX-License-Identifier: MIT
# tenure.h from C++ and the Fortran module: each program is built as a user builds one, linked to the library, and run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${TN_BUILD:-.}
work=$build/tests/check_bindings.tmp
[ -n "${TN_SANITIZE:-}${EMULATOR:-}" ] && { echo "not in this kind of build"; exit 77; }
[ -n "${OMPCXX-g++}${OMPFC-gfortran}" ] || { echo "neither a C++ nor a Fortran compiler"; exit 77; }
rm -rf "$work"
mkdir -p "$work" || exit 99
failed=0

# attempt NAME COMPILER…: built without a warning, exit status 0
attempt() {
    name=$1
    shift
    "$@" -Wall -Wextra -Werror -o "$work/$name" -L"$build/.libs" -ltenure || { failed=1; return; }
    LD_LIBRARY_PATH=$build/.libs timeout 60 "$work/$name" || { echo "$name: status $?"; failed=1; }
}

cxx=${OMPCXX-g++}
fc=${OMPFC-gfortran}
[ -z "$cxx" ] || attempt session_cxx "$cxx" -std=c++11 -Wshadow -I"$here/../omp_bridge" -I"$here/../kernels" "$here/session_cxx.cc"
[ -z "$fc" ] || attempt session_fortran "$fc" -J"$work" "$here/../omp_bridge/tenure.f90" "$here/session_fortran.f90"
exit $failed
