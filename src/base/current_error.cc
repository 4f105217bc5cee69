// SPDX-License-Identifier: Apache-2.0
#include "base/current_error.h"

#include <new>
#include <stdexcept>
#include <system_error>

namespace coracle::internal {

Error current_error() {
  try {
    throw;
  } catch (const Error& e) {
    return e;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kOutOfMemory, "out of memory"};
  } catch (const std::length_error&) {  // a list that no memory holds
    return {ErrorCode::kOutOfMemory, "out of memory"};
  } catch (const std::system_error& e) {
    return {ErrorCode::kRunFailure, "the system refused a call: " + e.code().message()};
  } catch (const std::runtime_error& e) {
    return {ErrorCode::kRunFailure, e.what()};
  } catch (...) {
    return {ErrorCode::kRunFailure, "a check within the library failed: this is a fault of it, not of its use"};
  }
}

}  // namespace coracle::internal
