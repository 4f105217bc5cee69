// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "passes/pass.h"

/// One function per pass, each in the file of its name; pipeline.cc puts them in order.
namespace coracle {

Pass constant_folding();
Pass dead_code();
Pass common_subexpressions();

}  // namespace coracle
