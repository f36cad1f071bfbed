#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds one OpenMP program with GCC and runs that binary under libgomp and under Tenure, by preload and by library
# folder, at the default width and at OMP_NUM_THREADS=8: output and exit status must be the same each time.
#
#   run_conform.sh SOURCE        status 0 same, 1 differs, 77 no compiler for it, 99 the program fails on libgomp itself
#
# From the environment (make check sets them): OMPCC OMPCXX OMPFC, TN_BUILD (the build folder), EMULATOR, TN_SANITIZE,
# CONFORM_ONLY=stock to run under libgomp alone, CONFORM_TIMEOUT in seconds.
# Lines in the source: `conform: env A=B …` adds a round with that environment (a quoted value cannot hold spaces),
# `conform: status N` is the exit status to expect, `conform: flags …` are added at compilation, `conform: width` leaves
# out the round with 8 threads, `conform: tenure only` leaves out libgomp, which fails there, `conform: plugin` builds the source once more as NAME.so with -DPLUGIN,
# `conform: plugin copy` links that to a copy of libgomp that has a soname of its own.
set -u
src=${1:?"usage: run_conform.sh SOURCE"}
name=$(basename "${src%.*}")
build=${TN_BUILD:-.}
work=$build/tests/conform.tmp/$name
limit=${CONFORM_TIMEOUT:-60}
mkdir -p "$work" || exit 99

directive() { sed -n "s/.*conform: $1 *\(.*\)/\1/p" "$src" | sed 's/ *\*\/ *$//'; }
has() { grep -q "conform: $1" "$src"; }

case $src in
*.c) cc=${OMPCC-gcc} ;;
*.cc) cc=${OMPCXX-g++} ;;
*.f90) cc=${OMPFC-gfortran} ;;
esac
[ -n "$cc" ] || { echo "no compiler for $src"; exit 77; }
top=$(dirname "$0")/..
flags="-O2 -g -Wall -fopenmp -I$top/omp_bridge -I$top/kernels ${TN_SANITIZE:-} $(directive flags)"
case $src in *.f90) flags="$flags -J$work" ;; esac

# shellcheck disable=SC2086
if ! $cc $flags "$src" -o "$work/program" -pthread -ldl >"$work/build.log" 2>&1; then
    cat "$work/build.log"
    exit 99
fi
if has plugin; then
    # shellcheck disable=SC2086
    if has 'plugin copy'; then
        gomp=$(readlink -f "$($cc -print-file-name=libgomp.so.1)")
        LC_ALL=C sed 's/libgomp\.so\.1/libgomp.so.9/g' "$gomp" >"$work/libgomp.so.9"
        $cc $flags -DPLUGIN -fPIC -c "$src" -o "$work/plugin.o" &&
            $cc -shared "$work/plugin.o" "$work/libgomp.so.9" -Wl,-rpath,"\$ORIGIN" -o "$work/program.so"
    else
        $cc $flags -DPLUGIN -fPIC -shared "$src" -o "$work/program.so"
    fi >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 99; }
fi

# run RUNTIME ENVIRONMENT…: the program's status; its output in $work/RUNTIME.out
run() {
    runtime=$1
    shift
    case $runtime in
    stock) ;;
    preload) set -- "$@" "LD_PRELOAD=$build/.libs/libtenure.so" ;;
    libdir) set -- "$@" "LD_LIBRARY_PATH=$build/shim/.libs" ;;
    esac
    if [ -n "${EMULATOR:-}" ]; then
        list=
        for e in "$@"; do list="$list -E $e"; done
        # shellcheck disable=SC2086
        timeout -k 5 "$limit" $EMULATOR $list "$work/program" >"$work/$runtime.out" 2>"$work/$runtime.err"
    else
        # shellcheck disable=SC2086
        timeout -k 5 "$limit" $fixed env "$@" "$work/program" >"$work/$runtime.out" 2>"$work/$runtime.err"
    fi
}

# GCC 12's ThreadSanitizer cannot place its shadow under high address randomisation: the process ends with status 66.
fixed=
case $flags in *-fsanitize=thread*) fixed="setarch -R" ;; esac
case $(directive flags) in *-fsanitize=thread*) fixed="env -u TSAN_OPTIONS $fixed" ;; esac # it brings its own

wanted=$(directive status)
wanted=${wanted:-0}
runtimes="preload libdir"
compare=true
[ -n "${TN_SANITIZE:-}" ] && compare=false # libgomp itself is not instrumented
has 'tenure only' && compare=false
[ -n "${TN_SANITIZE:-}" ] && runtimes=libdir # an instrumented object cannot be preloaded into a plain process
[ "${CONFORM_ONLY:-}" = stock ] && runtimes=
failed=0

# round ENVIRONMENT…: libgomp first, then each way in
round() {
    what=${*:-default environment}
    if $compare; then
        for try in 1 2 3 4 5; do # libgomp 12 hangs now and then in deferred target regions, and crashes when it is unloaded
            run stock "$@"
            got=$?
            [ $got -ne "$wanted" ] && [ $got -ne 77 ] || break
        done
        [ $got -eq 77 ] && exit 77
        if [ $got -ne "$wanted" ]; then
            echo "$name: status $got on libgomp itself, wanted $wanted ($what)"
            cat "$work/stock.out" "$work/stock.err"
            exit 99
        fi
    fi
    for way in $runtimes; do
        run "$way" "$@"
        got=$?
        $compare || [ $got -ne 77 ] || exit 77
        if [ $got -ne "$wanted" ]; then
            echo "$name: $way: status $got, wanted $wanted ($what)"
            tail -n 20 "$work/$way.out" "$work/$way.err"
            failed=1
        elif $compare && ! cmp -s "$work/stock.out" "$work/$way.out"; then
            echo "$name: $way: other output than on libgomp ($what)"
            diff "$work/stock.out" "$work/$way.out" | head -n 20
            failed=1
        fi
    done
}

rounds=$(directive env)
unset OMP_NUM_THREADS
round
has width || round OMP_NUM_THREADS=8
while IFS= read -r line; do
    # shellcheck disable=SC2086
    [ -n "$line" ] && round $line
done <<EOF
$rounds
EOF
exit $failed
