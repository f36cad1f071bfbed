/* SPDX-License-Identifier: MIT */
/* The error directive at execution time, worded as libgomp words it (users and tests look for it). Any thread. */
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gomp_abi.h"

static void say(const char *head, const char *text, size_t len)
{
    if (len == (size_t)-1)
        len = text ? strlen(text) : 0;
    struct iovec v[] = {{(void *)(uintptr_t)head, strlen(head)},
                        {(void *)(uintptr_t) ": ", text ? 2 : 0},
                        {(void *)(uintptr_t)text, text ? len : 0},
                        {(void *)(uintptr_t) "\n", 1}};
    ssize_t ignored = writev(STDERR_FILENO, v, sizeof v / sizeof v[0]);
    (void)ignored;
}

void GOMP_warning(const char *text, size_t len)
{
    say("\nlibgomp: error directive encountered", text, len);
}

void GOMP_error(const char *text, size_t len)
{
    say("\nlibgomp: fatal error: error directive encountered", text, len);
    exit(EXIT_FAILURE);
}
