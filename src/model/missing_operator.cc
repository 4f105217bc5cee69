// SPDX-License-Identifier: Apache-2.0
#include "model/missing_operator.h"

namespace coracle {

const char* missing_operator([[maybe_unused]] const char* of_all) {
#ifdef CORACLE_OPERATORS
  return "it is not among the operators that this library was built with (CORACLE_OPERATORS)";
#else
  return of_all;
#endif
}

}  // namespace coracle
