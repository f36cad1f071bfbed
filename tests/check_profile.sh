#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# TENURE_PROFILE=1: one table at the end, whose counts are those of the program's regions, threads that have ended
# included; nothing without it. TN_BUILD: the build folder; OMPCC: GCC.
set -u
build=$(cd "${TN_BUILD:-.}" && pwd)
lib=$build/.libs/libtenure.so cc=${OMPCC-gcc}
[ -e "$lib" ] && [ -n "$cc" ] || { echo "no $lib, or no compiler for OpenMP"; exit 77; }
[ -z "${TN_SANITIZE:-}" ] || { echo "not with sanitizers"; exit 77; }
unset ${!OMP_*} ${!GOMP_*} ${!TENURE_*} 2>/dev/null
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/p.c" <<'P'
#include <pthread.h>
static void *regions(void *n)
{
    for (int i = 0; i < 50; i++)
#pragma omp parallel num_threads(*(int *)n)
        __asm__ volatile("" ::: "memory");
    return 0;
}
int main(void)
{
    int two = 2, three = 3, sum = 0;
    regions(&two);
#pragma omp parallel for schedule(dynamic) num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 10; i++)
        sum += i;
    pthread_t t;
    return pthread_create(&t, 0, regions, &three) || pthread_join(t, 0) || sum != 45;
}
P
"$cc" -O2 -fopenmp "$tmp/p.c" -o "$tmp/p" -pthread || exit 99
failed=0
fault() { echo "FAULT: $*"; failed=1; }
off=$(LD_PRELOAD=$lib timeout 60 "$tmp/p" 2>&1) || fault "status $?"
[ -z "$off" ] || fault "it speaks unasked: $off"
table=$(TENURE_PROFILE=1 LD_PRELOAD=$lib timeout 60 "$tmp/p" 2>&1) || fault "status $?"
# 51 regions of width 2 and 50 of width 3; each worker's first dock has no beginning
while read -r phase low high; do
    n=$(echo "$table" | sed -n "s/^tenure: ${phase/_/ }  *\([0-9]*\) times .*/\1/p")
    [ "${n:-0}" -ge "$low" ] && [ "${n:-0}" -le "$high" ] || fault "$phase: '$n' times, wanted $low to $high"
done <<'E2'
width_decision 101 101
crew_acquire 101 101
team_lookup 101 101
affinity 101 101
release 101 101
body 252 252
join 101 101
dock 148 150
E2
[ "$(echo "$table" | wc -l)" = 9 ] || fault "not one heading and eight lines: $table"
quiet=$(TENURE_PROFILE=1 LD_PRELOAD=$lib true 2>&1)
[ -z "$quiet" ] || fault "it speaks where there is no region: $quiet"
exit $failed
