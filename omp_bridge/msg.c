/* SPDX-License-Identifier: MIT */
/* The formatter and the four ways to speak. Any thread, any state; the only shared state is the count of warnings. */
#define _GNU_SOURCE
#include "msg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "icv.h"

#define LINE_MAX_ 1024 /* longer messages are cut */

struct tn_buf tn_buf_init(char *text, size_t size)
{
    if (size)
        text[0] = '\0';
    return (struct tn_buf){.text = text, .size = size};
}

void tn_buf_put(struct tn_buf *b, const char *s, size_t len)
{
    if (b->len + 1 < b->size) {
        size_t room = b->size - 1 - b->len, n = len < room ? len : room;
        memcpy(b->text + b->len, s, n);
        b->text[b->len + n] = '\0';
    }
    b->len += len;
}

static void put_number(struct tn_buf *b, unsigned long v, bool negative, unsigned base)
{
    char digits[24], *p = digits + sizeof digits;
    do
        *--p = "0123456789abcdef"[v % base];
    while ((v /= base) != 0);
    if (negative)
        *--p = '-';
    tn_buf_put(b, p, (size_t)(digits + sizeof digits - p));
}

/* One conversion; `wide`: l or z (the same size where Linux runs). */
static void put_arg(struct tn_buf *b, char conversion, bool wide, va_list *ap)
{
    const char *s;
    char c;
    long d;
    switch (conversion) {
    case 's':
        s = va_arg(*ap, const char *);
        s = s ? s : "(null)";
        tn_buf_put(b, s, strlen(s));
        break;
    case 'c':
        c = (char)va_arg(*ap, int);
        tn_buf_put(b, &c, 1);
        break;
    case 'd':
        d = wide ? va_arg(*ap, long) : va_arg(*ap, int);
        put_number(b, d < 0 ? -(unsigned long)d : (unsigned long)d, d < 0, 10);
        break;
    case 'u':
        put_number(b, wide ? va_arg(*ap, unsigned long) : va_arg(*ap, unsigned), false, 10);
        break;
    case 'x':
        put_number(b, wide ? va_arg(*ap, unsigned long) : va_arg(*ap, unsigned), false, 16);
        break;
    case 'p':
        tn_buf_put(b, "0x", 2);
        put_number(b, (unsigned long)(uintptr_t)va_arg(*ap, void *), false, 16);
        break;
    default:
        tn_buf_put(b, &conversion, 1);
    }
}

void tn_buf_vfmt(struct tn_buf *b, const char *fmt, va_list args)
{
    va_list ap;
    va_copy(ap, args); /* a copy has an address of the right type also where va_list is an array */
    while (*fmt) {
        size_t plain = strcspn(fmt, "%");
        tn_buf_put(b, fmt, plain);
        fmt += plain;
        if (*fmt != '%')
            break;
        bool wide = *++fmt == 'l' || *fmt == 'z';
        fmt += wide;
        if (!*fmt)
            break;
        put_arg(b, *fmt++, wide, &ap);
    }
    va_end(ap);
}

void tn_buf_fmt(struct tn_buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    tn_buf_vfmt(b, fmt, ap);
    va_end(ap);
}

void tn_buf_cpus(struct tn_buf *b, const cpu_set_t *set, size_t size)
{
    const char *comma = "";
    for (size_t first = 0, bits = size * 8; first < bits; first++) {
        if (!CPU_ISSET_S(first, size, set))
            continue;
        size_t last = first;
        while (last + 1 < bits && CPU_ISSET_S(last + 1, size, set))
            last++;
        tn_buf_fmt(b, last > first ? "%s%zu-%zu" : "%s%zu", comma, first, last);
        comma = ",";
        first = last;
    }
}

void tn_buf_flush(struct tn_buf *b)
{
    size_t n = b->len < b->size ? b->len : b->size ? b->size - 1 : 0;
    int saved = errno;
    for (size_t at = 0; at < n;) {
        ssize_t w = write(STDERR_FILENO, b->text + at, n - at);
        if (w <= 0 && errno != EINTR)
            break;
        at += w > 0 ? (size_t)w : 0;
    }
    errno = saved;
    *b = tn_buf_init(b->text, b->size);
}

static void say(const char *prefix, const char *fmt, va_list ap)
{
    char line[LINE_MAX_];
    struct tn_buf b = tn_buf_init(line, sizeof line);
    tn_buf_put(&b, prefix, strlen(prefix));
    tn_buf_vfmt(&b, fmt, ap);
    if (b.len > sizeof line - 2) { /* the line feed stays even if the rest is cut */
        b.len = sizeof line - 2;
    }
    tn_buf_put(&b, "\n", 1);
    tn_buf_flush(&b);
}

static _Atomic unsigned warnings;

static void warn(const char *prefix, const char *fmt, va_list ap)
{
    unsigned nth = atomic_fetch_add_explicit(&warnings, 1, memory_order_relaxed);
    if (nth < TN_WARN_MAX)
        say(prefix, fmt, ap);
    else if (nth == TN_WARN_MAX)
        say("tenure: ", "more warnings follow and are not shown", ap);
}

void tn_warn(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    warn("tenure: ", fmt, ap);
    va_end(ap);
}

void tn_warn_as(const char *prefix, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    warn(prefix, fmt, ap);
    va_end(ap);
}

void tn_fatal(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say("tenure: ", fmt, ap);
    va_end(ap);
    exit(EXIT_FAILURE);
}

void tn_fatal_as(const char *prefix, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(prefix, fmt, ap);
    va_end(ap);
    exit(EXIT_FAILURE);
}

void tn_verbose(const char *fmt, ...)
{
    if (!tn_global.verbose)
        return;
    va_list ap;
    va_start(ap, fmt);
    say("tenure: ", fmt, ap);
    va_end(ap);
}
