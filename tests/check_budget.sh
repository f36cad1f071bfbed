#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The budgets written in the headers of omp_bridge/, counted, not timed: instructions of a region (valgrind), system calls in steady
# state, and membarriers and looks at masks where each region sleeps (strace), no fence and no locked instruction in the hot half
# (objdump). 77 if none of the tools is here.
# TN_BUILD: the build folder. `check_budget.sh PROGRAM` takes another build of tests/budget.c.
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-${TN_BUILD:-.}/tests/budget}
[ -x "$program" ] || { echo "no $program"; exit 77; }
[ -z "${TN_SANITIZE:-}" ] || { echo "not with sanitizers"; exit 77; }
unset ${!OMP_*} ${!GOMP_*} ${!TENURE_*} 2>/dev/null
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0 checked=0
fault() { echo "FAULT: $*"; failed=1; }
has() { command -v "$1" >/dev/null || { echo "without $1: not looked at"; return 1; }; }
timeout 60 "$program" two 10
[ $? = 77 ] && { echo "one processor, or a debug build"; exit 77; }

# instructions MODE REGIONS: of thread 0, less its wait in the body
instructions() {
    timeout 300 valgrind --tool=callgrind --fair-sched=yes --toggle-collect=budget_steady \
        --callgrind-out-file="$tmp/out" "$program" "$1" "$2" >"$tmp/log" 2>&1 || { cat "$tmp/log" >&2; return 1; }
    callgrind_annotate --auto=no --inclusive=yes --threshold=100 "$tmp/out" | tr -d , |
        awk '/PROGRAM TOTALS/ { n = $1 } /budget\.c:budget_(counted|wait) / { n -= $1 } END { print n + 0 }'
}
# The counts are GCC's at -O2 on x86-64; other builds are held to twice as many.
slack=200
[ "$(uname -m)" = x86_64 ] && readelf -p .comment "$program" 2>/dev/null | grep -q GCC && slack=115
if has valgrind; then
    while read -r _ _ mode budget _; do
        few=$(instructions "$mode" 2000) && many=$(instructions "$mode" 4000) || { fault "$mode: valgrind"; continue; }
        n=$(((many - few) / 2000))
        echo "$mode: $n instructions, budget $budget"
        [ $n -gt 9 ] && [ $((n * 100)) -le $((budget * slack)) ] || fault "$mode: $n instructions, budget $budget"
        checked=1
    done < <(grep -ho '\* *BUDGET .*' "$here"/../omp_bridge/*.h)
    [ $checked = 1 ] || fault "no budgets in omp_bridge/*.h"
fi

if has strace && strace -o /dev/null true 2>/dev/null; then
    for mode in two turn nested; do
        # Where other programs push two members onto one processor, one moves away by a call: not steady, so the best of five.
        for _ in 1 2 3 4 5; do
            timeout 120 strace -f -o "$tmp/trace" "$program" $mode 4000
            grep -q '"begin"' "$tmp/trace" && grep -q '"end"' "$tmp/trace" || fault "$mode: no marks in the trace"
            sed -n '/"begin"/,/"end"/p' "$tmp/trace" | grep -v '"begin"\|"end"' >"$tmp/steady"
            calls=$(grep -vc 'sched_yield\|write resumed' "$tmp/steady")
            [ "$calls" -gt 0 ] || break
        done
        echo "$mode: $calls system calls in 4000 regions, and $(grep -c 'sched_yield(' "$tmp/steady") yields by long waits"
        [ "$calls" = 0 ] || { fault "$mode: $calls system calls"; grep -v sched_yield "$tmp/steady" | head -n 5; }
    done
    # Where each region sleeps, a membarrier for each would interrupt all processors: the waker pays (fence.h).
    for mode in asleep callers; do
        timeout 120 strace -f -e trace=write,futex,membarrier,sched_getaffinity -ttt -o "$tmp/trace" "$program" $mode 2000
        [ $? != 77 ] || { echo "$mode: too many processors, not looked at"; continue; }
        sed -n '/"begin"/,/"end"/p' "$tmp/trace" >"$tmp/steady"
        sleeps=$(grep -c 'FUTEX_WAIT' "$tmp/steady")
        barriers=$(grep -c 'membarrier(' "$tmp/steady")
        masks=$(grep -c 'sched_getaffinity(' "$tmp/steady")
        echo "$mode: $barriers membarriers and $masks questions for masks in 2000 regions, $sleeps sleeps"
        [ "$sleeps" -gt 500 ] || fault "$mode: only $sleeps sleeps: nothing was looked at"
        # Two at a look, a look in 10 ms, of each worker (procs, or 4).
        most=$(awk -v workers=$(($(nproc) + 4)) '{ t = $2 } NR == 1 { first = t } END { print int(2 * workers * ((t - first) / .010 + 2)) }' "$tmp/steady")
        [ "$masks" -le "$most" ] || fault "$mode: $masks questions for masks, at most $most"
        [ "$barriers" -lt 100 ] || fault "$mode: $barriers membarriers"
    done
    checked=1
fi

if has objdump; then
    for f in tn_region tn_region_enter tn_region_release tn_region_leave tn_join_gather tn_join_arrive; do
        code=$(objdump -d --no-show-raw-insn "$program" | sed -n "/<$f>:\$/,/^\$/p")
        [ -n "$code" ] || { fault "no $f in $program"; continue; }
        fences=$(echo "$code" | grep -E 'lock |mfence|xchg .*\(|\bdmb  *(ish|sy)$|\bldadd|\bcas' | grep -v nop)
        [ -z "$fences" ] || fault "$f: $fences"
    done
    checked=1
fi
[ $checked = 1 ] || exit 77
exit $failed
