// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include "client/tensor.h"
#include "coracle/vision/image.h"

namespace coracle::client {

/// How a picture gets the height and width of an input.
enum class Resize {
  kExact,      ///< stretched to it
  kShort,      ///< scaled until its shorter side has a length, then cut out of the middle
  kLetterbox,  ///< scaled until it fits, the rest filled with grey
  kNone,       ///< not at all: it must have that size
};

/// What makes an input of a picture. Sizes are changed bilinearly, as OpenCV does; a value becomes
/// (value * scale - mean) / std, channel by channel in the order of the input.
struct ImageOptions {
  Resize resize = Resize::kExact;
  int64_t side = 0;               ///< kShort: of the shorter side; 0: 8/7 of the input's shorter one (256 for 224)
  uint8_t grey = 114;             ///< kLetterbox: of the border
  bool bgr = false;               ///< blue first
  std::optional<double> scale{};  ///< none: 1/255 for real types, 1 for integers
  std::array<double, 3> mean{0, 0, 0};
  std::array<double, 3> std{1, 1, 1};

  /// Whether mean, std or scale were given.
  bool normalised = false;
};

/// A picture as an input of type `dtype` and shape `dims`: [1, 3, height, width], or with the channels last, or with
/// one channel (grey: 0.299 red + 0.587 green + 0.114 blue); a free height or width is the picture's own. Throws
/// Error if the input cannot be a picture; `path` is for its message, which names options as the program coracle does.
Tensor image_input(const std::string& path, const vision::Image& picture, coracle_dtype dtype,
                   const coracle::Dims& dims, const ImageOptions& options);

/// "pixels / 255, RGB, stretched to 224 x 224": what image_input did for an input of these dimensions.
std::string image_text(const Tensor& input, const ImageOptions& options);

}  // namespace coracle::client
