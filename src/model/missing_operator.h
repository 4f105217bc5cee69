// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coracle {

/// Why there is no operator of a type that a model names: none was written, or this build leaves it out.
const char* missing_operator();

}  // namespace coracle
