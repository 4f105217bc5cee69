// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "plan/kernel.h"

/// What is read of coracle_model_options and of a model's source, whatever loads it.
namespace coracle::internal {

/// The parts of a list with commas; none of null.
std::vector<std::string> split(const char* list);
/// The instruction set of a name. Throws Error where this machine or this library has not got it.
CapabilityLevel capability_of(std::string_view isa);
/// Throws Error where this library has no kernels for this machine.
void require_kernels();
/// Bytes that the caller keeps alive. Throws Error.
FileBytes borrowed_bytes(const void* data, size_t size, std::string name);

}  // namespace coracle::internal
