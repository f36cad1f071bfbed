/* SPDX-License-Identifier: MIT */
/*
 * The only place where a scenario touches Tenure's own API, found at run time so that one binary serves every arm.
 * Main thread only. Invariant: without BENCH_SESSION=1, or under another runtime, nothing happens.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* Asked once: the environment is searched outside what acquire and sweep time, but for the first call. */
static bool is_asked(void)
{
    static int asked = -1;
    if (asked < 0) {
        const char *value = getenv("BENCH_SESSION");
        asked = value && *value == '1';
    }
    return asked;
}

#if __has_include("tenure.h")
#include <dlfcn.h>
#include "tenure.h"

static tenure_session held;
static bool is_held;

bool bench_session_open(int width)
{
    static __typeof__(tenure_session_open) *open;
    if (!is_asked())
        return false;
    if (!open)
        *(void **)&open = dlsym(RTLD_DEFAULT, "tenure_session_open");
    if (!open)
        bench_fail("BENCH_SESSION=1, but the runtime has no sessions");
    tenure_session_options options = {.size = sizeof options, .width = (unsigned)width};
    int status = open(&held, &options);
    if (status != 0)
        bench_fail("tenure_session_open: %s", strerror(-status));
    return is_held = true;
}

void bench_session_close(void)
{
    static __typeof__(tenure_session_close) *shut;
    if (!is_held)
        return;
    if (!shut)
        *(void **)&shut = dlsym(RTLD_DEFAULT, "tenure_session_close");
    shut(held);
    is_held = false;
}
#else
bool bench_session_open(int width)
{
    (void)width;
    if (is_asked())
        bench_fail("built without tenure.h: no sessions");
    return false;
}

void bench_session_close(void) {}
#endif
