// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "coracle/coracle.hpp"

/// What client programs of the library share: the program coracle, and servers. It uses the public interface; nothing
/// here prints, or reads or writes files.
namespace coracle::client {

/// Data that cannot be read, or does not fit: CORACLE_IO for what is damaged, CORACLE_INVALID_ARGUMENT for what is
/// whole but no such tensor, CORACLE_OUT_OF_MEMORY. The message says where, what was found and what was expected.
class Error : public coracle::Exception {
 public:
  using Exception::Exception;
};

[[noreturn]] inline void fail(coracle_status status, const std::string& message) { throw Error(status, message); }

}  // namespace coracle::client
