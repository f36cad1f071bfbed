/* SPDX-License-Identifier: MIT */
/* critical, unnamed, named, with a hint: plain increments lose nothing; different names do not exclude each other's
 * data. Nested criticals of different names. */
#include "conform.h"

static long plain, named, hinted, inner;

int main(void)
{
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 5000; i++) {
#pragma omp critical
        plain++;
#pragma omp critical(first)
        {
            named++;
#pragma omp critical(second)
            inner++;
        }
#pragma omp critical(third) hint(omp_sync_hint_contended)
        hinted++;
    }
    CHECK(plain == 20000 && named == 20000 && hinted == 20000 && inner == 20000);
    return conform_end();
}
