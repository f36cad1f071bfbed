#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A process that uses no OpenMP does not notice the preload (DESIGN, promise 4): it says nothing whatever the variables
# hold, opens no file, has one thread, keeps its CPU set. And TENURE_CHILDREN=no: the programs it starts are without it.
# TN_BUILD: the build folder; OMPCC: GCC.
set -u
build=$(cd "${TN_BUILD:-.}" && pwd)
lib=$build/.libs/libtenure.so dir=$build/shim/.libs
[ -e "$lib" ] || { echo "no $lib"; exit 77; }
[ -z "${TN_SANITIZE:-}" ] || { echo "not with sanitizers"; exit 77; }
failed=0
fault() { echo "FAULT: $*"; failed=1; }
unset ${!OMP_*} ${!GOMP_*} ${!TENURE_*} 2>/dev/null
export OMP_NUM_THREADS=junk OMP_PLACES=cores OMP_PROC_BIND=close OMP_DISPLAY_ENV=verbose TENURE_VERBOSE=1 TENURE_SPIN=junk
with() { env "LD_PRELOAD=$lib" "$@"; }

said=$(with sh -c : 2>&1; with TENURE_CHILDREN=no sh -c : 2>&1)
[ -z "$said" ] || fault "it speaks: $said"
threads=$(with sh -c 'while read -r a b c; do [ "$a" = Threads: ] && echo "$b"; done </proc/self/status')
[ "$threads" = 1 ] || fault "$threads threads"
set_of='while read -r a b c; do [ "$a" = Cpus_allowed: ] && echo "$b"; done </proc/self/status'
[ "$(sh -c "$set_of")" = "$(with sh -c "$set_of")" ] || fault "another CPU set"
mapped() { with "$@" sh -c 'cat /proc/self/maps' | grep -c /libtenure.so; }
[ "$(mapped)" -gt 0 ] || fault "the check finds nothing: not preloaded at all"

if command -v strace >/dev/null; then
    trace() { strace "$@" -e trace=open,openat,clone,clone3,sched_setaffinity -o /dev/stdout sh -c : | grep -v "$lib"; }
    diff <(trace) <(trace -E "LD_PRELOAD=$lib") || fault "it opens, starts or binds something"
else
    echo "without strace: files are not looked at"
fi

[ "$(mapped TENURE_CHILDREN=no)" = 0 ] || fault "TENURE_CHILDREN=no: a child has it"
left=$(env TENURE_CHILDREN=no "LD_PRELOAD=$lib:/no/such.so" sh -c 'echo "$LD_PRELOAD"' 2>/dev/null)
[ "$left" = /no/such.so ] || fault "LD_PRELOAD of a child is '$left', not the rest of it"
cc=${OMPCC-gcc}
if [ -n "$cc" ] && [ -e "$dir/libgomp.so.1" ]; then
    tmp=$(mktemp -d) || exit 99
    trap 'rm -rf "$tmp"' EXIT
    printf '#include <omp.h>\n#include <stdlib.h>\nint main(void) { return omp_get_max_threads() < 1 || system("echo $LD_LIBRARY_PATH"); }\n' >"$tmp/p.c"
    "$cc" -w -fopenmp "$tmp/p.c" -o "$tmp/p" || exit 99
    unset OMP_NUM_THREADS OMP_DISPLAY_ENV TENURE_VERBOSE TENURE_SPIN
    left=$(env TENURE_CHILDREN=no "LD_LIBRARY_PATH=/a:$dir:/b" "$tmp/p")
    [ "$left" = /a:/b ] || fault "LD_LIBRARY_PATH of a child is '$left'"
    left=$(env "LD_LIBRARY_PATH=/a:$dir:/b" "$tmp/p")
    [ "$left" = "/a:$dir:/b" ] || fault "LD_LIBRARY_PATH of a child is '$left' though nobody asked"
    # The first use reads the machine and the cgroups; not on the stack, of which a thread may have 16 KiB.
    printf '%s\n' 'int region(int w) { int n = 0;' '#pragma omp parallel num_threads(w) reduction(+:n)' 'n++;' 'return n; }' >"$tmp/plugin.c"
    printf '%s\n' '#include <dlfcn.h>' '#include <pthread.h>' 'static void *f(void *r) { int (*region)(int) = r; return region(2) == 2 && region(20) == 20 ? r : 0; }' \
        'int main(int c, char **v) { pthread_t t; pthread_attr_t a; void *h = dlopen(v[c - 1], RTLD_NOW), *r = h, *g = h ? dlsym(h, "region") : h;' \
        'return !g || pthread_attr_init(&a) || pthread_attr_setstacksize(&a, 16384) || pthread_create(&t, &a, f, g) ||' \
        'pthread_join(t, &r) || r != g; }' >"$tmp/small.c"
    "$cc" -w -fopenmp -fPIC -shared "$tmp/plugin.c" -o "$tmp/plugin.so" && "$cc" -w "$tmp/small.c" -o "$tmp/small" || exit 99
    if "$tmp/small" "$tmp/plugin.so"; then
        with "$tmp/small" "$tmp/plugin.so" || fault "its first use needs more than 16 KiB of stack"
    fi
fi
[ $failed = 0 ] && echo "no trace of it where there is no OpenMP"
exit $failed
