// SPDX-License-Identifier: Apache-2.0
// The order of numbers: what is not one is the greatest.
// Defined by the host: TYPE, REAL, DESCENDING.

#include "types.cl"

FN int is_before(REGISTER_OF(TYPE) a, REGISTER_OF(TYPE) b) {
#if REAL
  const bool nan_a = a != a;
  const bool nan_b = b != b;
#else
  const bool nan_a = 0;
  const bool nan_b = 0;
#endif
  return DESCENDING ? ((nan_a && !nan_b) || a > b) : ((!nan_a && nan_b) || a < b);
}
