/* SPDX-License-Identifier: MIT */
/* cancel taskgroup: tasks of the group that have not begun are discarded, those of other groups run; a discarded task
 * still releases its dependences.
 * conform: env OMP_CANCELLATION=true
 */
#include "conform.h"

int main(void)
{
    int cancelling = omp_get_cancellation(), begun = 0, outside = 0, x = 0, after = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task shared(outside)
#pragma omp atomic
        outside++;
#pragma omp taskgroup
        {
#pragma omp task depend(out : x) shared(begun)
            {
#pragma omp atomic
                begun++;
#pragma omp cancel taskgroup
                if (cancelling)
                    conform_fault(__LINE__, "a cancelled task goes on");
            }
            for (int i = 0; i < 200; i++) {
#pragma omp task depend(inout : x) shared(begun)
                {
#pragma omp cancellation point taskgroup
#pragma omp atomic
                    begun++;
                }
            }
        }
        CHECK(cancelling ? begun == 1 : begun == 201);
#pragma omp taskgroup
        {
#pragma omp taskloop nogroup shared(after)
            for (int i = 0; i < 50; i++)
#pragma omp atomic
                after++;
        }
#pragma omp task depend(in : x) shared(after)
#pragma omp atomic
        after++;
    }
    CHECK(outside == 1 && after == 51);
    return conform_end();
}
