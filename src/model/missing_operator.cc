// SPDX-License-Identifier: Apache-2.0
#include "model/missing_operator.h"

namespace coracle {

const char* missing_operator() {
#ifdef CORACLE_OPERATORS
  return "it is not among the operators that this library was built with (CORACLE_OPERATORS)";
#else
  return "there is no such operator here";
#endif
}

}  // namespace coracle
