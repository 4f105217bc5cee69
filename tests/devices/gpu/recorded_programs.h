// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "devices/gpu/recording_gpu.h"

namespace coracle::internal::test {

/// What kernels compile for some nodes of each operator: every source, with all definitions that are not numbers of a
/// shape. A node with attributes of its own that no kernel takes is a failure of the test.
std::set<RecordingGpu::Program> recorded_programs();

}  // namespace coracle::internal::test
