/* SPDX-License-Identifier: MIT */
/* The table: one row per variable. Reading (once, by one thread, before the first region) fills tn_global; what is malformed
 * is named once, in libgomp's words, and the default holds. Rows stand in the order of omp_display_env. */
#define _GNU_SOURCE
#include "env.h"

#include <limits.h>
#include <string.h>
#include <sys/auxv.h>

#include "env_row.h"
#include "icv.h"
#include "places.h"
#include "topo.h"

int tn_env_display_wanted;
struct tn_env_seen tn_env_seen = {.quota = true};
static bool quiet;

void tn_env_complain(const char *fmt, ...)
{
    if (quiet)
        return;
    va_list ap;
    char text[256];
    struct tn_buf b = tn_buf_init(text, sizeof text);
    va_start(ap, fmt);
    tn_buf_vfmt(&b, fmt, ap);
    va_end(ap);
    tn_warn_as("\nlibgomp: ", "%s", text);
}

/* --- The table --------------------------------------------------------------------------------------------------------- */
static const char *const wait_words[] = {"passive", "active", NULL};
static const char *const offload_words[] = {"default", "mandatory", "disabled", NULL};
static const char *const display_words[] = {"false", "true", "verbose", NULL};
static const char *const failure_words[] = {"stop", "shrink", NULL};
_Static_assert(sizeof(enum tn_on_failure) == sizeof(int), "tn_env_parse_choice writes an int");

static const struct tn_env_row rows[] = {
    {"OMP_DYNAMIC", tn_env_parse_bool, tn_env_print_bool, &tn_global.icv.dyn, .is = ALL},
    {"OMP_NESTED", tn_env_parse_nested, tn_env_print_nested, &tn_env_seen.nested, .is = PLAIN},
    {"OMP_NUM_THREADS", tn_env_parse_num_threads, tn_env_print_num_threads, .is = ALL},
    {"OMP_SCHEDULE", tn_env_parse_schedule, tn_env_print_schedule, .is = ALL},
    {"OMP_PROC_BIND", tn_env_parse_proc_bind, tn_env_print_proc_bind, .is = ALL},
    {"OMP_PLACES", tn_env_parse_places, tn_env_print_places, .is = PLAIN},
    {"OMP_STACKSIZE", tn_env_parse_stack, tn_env_print_size, &tn_env_seen.stack, .is = ALL},
    {"OMP_WAIT_POLICY", tn_env_parse_wait, tn_env_print_wait, .words = wait_words, .is = ALL},
    {"OMP_THREAD_LIMIT", tn_env_parse_count, tn_env_print_limit, &tn_global.icv.thread_limit, 1, TN_NO_LIMIT, .is = ALL},
    {"OMP_MAX_ACTIVE_LEVELS", tn_env_parse_levels, tn_env_print_unsigned, &tn_global.icv.max_active_levels, 0, TN_LEVELS_MAX, .is = ALL},
    {"OMP_NUM_TEAMS", tn_env_parse_int, tn_env_print_int, &tn_global.num_teams, 1, INT_MAX, .is = ALL},
    {"OMP_TEAMS_THREAD_LIMIT", tn_env_parse_int, tn_env_print_int, &tn_global.teams_thread_limit, 1, INT_MAX, .is = ALL},
    {"OMP_CANCELLATION", tn_env_parse_bool, tn_env_print_bool, &tn_global.cancel, .is = PLAIN},
    {"OMP_DEFAULT_DEVICE", tn_env_parse_int, tn_env_print_int, &tn_global.icv.default_device, 0, INT_MAX, .is = ALL},
    {"OMP_MAX_TASK_PRIORITY", tn_env_parse_int, tn_env_print_int, &tn_global.max_task_priority, 0, INT_MAX, .is = PLAIN},
    {"OMP_DISPLAY_AFFINITY", tn_env_parse_bool, tn_env_print_bool, &tn_global.display_affinity, .is = PLAIN},
    {"OMP_AFFINITY_FORMAT", tn_env_parse_text, tn_env_print_text, &tn_global.affinity_format, .is = PLAIN},
    {"OMP_ALLOCATOR", tn_env_parse_allocator, tn_env_print_allocator, .words = tn_env_alloc_words},
    {"OMP_TARGET_OFFLOAD", tn_env_parse_choice, tn_env_print_offload, &tn_global.target_offload, .words = offload_words},
    {"GOMP_CPU_AFFINITY", tn_env_parse_cpu_list, tn_env_print_nothing, .is = VERBOSE},
    {"GOMP_STACKSIZE", tn_env_parse_stack, tn_env_print_size, &tn_env_seen.stack, .is = VERBOSE},
    {"GOMP_SPINCOUNT", tn_env_parse_spins, tn_env_print_spins, .is = VERBOSE},
    {"OMP_DISPLAY_ENV", tn_env_parse_choice, NULL, &tn_env_display_wanted, .words = display_words},
    {"OMP_TOOL", tn_env_parse_ignored, NULL, .is = PLAIN},
    {"OMP_TOOL_LIBRARIES", tn_env_parse_ignored, NULL, .is = PLAIN},
    {"GOMP_DEBUG", tn_env_parse_ignored, NULL, .is = PLAIN},
    {"TENURE_VERBOSE", tn_env_parse_switch, NULL, &tn_global.verbose, .is = OURS},
    {"TENURE_PROFILE", tn_env_parse_switch, NULL, &tn_global.profile, .is = OURS},
    {"TENURE_QUOTA", tn_env_parse_switch, NULL, &tn_env_seen.quota, .is = OURS},
    {"TENURE_SPIN", tn_env_parse_spin_time, NULL, &tn_global.spin_ns, 1, .is = OURS},
    {"TENURE_RESIDENT", tn_env_parse_time, NULL, &tn_global.resident_ns, 1, .is = OURS},
    {"TENURE_SHARE_IDLE", tn_env_parse_time, NULL, &tn_global.share_idle_ns, 1000000, .is = OURS},
    {"TENURE_ON_THREAD_FAILURE", tn_env_parse_choice, NULL, &tn_global.on_failure, .words = failure_words, .is = OURS},
    {"TENURE_CHILDREN", tn_env_parse_switch, NULL, &tn_env_seen.children, .is = OURS},
    {"TENURE_I8_VARIANT", tn_env_parse_ignored, NULL, .is = OURS}, /* read by the first int8 call (gemm.c) */
};
#define ROWS (sizeof rows / sizeof *rows)

/* --- Reading ----------------------------------------------------------------------------------------------------------- */

/* The values of all rows, by one walk over the environment: the first of a name counts, NAME before NAME_ALL. A name that
 * only begins like ours is a slip of the pen. */
static void collect(char **environment, const char **value)
{
    const char *all[ROWS] = {NULL};
    for (char **e = environment; *e; e++) {
        if (strncmp(*e, "OMP_", 4) != 0 && strncmp(*e, "GOMP_", 5) != 0 && strncmp(*e, "TENURE_", 7) != 0)
            continue;
        const char *sign = strchr(*e, '=');
        bool slip = sign && strncmp(*e, "TENURE_", 7) == 0;
        for (size_t i = 0; sign && i < ROWS; i++) {
            size_t n = strlen(rows[i].name);
            if (strncmp(*e, rows[i].name, n) != 0)
                continue;
            if (*e + n == sign)
                slip = false;
            if (*e + n == sign && !value[i])
                value[i] = sign + 1;
            else if ((rows[i].is & ALL) && strncmp(*e + n, "_ALL=", 5) == 0 && !all[i])
                all[i] = sign + 1;
        }
        if (slip)
            tn_warn("%s is not a variable of Tenure's (tenure.1 has them)", *e);
    }
    for (size_t i = 0; i < ROWS; i++)
        value[i] = value[i] ? value[i] : all[i];
}

/* What follows from several variables, or from none being given. */
static void conclude(void)
{
    bool lists = tn_global.nthreads_list_len > 1 || tn_global.bind_list_len > 1;
    if (!tn_env_seen.levels_set && (tn_env_seen.nested_set ? tn_env_seen.nested : lists))
        tn_global.icv.max_active_levels = TN_LEVELS_MAX;
    unsigned quota = tn_topo_quota(); /* also for those who wait: park.c */
    if (!tn_global.nthreads_set)
        tn_global.icv.nthreads = tn_env_seen.quota && quota && quota < tn_global.procs ? quota : tn_global.procs;
    if (tn_global.bind_set && tn_global.icv.bind == TN_BIND_FALSE)
        tn_places_clear();
    else if (tn_global.bind_set && tn_places_len == 0)
        tn_env_places_default();
    if (tn_places_len == 0)
        tn_global.icv.bind = TN_BIND_FALSE;
    else if (!tn_global.bind_set)
        tn_global.icv.bind = TN_BIND_TRUE;
}

/* What a variable of ours takes, for who wrote something else. */
static const char *accepted(const struct tn_env_row *r)
{
    if (r->parse == tn_env_parse_switch)
        return "0 or 1";
    if (r->parse == tn_env_parse_choice)
        return "stop or shrink";
    return "a time: 20us, 5ms, 1s, infinite";
}

void tn_env_read(char **environment, bool quiet_)
{
    static char format[] = "level %L thread %i affinity %A";
    const char *value[ROWS] = {NULL};
    quiet = quiet_;
    tn_topo_start();
    tn_global.affinity_format = format;
    if (environment && !getauxval(AT_SECURE))
        collect(environment, value);
    for (size_t i = 0; i < ROWS; i++) {
        const struct tn_env_row *r = &rows[i];
        if (!value[i] || ((r->is & OURS) && *value[i] == '\0') || r->parse(r, value[i]))
            continue;
        if (r->is & OURS)
            tn_warn("%s=%s is not understood and ignored (wanted: %s)", r->name, value[i], accepted(r));
        else
            tn_env_complain("Invalid value for environment variable %s", r->name);
    }
    conclude();
}

void tn_env_display(bool verbose)
{
    char text[8192];
    struct tn_buf b = tn_buf_init(text, sizeof text);
    tn_buf_fmt(&b, "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n");
    for (size_t i = 0; i < ROWS; i++) {
        if (!rows[i].print || ((rows[i].is & VERBOSE) && !verbose))
            continue;
        tn_buf_fmt(&b, "  %s = '", rows[i].name);
        rows[i].print(&rows[i], &b);
        tn_buf_fmt(&b, "'\n");
    }
    tn_buf_fmt(&b, "OPENMP DISPLAY ENVIRONMENT END\n");
    tn_buf_flush(&b);
}
