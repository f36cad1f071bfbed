/* SPDX-License-Identifier: MIT */
/* OpenACC, offload registration and the plugin interface: handed on to the real libgomp when it is in the process (it
 * keeps all their state, so nothing may be answered here beside it), else answered for a host without accelerators.
 * Any thread; no state of ours. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "msg.h"
#include "real.h"

enum { ACC_CURRENT = -1, ACC_NONE = 0, ACC_DEFAULT = 1, ACC_HOST = 2 };                                /* acc_device_t */
enum { ACC_PROPERTY_NAME = 0x10001, ACC_PROPERTY_VENDOR = 0x10002, ACC_PROPERTY_DRIVER = 0x10003 };

/* Integers and pointers travel in the same registers on every target we build for, and a function that is given more of
 * them than it reads does not mind: one type for all entries of the table. */
typedef intptr_t entry(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);
#define HOST(name) \
    static intptr_t name(intptr_t a TN_UNUSED, intptr_t b TN_UNUSED, intptr_t c TN_UNUSED, intptr_t d TN_UNUSED, \
                         intptr_t e TN_UNUSED, intptr_t f TN_UNUSED)
#define REF(x) ((intptr_t)*(const int *)(x)) /* Fortran passes integers by address */

HOST(zero) { return 0; }
HOST(one) { return 1; }
HOST(minus_one) { return -1; }
HOST(same) { return a; }
HOST(host_type) { return ACC_HOST; }
HOST(allocate) { return (intptr_t)malloc((size_t)a); }
HOST(release) { free((void *)a); return 0; }
HOST(is_present) { return a != 0; }
HOST(copy) { memmove((void *)a, (const void *)b, (size_t)c); return 0; }

HOST(cannot_map) { tn_fatal("acc_map_data: cannot map data, the host shares its memory"); }

HOST(num_devices) { return (int)a == ACC_DEFAULT || (int)a == ACC_HOST; }
HOST(num_devices_ref) { return num_devices(REF(a), b, c, d, e, f); }

/* The one device type there is, under its names; 0: its number. */
HOST(need_host)
{
    if ((int)a != ACC_CURRENT && (int)a != ACC_NONE && (int)a != ACC_DEFAULT && (int)a != ACC_HOST)
        tn_fatal("OpenACC device type %d asked for, but there is only the host", (int)a);
    return 0;
}
HOST(need_host_ref) { return need_host(REF(a), b, c, d, e, f); }

HOST(set_num)
{
    if ((int)a > 0)
        tn_fatal("OpenACC device %d asked for, but there is only the host", (int)a);
    return need_host(b, a, c, d, e, f);
}
HOST(set_num_ref) { return set_num(REF(a), REF(b), c, d, e, f); }

HOST(on_device) { return (int)a == ACC_HOST || (int)a == ACC_NONE; }
HOST(on_device_ref) { return on_device(REF(a), b, c, d, e, f); }

HOST(property_string)
{
    return (intptr_t)((int)c == ACC_PROPERTY_NAME     ? "GOMP"
                      : (int)c == ACC_PROPERTY_VENDOR ? "GNU"
                      : (int)c == ACC_PROPERTY_DRIVER ? "1.0"
                                                      : NULL);
}

/* d: a blank-padded string of e bytes */
HOST(property_string_fortran)
{
    const char *s = (const char *)property_string(a, b, c, d, e, f);
    size_t n = s ? strlen(s) : 0, room = (size_t)e;
    memset((char *)d, ' ', room);
    memcpy((char *)d, s ? s : "", n < room ? n : room);
    return 0;
}

#pragma GCC visibility push(default)
#define X(name, version, host)                                                                      \
    entry name;                                                                                     \
    intptr_t name(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f)           \
    {                                                                                               \
        static struct tn_real real = {#name, version, NULL};                                        \
        entry *found = (entry *)tn_real_find(&real);                                                \
        return found ? found(a, b, c, d, e, f) : host(a, b, c, d, e, f);                            \
    }
#include "acc_names.h"
#undef X

/* --- Entries with variable arguments: waits and launch dimensions, all integers ------------------------------------ */

/* How many are handed on. More than a construct has (a few tags, and one word per queue it waits for), and reading past
 * them reads the caller's frame, which is there. */
#define MORE_ARGS 32
#define MORE(v)                                                                                                       \
    (v)[0], (v)[1], (v)[2], (v)[3], (v)[4], (v)[5], (v)[6], (v)[7], (v)[8], (v)[9], (v)[10], (v)[11], (v)[12], (v)[13], \
        (v)[14], (v)[15], (v)[16], (v)[17], (v)[18], (v)[19], (v)[20], (v)[21], (v)[22], (v)[23], (v)[24], (v)[25],   \
        (v)[26], (v)[27], (v)[28], (v)[29], (v)[30], (v)[31]

#define TAKE_MORE(v, last)                    \
    intptr_t v[MORE_ARGS];                    \
    va_list ap;                               \
    va_start(ap, last);                       \
    for (int i_ = 0; i_ < MORE_ARGS; i_++)    \
        v[i_] = va_arg(ap, intptr_t);         \
    va_end(ap)

typedef void compute(int, void (*)(void *), size_t, void **, size_t *, unsigned short *, ...);
typedef void data(int, size_t, void **, size_t *, unsigned short *, ...);
typedef void wait_for(int, int, ...);

#define COMPUTE(name, version)                                                                                     \
    compute name;                                                                                                  \
    void name(int device, void (*fn)(void *), size_t n, void **host, size_t *sizes, unsigned short *kinds, ...)    \
    {                                                                                                              \
        static struct tn_real real = {#name, version, NULL};                                                       \
        compute *found = (compute *)tn_real_find(&real);                                                           \
        TAKE_MORE(v, kinds);                                                                                       \
        if (found)                                                                                                 \
            found(device, fn, n, host, sizes, kinds, MORE(v));                                                     \
        else                                                                                                       \
            fn(host);                                                                                              \
    }
COMPUTE(GOACC_parallel, "GOACC_2.0")
COMPUTE(GOACC_parallel_keyed, "GOACC_2.0.1")

#define DATA(name, version)                                                                                        \
    data name;                                                                                                     \
    void name(int device, size_t n, void **host, size_t *sizes, unsigned short *kinds, ...)                        \
    {                                                                                                              \
        static struct tn_real real = {#name, version, NULL};                                                       \
        data *found = (data *)tn_real_find(&real);                                                                 \
        TAKE_MORE(v, kinds);                                                                                       \
        if (found)                                                                                                 \
            found(device, n, host, sizes, kinds, MORE(v));                                                         \
    }
DATA(GOACC_enter_exit_data, "GOACC_2.0")
DATA(GOACC_update, "GOACC_2.0")
DATA(GOACC_enter_data, "GOACC_2.0.2")
DATA(GOACC_exit_data, "GOACC_2.0.2")

wait_for GOACC_wait;
void GOACC_wait(int async, int n, ...)
{
    static struct tn_real real = {"GOACC_wait", "GOACC_2.0", NULL};
    wait_for *found = (wait_for *)tn_real_find(&real);
    TAKE_MORE(v, n);
    if (found)
        found(async, n, MORE(v));
}

/* --- Services for plugins ----------------------------------------------------------------------------------------- */

void *GOMP_PLUGIN_malloc(size_t size);
void *GOMP_PLUGIN_malloc_cleared(size_t size);
void *GOMP_PLUGIN_realloc(void *ptr, size_t size);
void GOMP_PLUGIN_debug(int kind, const char *format, ...);
void GOMP_PLUGIN_error(const char *format, ...);
_Noreturn void GOMP_PLUGIN_fatal(const char *format, ...);

static void *or_die(void *ptr, size_t size)
{
    if (!ptr && size)
        tn_fatal("out of memory allocating %zu bytes for a device plugin", size);
    return ptr;
}

void *GOMP_PLUGIN_malloc(size_t size) { return or_die(malloc(size), size); }
void *GOMP_PLUGIN_malloc_cleared(size_t size) { return or_die(calloc(1, size), size); }
void *GOMP_PLUGIN_realloc(void *ptr, size_t size) { return or_die(realloc(ptr, size), size); }

/* GOMP_DEBUG's chatter: dropped. */
void GOMP_PLUGIN_debug(int kind, const char *format, ...) { (void)kind, (void)format; }

static void complain(const char *format, va_list ap)
{
    char text[512];
    int n = snprintf(text, sizeof text, "\nlibgomp: ");
    n += vsnprintf(text + n, sizeof text - (size_t)n - 1, format, ap);
    if ((size_t)n > sizeof text - 2)
        n = sizeof text - 2;
    text[n++] = '\n';
    if (write(STDERR_FILENO, text, (size_t)n) < 0) { /* nowhere left to say so */
    }
}

void GOMP_PLUGIN_error(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    complain(format, ap);
    va_end(ap);
}

void GOMP_PLUGIN_fatal(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    complain(format, ap);
    va_end(ap);
    exit(EXIT_FAILURE);
}
#pragma GCC visibility pop
