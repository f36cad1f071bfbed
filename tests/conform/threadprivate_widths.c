/* SPDX-License-Identifier: MIT */
/* threadprivate values of the threads that two successive widths share survive the change. */
#include "conform.h"

static int mine = -1;
#pragma omp threadprivate(mine)

int main(void)
{
    static const int widths[] = {4, 3, 2, 3, 2, 4, 2};
    int previous = 4;

#pragma omp parallel num_threads(4)
    mine = omp_get_thread_num();
    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++) {
#pragma omp parallel num_threads(widths[i])
        {
            int me = omp_get_thread_num();

            if (me < previous)
                CHECK(mine == me);
            mine = me;
        }
        previous = widths[i];
    }
    return conform_end();
}
