#!/bin/bash
# SPDX-License-Identifier: MIT
# Two MPI ranks (Open MPI), each with sessions and OpenBLAS: bound to one processor each, and both on all.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${TN_BUILD:-.}
work=$build/tests/check_mpi.tmp
[ -n "${TN_SANITIZE:-}${EMULATOR:-}" ] && { echo "not in this kind of build"; exit 77; }
for tool in mpicc mpirun; do
    command -v $tool >/dev/null || { echo "no $tool (Debian: libopenmpi-dev, openmpi-bin)"; exit 77; }
done
mpirun --version 2>&1 | grep -q 'Open MPI' || { echo "an mpirun that is not Open MPI's"; exit 77; }
mkdir -p "$work" || exit 99
mpicc -O1 -g -Wall -Wextra -I"$here/../omp_bridge" -I"$here/../kernels" "$here/mpi/ranks.c" -o "$work/ranks" \
    -L"$build/.libs" -Wl,--no-as-needed -ltenure -fopenmp -ldl || exit 99

export LD_LIBRARY_PATH=$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
failed=0

# ranks WIDTH MPIRUN-OPTIONS…: exit status 0
ranks() {
    width=$1
    shift
    timeout -k 5 100 mpirun -np 2 --mca btl self,vader --mca btl_vader_single_copy_mechanism none "$@" \
        "$work/ranks" "$width" >"$work/out" 2>&1 || { echo "mpirun $*: status $?"; head -n 20 "$work/out"; failed=1; }
}

ranks 0 --oversubscribe --bind-to none
if [ "$(nproc)" -ge 2 ]; then
    ranks 1 --use-hwthread-cpus --bind-to hwthread
else
    echo "one processor: no rank can be bound to one of its own"
fi
exit $failed
