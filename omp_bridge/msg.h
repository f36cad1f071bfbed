/* SPDX-License-Identifier: MIT */
/* What the runtime says, and short texts it builds. One line per message, by one write(2) to standard error; no malloc,
 * no stdio, no lock, so that any thread may speak in any state (also between fork and exec). Errno is kept.
 *
 * Formats know %s %c %d %u %ld %lu %zu %x %lx %p %%, no widths. The compiler checks them as printf's. */
#ifndef TN_MSG_H
#define TN_MSG_H

#include <sched.h>
#include <stdarg.h>

#include "base.h"

#define TN_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* A text in somebody's array: always terminated; `len` counts what would have been there had there been room (as
 * snprintf does), so `len >= size` means it was cut. */
struct tn_buf {
    char *text; /* may be NULL if size is 0 */
    size_t size, len;
};

struct tn_buf tn_buf_init(char *text, size_t size);
void tn_buf_put(struct tn_buf *b, const char *s, size_t len);
void tn_buf_fmt(struct tn_buf *b, const char *fmt, ...) TN_PRINTF(2, 3);
void tn_buf_vfmt(struct tn_buf *b, const char *fmt, va_list ap) TN_PRINTF(2, 0);
/* A CPU set as `0-3,8`. `size` in bytes, as for the CPU_*_S macros. */
void tn_buf_cpus(struct tn_buf *b, const cpu_set_t *set, size_t size);
/* Writes what it holds to standard error and empties it. */
void tn_buf_flush(struct tn_buf *b);

/* "tenure: …" for something the user may want to change. At most TN_WARN_MAX in a process, the last says so. */
#define TN_WARN_MAX 50
void tn_warn(const char *fmt, ...) TN_PRINTF(1, 2) __attribute__((cold));
/* The same line by line as given: `prefix` before it. For messages whose form others own. Same limit. */
void tn_warn_as(const char *prefix, const char *fmt, ...) TN_PRINTF(2, 3) __attribute__((cold));
/* "tenure: …", then exit(1): what a program sees from libgomp where it cannot go on. */
_Noreturn void tn_fatal(const char *fmt, ...) TN_PRINTF(1, 2) __attribute__((cold));
_Noreturn void tn_fatal_as(const char *prefix, const char *fmt, ...) TN_PRINTF(2, 3) __attribute__((cold));
/* "tenure: …" if TENURE_VERBOSE is on. */
void tn_verbose(const char *fmt, ...) TN_PRINTF(1, 2) __attribute__((cold));

#endif
