/* SPDX-License-Identifier: MIT */
/* cancel sections, its cancellation point, and a cancelled combined parallel sections.
 * conform: env OMP_CANCELLATION=true
 */
#include "conform.h"

int main(void)
{
    int cancelling = omp_get_cancellation(), first = 0, later = 0;

#pragma omp parallel num_threads(1)
    {
#pragma omp sections
        {
#pragma omp section
            {
                first++;
#pragma omp cancel sections
                first += 10;
            }
#pragma omp section
            later++;
#pragma omp section
            later++;
        }
    }
    CHECK(first == (cancelling ? 1 : 11) && later == (cancelling ? 0 : 2));
    first = later = 0;
#pragma omp parallel sections num_threads(4)
    {
#pragma omp section
        {
#pragma omp atomic
            first++;
            if (cancelling) {
#pragma omp cancel sections
            }
        }
#pragma omp section
        {
#pragma omp cancellation point sections
#pragma omp atomic
            later++;
        }
    }
    CHECK(first == 1 && later <= 1);
    return conform_end();
}
