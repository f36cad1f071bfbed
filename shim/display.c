/* SPDX-License-Identifier: MIT */
/* omp_display_env and the affinity format: what the runtime shows of itself. Any thread; the format that
 * omp_set_affinity_format stores is guarded by its own lock, because another thread may be reading it. */
#include "display.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "icv.h"
#include "lock.h"
#include "places.h"
#include "team.h"
#include "thread.h"
#include "topo.h"

#define PREFIX "\nlibgomp: " /* these mistakes end a program; they do so in the words it knows */

/* --- One field ----------------------------------------------------------------------------------------------------- */

struct field {
    bool zeros, right;
    size_t size;
};

/* Text of `len`, left unless asked for right, in at least f->size characters; zeros go behind `lead` characters. */
static void put_padded(struct tn_buf *b, struct field f, const char *text, size_t len, size_t lead)
{
    size_t pad = f.size > len ? f.size - len : 0;
    if (!f.right || f.zeros) {
        tn_buf_put(b, text, f.zeros ? lead : len);
        text += f.zeros ? lead : len;
        len -= f.zeros ? lead : len;
    }
    for (; pad > 0; pad--)
        tn_buf_put(b, f.zeros ? "0" : " ", 1);
    tn_buf_put(b, text, len);
}

static void put_text(struct tn_buf *b, struct field f, const char *text)
{
    f.zeros = false;
    put_padded(b, f, text, strlen(text), 0);
}

static void put_int(struct tn_buf *b, struct field f, int v)
{
    char digits[16];
    struct tn_buf d = tn_buf_init(digits, sizeof digits);
    tn_buf_fmt(&d, "%d", v);
    put_padded(b, f, digits, d.len, v < 0);
}

static void put_thread_id(struct tn_buf *b, struct field f, pthread_t id)
{
    char digits[32];
    struct tn_buf d = tn_buf_init(digits, sizeof digits);
    tn_buf_fmt(&d, "0x%lx", (unsigned long)id);
    put_padded(b, f, digits, d.len, 2);
}

static void put_affinity(struct tn_buf *b, struct field f, const struct tn_member *m, const struct tn_thread *t)
{
    char cpus[1024];
    struct tn_buf d = tn_buf_init(cpus, sizeof cpus);
    union tn_set own;
    const cpu_set_t *set = tn_places_len > 0 ? tn_place_set(m->place < 0 ? 0 : (unsigned)m->place) : tn_affinity_crew_set(m, t);
    if (!set && tn_topo_get_set(t == tn_self() ? 0 : t->tid, &own.set))
        set = &own.set;
    if (set)
        tn_buf_cpus(&d, set, tn_topo_set_size());
    put_text(b, f, cpus);
}

/* --- The format ----------------------------------------------------------------------------------------------------- */

static const struct {
    char type;
    const char *name;
} types[] = {{'t', "team_num"},    {'T', "num_teams"},     {'L', "nesting_level"}, {'n', "thread_num"},
             {'N', "num_threads"}, {'a', "ancestor_tnum"}, {'H', "host"},          {'P', "process_id"},
             {'i', "native_thread_id"}, {'A', "thread_affinity"}};

/* The letter of the field at *s, long names too; *s moves behind it. */
static char field_type(const char **s)
{
    char type = **s;
    if (type != '{') {
        if (type)
            ++*s;
        return type;
    }
    const char *name = ++*s, *end = strchr(name, '}');
    if (!end)
        tn_fatal_as(PREFIX, "unterminated long type name '%s' in affinity format", name);
    *s = end + 1;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == (size_t)(end - name) && strncmp(types[i].name, name, (size_t)(end - name)) == 0)
            return types[i].type;
    char text[64];
    struct tn_buf b = tn_buf_init(text, sizeof text);
    tn_buf_put(&b, name, (size_t)(end - name));
    tn_fatal_as(PREFIX, "unsupported long type name '%s' in affinity format", text);
}

static void put_field(struct tn_buf *b, struct field f, char type, const struct tn_member *m, const struct tn_thread *t)
{
    const struct tn_member *initial = m;
    char host[256] = "";
    while (initial->team->level > 0)
        initial = initial->team->outer;
    switch (type) {
    case 't': put_int(b, f, (int)initial->thread->team_num); break;
    case 'T': put_int(b, f, (int)initial->thread->num_teams); break;
    case 'L': put_int(b, f, (int)m->team->level); break;
    case 'n': put_int(b, f, (int)m->num); break;
    case 'N': put_int(b, f, (int)m->team->width); break;
    case 'a': put_int(b, f, m->team->level > 0 ? (int)m->team->outer->num : -1); break;
    case 'P': put_int(b, f, (int)getpid()); break;
    case 'i': put_thread_id(b, f, t == tn_self() ? pthread_self() : t->pthread); break;
    case 'A': put_affinity(b, f, m, t); break;
    case 'H':
        gethostname(host, sizeof host - 1);
        put_text(b, f, host);
        break;
    default:
        tn_fatal_as(PREFIX, "unsupported type %c in affinity format", type ? type : ' ');
    }
}

/* `fmt` with its fields filled in: %[0][.][size]type */
static void put_format(struct tn_buf *b, const char *fmt, const struct tn_member *m, const struct tn_thread *t)
{
    for (;;) {
        size_t plain = strcspn(fmt, "%");
        tn_buf_put(b, fmt, plain);
        fmt += plain;
        if (*fmt++ != '%')
            return;
        if (*fmt == '%') {
            tn_buf_put(b, fmt++, 1);
            continue;
        }
        struct field f = {0};
        f.zeros = *fmt == '0';
        fmt += f.zeros;
        f.right = *fmt == '.';
        fmt += f.right;
        if (f.zeros && !f.right)
            tn_fatal_as(PREFIX, "leading zero not followed by dot in affinity format");
        if (*fmt >= '1' && *fmt <= '9')
            f.size = strtoul(fmt, (char **)&fmt, 10);
        else if (f.right)
            tn_fatal_as(PREFIX, "leading zero or right justification in affinity format requires size");
        put_field(b, f, field_type(&fmt), m, t);
    }
}

/* --- The format that is set ------------------------------------------------------------------------------------------ */

static struct tn_lock format_lock;

static void format_fork_child(void)
{
    format_lock = (struct tn_lock){0};
}

static void format_acquire(void)
{
    static _Atomic bool registered;
    if (!atomic_exchange(&registered, true))
        pthread_atfork(NULL, NULL, format_fork_child);
    tn_lock_acquire(&format_lock);
}

/* A copy of `text`, `len` long; of the format that is set if `text` is NULL. Free it. */
static char *format_copy(const char *text, size_t len)
{
    tn_global_need();
    if (!text)
        format_acquire();
    const char *from = text ? text : tn_global.affinity_format;
    if (!text)
        len = strlen(from);
    char *copy = malloc(len + 1);
    if (!copy)
        tn_fatal("out of memory for an affinity format (%zu bytes)", len + 1);
    memcpy(copy, from, len);
    copy[len] = '\0';
    if (!text)
        tn_lock_release(&format_lock);
    return copy;
}

static void format_set(const char *text, size_t len)
{
    static bool ours; /* malloc'ed by us */
    char *copy = format_copy(text, len);
    format_acquire();
    char *old = ours ? tn_global.affinity_format : NULL;
    tn_global.affinity_format = copy;
    ours = true;
    tn_lock_release(&format_lock);
    free(old);
}

/* The format given, or the one that is set where that is empty. */
static char *format_or_set(const char *format, size_t len)
{
    return format_copy(len > 0 ? format : NULL, len);
}

static void write_line(const char *format, const struct tn_member *m, const struct tn_thread *t)
{
    char text[1024], *big = NULL;
    struct tn_buf b = tn_buf_init(text, sizeof text);
    put_format(&b, format, m, t);
    if (b.len + 1 >= b.size) {
        size_t size = b.len + 2;
        big = malloc(size);
        if (!big)
            tn_fatal("out of memory for a line of affinity (%zu bytes)", size);
        b = tn_buf_init(big, size);
        put_format(&b, format, m, t);
    }
    tn_buf_put(&b, "\n", 1);
    tn_buf_flush(&b);
    free(big);
}

void tn_display_member(const struct tn_member *m, const struct tn_thread *t)
{
    char *format = format_copy(NULL, 0);
    write_line(format, m, t);
    free(format);
}

/* --- The names programs call -------------------------------------------------------------------------------------------- */
#pragma GCC visibility push(default)
size_t omp_capture_affinity(char *buffer, size_t size, const char *format);
size_t omp_capture_affinity_(char *buffer, const char *format, size_t size, size_t len);
size_t omp_get_affinity_format(char *buffer, size_t size);
size_t omp_get_affinity_format_(char *buffer, size_t size);
void omp_display_affinity(const char *format);
void omp_display_affinity_(const char *format, size_t len);
void omp_set_affinity_format(const char *format);
void omp_set_affinity_format_(const char *format, size_t len);
void omp_display_env(int verbose);
void omp_display_env_(const int32_t *verbose);
void omp_display_env_8_(const int64_t *verbose);

size_t omp_get_affinity_format(char *buffer, size_t size)
{
    char *format = format_copy(NULL, 0);
    struct tn_buf b = tn_buf_init(buffer, size);
    tn_buf_put(&b, format, strlen(format));
    free(format);
    return b.len;
}

size_t omp_capture_affinity(char *buffer, size_t size, const char *format)
{
    char *own = format_or_set(format, format ? strlen(format) : 0);
    struct tn_buf b = tn_buf_init(buffer, size);
    put_format(&b, own, tn_self()->cur, tn_self());
    free(own);
    return b.len;
}

void omp_set_affinity_format(const char *format)
{
    if (format)
        format_set(format, strlen(format));
}

void omp_set_affinity_format_(const char *format, size_t len) { format_set(format, len); }
void omp_display_affinity(const char *format) { omp_display_affinity_(format, format ? strlen(format) : 0); }

void omp_display_affinity_(const char *format, size_t len)
{
    char *own = format_or_set(format, len);
    write_line(own, tn_self()->cur, tn_self());
    free(own);
}

/* Fortran strings: filled up with blanks, no end mark. `text` holds `len` characters or more. */
static size_t fortran_string(char *to, size_t size, char *text, size_t len)
{
    size_t n = len < size ? len : size;
    memcpy(to, text, n);
    memset(to + n, ' ', size - n);
    free(text);
    return len;
}

size_t omp_get_affinity_format_(char *buffer, size_t size)
{
    char *format = format_copy(NULL, 0);
    return fortran_string(buffer, size, format, strlen(format));
}

size_t omp_capture_affinity_(char *buffer, const char *format, size_t size, size_t len)
{
    char *own = format_or_set(format, len), *text = malloc(size + 1);
    if (!text)
        tn_fatal("out of memory for a line of affinity (%zu bytes)", size + 1);
    struct tn_buf b = tn_buf_init(text, size + 1);
    put_format(&b, own, tn_self()->cur, tn_self());
    free(own);
    return fortran_string(buffer, size, text, b.len);
}

void omp_display_env(int verbose)
{
    tn_global_need();
    tn_env_display(verbose != 0);
}

void omp_display_env_(const int32_t *verbose) { omp_display_env(*verbose != 0); }
void omp_display_env_8_(const int64_t *verbose) { omp_display_env(*verbose != 0); }
#pragma GCC visibility pop
