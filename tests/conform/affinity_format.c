/* SPDX-License-Identifier: MIT */
/* omp_set_affinity_format, omp_capture_affinity, omp_display_affinity: every field with a determined value, widths,
 * alignment, long names, truncation.
 * conform: env OMP_AFFINITY_FORMAT=T%n/%N-%L%%
 * conform: env OMP_PLACES=threads OMP_PROC_BIND=close OMP_NUM_THREADS=2
 * conform: env OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT=%n-of-%N OMP_NUM_THREADS=1
 */
#include <unistd.h>

#include "conform.h"

static const char *const formats[] = {"%n %N %L %t %T %a", "[%5n|%.5n|%0.5n|%12N]", "%{thread_num} of %{num_threads}",
                                      "%{nesting_level}-%{ancestor_tnum}-%{team_num}-%{num_teams}", "%%", "%A",
                                      "plain text", "%10{num_threads}|%0.10{team_num}"};

int main(void)
{
    char text[256], small[6], before[256];
    size_t length;

    dup2(1, 2); /* omp_display_affinity writes to standard error: into the compared output with it */
    length = omp_get_affinity_format(before, sizeof before);
    printf("%zu %s\n", length, before);
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
        length = omp_capture_affinity(text, sizeof text, formats[i]);
        printf("%zu %s\n", length, text);
        CHECK(length == strlen(text));
    }
    length = omp_capture_affinity(small, sizeof small, "0123456789");
    printf("%zu %s\n", length, small);
    CHECK(omp_capture_affinity(NULL, 0, "0123456789") == 10);
    omp_set_affinity_format("level %L thread %n");
    CHECK(omp_get_affinity_format(small, sizeof small) == 18 && !strcmp(small, "level"));
#pragma omp parallel num_threads(3)
    for (int turn = 0; turn < 3; turn++) {
        if (turn == omp_get_thread_num()) {
            char mine[64];

            omp_capture_affinity(mine, sizeof mine, NULL);
            printf("%s\n", mine);
            fflush(stdout);
            omp_display_affinity(NULL);
            omp_display_affinity("again %n");
        }
#pragma omp barrier
    }
    return conform_end();
}
