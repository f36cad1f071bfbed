#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every environment variable, well formed and malformed: one program that prints all that can be asked, under libgomp and
# under Tenure (by preload and by library folder), must print the same on both streams. TN_BUILD: the build folder; OMPCC:
# GCC. Where libgomp 12 is odd the value is left out and a comment says so.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${TN_BUILD:-.}" && pwd)
lib=$build/.libs/libtenure.so dir=$build/shim/.libs cc=${OMPCC-gcc}
[ -e "$lib" ] && [ -n "$cc" ] || { echo "needs $lib and GCC"; exit 77; }
[ -z "${TN_SANITIZE:-}" ] || { echo "not with sanitizers, which speak on the same streams"; exit 77; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
"$cc" -fopenmp -w -o "$tmp/env_print" "$here/check_env_print.c" || exit 77
unset ${!OMP_*} ${!GOMP_*} ${!TENURE_*} 2>/dev/null

bad=0 count=0
# try NAME=value …: the variables of one run
try() {
    env "$@" timeout 60 "$tmp/env_print" >"$tmp/want" 2>"$tmp/want2"; want=$?
    for how in "LD_PRELOAD=$lib" "LD_LIBRARY_PATH=$dir"; do
        count=$((count + 1))
        env "$how" "$@" timeout 60 "$tmp/env_print" >"$tmp/got" 2>"$tmp/got2"; got=$?
        if [ $got = $want ] && cmp -s "$tmp/want" "$tmp/got" && cmp -s "$tmp/want2" "$tmp/got2"; then continue; fi
        bad=$((bad + 1))
        echo "NOT THE SAME: $how $* (exit $want, $got)"
        diff "$tmp/want" "$tmp/got" | head -6
        diff "$tmp/want2" "$tmp/got2" | head -6
    done
}
# each NAME value…: one run per value
each() { local name=$1 v; shift; for v; do try "$name=$v"; done; }

try NOTHING=1
each OMP_NUM_THREADS 3 ' 3 ' 3,2 '3 , 2,4' 3, ,3 3,,2 +3 -3 0 0x10 010 18446744073709551616 3x '3 2' 1 ''
# (staticx and truex: libgomp complains and then takes what it has read so far; the default holds here)
each OMP_SCHEDULE static static,4 static,-1 static,0 dynamic,0 ' dynamic , 3 ' dynamic,x dynamic,3x monotonic:dynamic \
    nonmonotonic:dynamic monotonic:static nonmonotonic:static,3 'monotonic : guided , 7' auto auto,4 AUTO dynamic,99999999999 \
    dynamic,2147483647 dynamic,2147483648 '' monotonic: dynamic, nonmonotonic:auto 'dynamic 3' guided,+3 simd:static
for v in DYNAMIC NESTED CANCELLATION; do each OMP_$v true TRUE ' true ' 1 0 false yes ''; done
each OMP_MAX_ACTIVE_LEVELS 0 1 255 300 -1 4294967296 99999999999999999999 x '' ' 3 '
each OMP_THREAD_LIMIT 0 1 7 2147483646 4294967296 -1 x ''
for v in NUM_TEAMS TEAMS_THREAD_LIMIT MAX_TASK_PRIORITY DEFAULT_DEVICE; do each OMP_$v 0 1 7 2147483647 2147483648 -1 x ''; done
for v in OMP_STACKSIZE GOMP_STACKSIZE; do
    each $v 0 1 16 16B 1k 1K 9M ' 9 M ' 16Q 99999999999999999 18014398509481984k -1 '' 1.5M '9 MB' 300
done
each OMP_WAIT_POLICY active passive ACTIVE ' passive ' x '' activex
each GOMP_SPINCOUNT 0 1 1k 1K 2M 3g 4T infinite INFINITY inf '' x -1 ' 5 ' '5 k' 10kx 99999999999999999999
each OMP_TARGET_OFFLOAD default disabled DISABLED x '' ' default '
each OMP_ALLOCATOR omp_null_allocator omp_default_mem_alloc omp_large_cap_mem_alloc omp_const_mem_alloc omp_high_bw_mem_alloc \
    omp_low_lat_mem_alloc omp_cgroup_mem_alloc omp_pteam_mem_alloc OMP_THREAD_MEM_ALLOC 1 ' omp_const_mem_alloc ' '' x
each OMP_AFFINITY_FORMAT '' abc '%n of %N, level %L' ' a b ' '%%|%.5n|%0.5n|%5n|%10{thread_affinity}|%a|%t|%T'
each OMP_PROC_BIND true false TRUE master primary close spread spread,close 'spread , close,primary' true,close spread,true \
    spread,false false,close ' close ' closex '' close, ,close
each OMP_PLACES threads cores sockets numa_domains 'threads(1)' 'threads(9)' 'cores(-1)' THREADS ' threads ' \
    'threads (2)' 'threads(0)' 'threads()' 'threads(x)' 'threads(1' threadsx 'cores(1)x' threads,cores threads:2 '(1)' \
    '{0}' '{0},{1}' '{0:2}' '{0,1}' '{0:1}:2' '{0}:2:1' '{1}:2:-1' '{0:2:1}' '{0:1:2}' '{1:2:-1}' '{0,!0}' '{0:2,!1}' \
    '{0:2,!1},{1}' '!{0},{0},{1}' '{0},{1},!{0}' '{0},{1},{0},!{0}' '{0}:0' '{0}:-1' '{0:0}' '{}' '{0},' ',{0}' '{0' '{-1}' \
    '{5}' '{0,5}' '{0:5}' '{0}:5' '{5},{0}' '{0},{0}' '{ 0 : 2 : 1 } , { 1 }' '{0};{1}' 0,1 0:2 '!1' 0,1,!0 '{!0,0}' '{!0}' \
    '{0:2,!0:1}' '{0:4},!{0:4:1},{1}' '{5},{1},!{5}' '{0}:2:1:1' '{0:2:1:1}' '{0}:99' '{0:99}' '{1:2:-2}' '{0:-1}' '{0}:2:-1' \
    '{0:3:40}' '{0,}' '{0:1:0}' '{0}:2:0' '{99999}' '{0x1}' '{0-1}' '{+0}' '{0}:65536:0' '{0}:40:0' '' nonsense
# (A machine that does not publish its caches: libgomp refuses, here each processor is a place.)
[ ! -d /sys/devices/system/cpu/cpu0/cache ] || each OMP_PLACES ll_caches
# (CPUs that are not there: libgomp stops at the first region, we go on)
each GOMP_CPU_AFFINITY 0 1 '0 1' 0,1 '1 0' 0-1 0-1:1 1-0 0-1:2 '0 1 0 1' '' x 0- '0 x' 0:1 ' 0 , 1 ' 0-1,0 0,,1 \
    0, ,0 99 70000 0-3:0 '0 - 1' '0-1: 1' 0x1 +1 -1 0--1 65536 0-1: '1 1-1'
# several at once
try OMP_NESTED=true OMP_MAX_ACTIVE_LEVELS=1
try OMP_NESTED=false OMP_MAX_ACTIVE_LEVELS=4
try OMP_NESTED=false OMP_NUM_THREADS=2,2
try OMP_NESTED=junk OMP_NUM_THREADS=2,2
try OMP_MAX_ACTIVE_LEVELS=junk OMP_NUM_THREADS=2,2
try OMP_NUM_THREADS=2,2 OMP_MAX_ACTIVE_LEVELS=1
try OMP_STACKSIZE=1M GOMP_STACKSIZE=2M
try OMP_STACKSIZE=x GOMP_STACKSIZE=2M
try OMP_STACKSIZE=x GOMP_STACKSIZE=y
try OMP_WAIT_POLICY=active GOMP_SPINCOUNT=5
try GOMP_CPU_AFFINITY=1 OMP_PROC_BIND=spread
try GOMP_CPU_AFFINITY=1 'OMP_PLACES={0}'
try GOMP_CPU_AFFINITY=x 'OMP_PLACES={0}'
try GOMP_CPU_AFFINITY=1 OMP_PROC_BIND=false
try OMP_PLACES=x OMP_PROC_BIND=false
try OMP_PLACES=x OMP_PROC_BIND=close
try OMP_PLACES=x GOMP_CPU_AFFINITY=1
try OMP_PROC_BIND=x OMP_PLACES=threads
try OMP_PLACES=threads OMP_PROC_BIND=false
try OMP_PROC_BIND=x GOMP_CPU_AFFINITY=1
try GOMP_CPU_AFFINITY=x OMP_PROC_BIND=true
try 'OMP_PLACES=threads(0)' OMP_PROC_BIND=close
try OMP_PLACES='{0},{1},{0},{1},{0}' OMP_PROC_BIND=spread OMP_NUM_THREADS=3
try OMP_PLACES='{0},{1},{0},{1},{0}' OMP_PROC_BIND=spread,close OMP_NUM_THREADS=2,3
try OMP_PLACES='{0},{1},{0}' OMP_PROC_BIND=close OMP_NUM_THREADS=7
try OMP_PLACES='{0},{1}' OMP_PROC_BIND=primary OMP_NUM_THREADS=4
for v in true verbose false x ''; do try OMP_DISPLAY_ENV="$v"; try OMP_DISPLAY_ENV="$v" OMP_NUM_THREADS=4,2 OMP_PLACES=cores; done
try OMP_DISPLAY_AFFINITY=true 'OMP_AFFINITY_FORMAT=%L %n %N %a %A' OMP_NUM_THREADS=2
try OMP_DISPLAY_AFFINITY=true 'OMP_AFFINITY_FORMAT=%L %n %N %a %A' OMP_PLACES=threads
try OMP_AFFINITY_FORMAT=%q
try OMP_AFFINITY_FORMAT='%{no such}'

# The variables that Tenure answers and GCC 12 does not know, against what they stand for; and ours.
same() { # same A=… B=…: two runs under Tenure
    env LD_PRELOAD="$lib" "$1" timeout 60 "$tmp/env_print" >"$tmp/want" 2>&1
    env LD_PRELOAD="$lib" "$2" timeout 60 "$tmp/env_print" >"$tmp/got" 2>&1
    count=$((count + 1))
    cmp -s "$tmp/want" "$tmp/got" || { bad=$((bad + 1)); echo "NOT THE SAME: $1 and $2"; diff "$tmp/want" "$tmp/got" | head -6; }
}
same OMP_NUM_THREADS=3 OMP_NUM_THREADS_ALL=3
same NOTHING=1 OMP_NUM_THREADS_DEV=3
same NOTHING=1 OMP_NUM_THREADS_DEV_0=3
same OMP_SCHEDULE=guided OMP_SCHEDULE_ALL=guided
same OMP_THREAD_LIMIT=4 OMP_THREAD_LIMIT_ALL=4
said=$(env LD_PRELOAD="$lib" TENURE_SPIN=soon "$tmp/env_print" 2>&1 >/dev/null | grep -c '^tenure: TENURE_SPIN=soon')
[ "$said" = 1 ] || { bad=$((bad + 1)); echo "TENURE_SPIN=soon: said $said times"; }
# What is accepted stands in the line; an empty value is none.
for wrong in 'TENURE_SPIN=soon 5ms' 'TENURE_PROFILE=maybe 0 or 1' 'TENURE_ON_THREAD_FAILURE=panic stop or shrink'; do
    env LD_PRELOAD="$lib" "${wrong%% *}" "$tmp/env_print" 2>&1 >/dev/null | grep -q "wanted: .*${wrong#* }" || {
        bad=$((bad + 1)); echo "${wrong%% *}: does not say what is wanted"; }
done
said=$(env LD_PRELOAD="$lib" TENURE_SPIN= TENURE_PROFILE= TENURE_ON_THREAD_FAILURE= "$tmp/env_print" 2>&1 >/dev/null | grep '^tenure:')
[ -z "$said" ] || { bad=$((bad + 1)); echo "empty values of ours: $said"; }

echo "check_env: $count runs, $bad differ"
[ $bad = 0 ]
