/* SPDX-License-Identifier: MIT */
/* error at(execution): a warning goes on, a fatal one ends the process with status 1.
 * conform: status 1
 */
#include <unistd.h>

#include "conform.h"

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    dup2(1, 2);
#pragma omp error at(execution) severity(warning) message("mind this")
#pragma omp error at(execution) severity(warning)
    puts("goes on");
#pragma omp error at(execution) severity(fatal) message("this is the end")
    puts("not reached");
    return 0;
}
