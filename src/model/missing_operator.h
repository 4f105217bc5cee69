// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coracle {

/// Why there is no operator of a type that a model names: this build leaves it out, or, if it has all that were
/// written, `of_all`.
const char* missing_operator(const char* of_all = "there is no such operator here");

}  // namespace coracle
