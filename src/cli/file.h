// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/tensor.h"

namespace coracle::cli {

/// The content of a file. Throws Failure (input/output).
std::string read_file(const std::string& path);
/// The tensor in a .npy file. Throws Failure or client::Error (input/output).
client::Tensor read_npy(const std::string& path);
/// For what is written after much work: throws Failure (input/output) where the folder that a file is to lie in is not
/// there.
void require_folder_of(const std::string& path);

}  // namespace coracle::cli
