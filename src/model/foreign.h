// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/error.h"
#include "base/file.h"

namespace coracle::internal {

/// A kind of file that is neither a program nor parameters of Paddle, and what to do with it.
struct ForeignKind {
  std::string_view what;    ///< "an ONNX model"
  std::string_view advice;  ///< "export ..."
  bool is_model = false;    ///< somebody may have meant it as the model, where it lies in a folder
};

/// What the file is, by its first bytes and its name; null for what is not known. Asked only where reading it as one of
/// Paddle's files failed, or there is none: a guess never stands in the way of a model.
const ForeignKind* foreign_kind(const File& file);

/// Rethrows `error`, which reading `file` gave; one that says that the bytes are not what they should be with what they
/// are instead, where that is known.
[[noreturn]] void fail_reading(const File& file, const Error& error);

}  // namespace coracle::internal
