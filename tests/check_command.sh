#!/bin/bash
# SPDX-License-Identifier: MIT
# The `tenure` command, and promise 4: what a process without OpenMP notices of a preload. TN_BUILD: the build folder.
set -u
export LC_ALL=C
build=$(cd "${TN_BUILD:-.}" && pwd)
tenure=$build/tenure
lib=$build/.libs/libtenure.so
work=$build/tests/check_command.tmp
mkdir -p "$work"
unset LD_PRELOAD TENURE_RESIDENT TENURE_VERBOSE
failed=0
[ -z "${EMULATOR:-}" ] && [ -z "${TN_SANITIZE:-}" ] || { echo "a preload cannot be tried here"; exit 77; }

# want WHAT WANTED GOT
want() {
    [ "$2" = "$3" ] || { echo "FAULT: $1: wanted '$2', got '$3'"; failed=1; }
}
# status COMMAND…
status() {
    "$@" >"$work/out" 2>"$work/err"
    echo $?
}

want 'version' 0 "$(status "$tenure" version)"
want 'its library' "$lib" "$(sed -n 2p "$work/out")"
want 'run passes the status on' 7 "$(status "$tenure" run -- sh -c 'exit 7')"
want 'no such program' 127 "$(status "$tenure" run no-such-program)"
want 'one line about it' 'tenure: no-such-program: not found' "$(cat "$work/err")"
want 'not executable' 126 "$(status "$tenure" run /etc/passwd)"
want 'no program' 2 "$(status "$tenure" run)"
want 'unknown option' 2 "$(status "$tenure" run --fast true)"
want 'unknown command' 2 "$(status "$tenure" walk)"
want 'bad residence' 2 "$(status "$tenure" run --resident=soon true)"
want 'a dash belongs to the program' 'a -b' "$("$tenure" run echo a -b)"
# shellcheck disable=SC2016
want 'preload' "$lib" "$("$tenure" run sh -c 'echo "$LD_PRELOAD"')"
libm=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libm\.so\.6 .*=> //p' | head -n 1)
# shellcheck disable=SC2016
want 'preload, extended' "$lib:$libm" "$(LD_PRELOAD=$libm "$tenure" run sh -c 'echo "$LD_PRELOAD"')"
# shellcheck disable=SC2016
want 'preload, once' "$lib" "$("$tenure" run "$tenure" run sh -c 'echo "$LD_PRELOAD"')"
# shellcheck disable=SC2016
want 'residence' 12345 "$("$tenure" run --resident=12345 sh -c 'echo "$TENURE_RESIDENT"')"
# shellcheck disable=SC2016
want 'residence with a unit' 20us "$("$tenure" run --resident=20us sh -c 'echo "$TENURE_RESIDENT"')"
want 'help' '0 0 0' "$(status "$tenure" -h) $(status "$tenure" run --help) $(status "$tenure" doctor --help)"
(cd "$work" && mkdir -p .libs lib && echo junk >libtenure.so && echo junk >.libs/libtenure.so &&
    [ "$("$tenure" version | tail -n 1)" = "$lib" ]) || { echo "FAULT: the library is looked for in the current folder"; failed=1; }
want 'a time that stands alone' 2 "$(status "$tenure" run --resident 5ms true)"
want 'one line about it, with the right form' 1 "$(grep -c -- '--resident=5ms' "$work/err")"
want 'verbose says what to wait for' 1 "$("$tenure" run --verbose true 2>&1 | grep -c 'starting true')"
want 'doctor, of what is not there' 1 "$(status "$tenure" doctor sh /nonexistent)"
want 'an unknown option of doctor' 2 "$(status "$tenure" doctor --bogus)"
want 'a slip in a variable' 0 "$(TENURE_RESIDNET=5ms status "$tenure" doctor)"
grep -q 'TENURE_RESIDNET=5ms is not a variable' "$work/err" || { echo "FAULT: doctor does not see a mistyped variable"; failed=1; }
want 'no slip' '' "$(TENURE_I8_VARIANT=portable TENURE_SPIN=5us "$tenure" doctor 2>&1 >"$work/out")"
printf '#!/bin/sh\ntrue\n' >"$work/script" && chmod +x "$work/script"
want 'doctor, of a shell script' 0 "$(status "$tenure" doctor "$work/script")"
grep -q 'a shell script: name the program' "$work/out" || { echo "FAULT: doctor takes a shell script for its shell"; failed=1; }
want 'doctor' 0 "$(status "$tenure" doctor sh "$lib")"
grep -q '^preload  *works' "$work/out" || { echo "FAULT: doctor does not say that the preload works"; cat "$work/out"; failed=1; }
mkdir -p "$work/alone/bin" && cp "$tenure" "$work/alone/bin/"
cp "$tenure" "$work/setuid" && chmod u+s "$work/setuid" && "$tenure" doctor "$work/setuid" >"$work/out"
grep -q 'set-user-ID.*no preload' "$work/out" || { echo "FAULT: doctor does not see a set-user-ID program"; failed=1; }
rm -f "$work/setuid"
libdir=$(eval "$(grep '^[a-z_]*=' "$build/tenure.pc")" && echo "$libdir") # the place it looks at last
[ -e "$libdir/libtenure.so" ] || want 'no library beside it' 126 "$(status "$work/alone/bin/tenure" run true)"

# A process without OpenMP: nothing printed, no thread, no file opened but the library itself.
want 'quiet' '' "$(LD_PRELOAD=$lib TENURE_VERBOSE=1 OMP_DISPLAY_ENV=true OMP_NUM_THREADS=x true 2>&1)"
want 'alone' 1 "$(LD_PRELOAD=$lib sed -n 's/^Threads:[^0-9]*//p' /proc/self/status)"
if command -v strace >/dev/null && strace -o "$work/plain" -f -e trace=openat,clone,clone3,write true 2>/dev/null; then
    strace -o "$work/preloaded" -f -e trace=openat,clone,clone3,write -E LD_PRELOAD="$lib" true
    sed 's/^[0-9]* *//; s/0x[0-9a-f]*/X/g; s/ = [0-9]*$//' "$work/plain" >"$work/plain.calls"
    sed 's/^[0-9]* *//; s/0x[0-9a-f]*/X/g; s/ = [0-9]*$//' "$work/preloaded" | grep -v '/libtenure.so"' >"$work/preloaded.calls"
    diff "$work/plain.calls" "$work/preloaded.calls" || { echo "FAULT: a process without OpenMP does more"; failed=1; }
fi
exit $failed
