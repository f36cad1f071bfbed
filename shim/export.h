/* SPDX-License-Identifier: MIT */
/* How a name leaves the library: TN_EXPORT on its definition, a line in symbols.map, nothing else. Prototypes of foreign
 * names stand in omp_abi.h, gomp_abi.h, acc_abi.h; those headers push default visibility instead. */
#ifndef TN_EXPORT_H
#define TN_EXPORT_H

#define TN_EXPORT __attribute__((visibility("default")))

/* One body, two versions: `body` (named tn_…, so that symbols.map hides the bare name) is exported as name@version, or as
 * name@@version where `at` is "@@". File scope. */
#define TN_SYMVER(body, name, at, version) __asm__(".symver " #body "," #name at version)

#endif
