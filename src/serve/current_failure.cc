// SPDX-License-Identifier: Apache-2.0
#include "serve/current_failure.h"

#include <new>

#include "coracle/coracle.hpp"

namespace coracle::serve {
namespace {

Code code_of(coracle_status status) {
  switch (status) {
    case CORACLE_OUT_OF_MEMORY: return Code::kUnavailable;
    case CORACLE_UNSUPPORTED: return Code::kUnsupported;
    default: return Code::kInvalidArgument;
  }
}

}  // namespace

Failure current_failure() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const coracle::Exception& e) {
    return {code_of(e.status()), e.what()};
  } catch (const std::bad_alloc&) {
    return {Code::kUnavailable, "there is not enough memory for this request now"};
  } catch (const std::exception& e) {
    return {Code::kInternal, e.what()};
  }
}

}  // namespace coracle::serve
