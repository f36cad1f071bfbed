/* SPDX-License-Identifier: MIT */
/* Guided: whoever takes it, each chunk is a share of all that is left, at least the chunk size: the sizes, in the order of the
 * iterations, do not depend on the threads. By the entries that GCC calls. */
#include "conform.h"
#include <stdbool.h>

bool GOMP_loop_nonmonotonic_guided_start(long start, long end, long incr, long chunk, long *istart, long *iend);
bool GOMP_loop_nonmonotonic_guided_next(long *istart, long *iend);
bool GOMP_loop_guided_start(long start, long end, long incr, long chunk, long *istart, long *iend);
bool GOMP_loop_guided_next(long *istart, long *iend);
void GOMP_loop_end(void);

#define N 2000
static long size[N]; /* of the chunk that begins here, 0: none does */

#define SIZES(kind, n, width, chunk)                                       \
    do {                                                                   \
        memset(size, 0, sizeof size);                                      \
        _Pragma("omp parallel num_threads(width)") {                       \
            long lo, hi;                                                   \
            if (GOMP_loop_##kind##_start(0, n, 1, chunk, &lo, &hi))        \
                do                                                         \
                    size[lo] = hi - lo;                                    \
                while (GOMP_loop_##kind##_next(&lo, &hi));                 \
            GOMP_loop_end();                                               \
        }                                                                  \
        printf(#kind " %d of %d, at least %d:", n, width, chunk);          \
        for (long i = 0; i < n; i += size[i] ? size[i] : n)                \
            printf(" %ld", size[i]);                                       \
        printf("\n");                                                      \
    } while (0)

int main(void)
{
    for (int width = 1; width <= 5; width++) {
        SIZES(nonmonotonic_guided, 1000, width, 1);
        SIZES(nonmonotonic_guided, 1999, width, 7);
        SIZES(nonmonotonic_guided, 1000, width, 600);
        SIZES(nonmonotonic_guided, 3, width, 1);
        SIZES(guided, 1000, width, 1);
        SIZES(guided, 1999, width, 70);
    }
    return 0;
}
