// SPDX-License-Identifier: Apache-2.0
// From a frame of a camera to a model's input.
#pragma once

#include <cstddef>

#include "coracle/vision/image.h"
#include "coracle/vision/vision.h"

namespace coracle::vision {

/// A frame with its defaults.
inline coracle_frame make_frame() {
  coracle_frame frame;
  coracle_frame_init(&frame, sizeof(frame));
  return frame;
}

/// As coracle_frame_to_tensor; throws Error.
CORACLE_VISION_API void frame_to_tensor(const coracle_frame& frame, void* tensor, std::size_t bytes);

}  // namespace coracle::vision
