// SPDX-License-Identifier: Apache-2.0
// From a picture to the model's input.
#pragma once

#include <vector>

#include "vision/description.h"

namespace coracle::vision {

/// Three planes of numbers, and how their size came from the picture's.
struct Prepared {
  int width = 0;
  int height = 0;
  std::vector<float> values;
  int picture_width = 0;  ///< of the picture before the steps
  int picture_height = 0;
  int resized_width = 0;  ///< after resizing, before padding
  int resized_height = 0;
  double scale_x = 1;  ///< from the picture to the resized one
  double scale_y = 1;
};

Prepared prepare(const Image& image, const Description& description);

/// The size that a step of text detection makes of a picture.
struct Size {
  int width = 0;
  int height = 0;
};
Size text_size(const TextResize& step, int width, int height);
Size resized(const Resize& step, int width, int height);
/// What makes of a picture the largest that fits into the step's size.
double fitting_factor(const Resize& step, int width, int height);

/// Pictures too small for text detectors get black added to the right and below.
Image pad_tiny(const Image& image);

/// How wide the input of one line is.
int line_width(const Image& line, const LineResize& step);
/// A line of text at the step's height, at most `most` wide, in [-1, 1], with zeros to the right, into three planes of
/// step.height x width at `out`.
void write_line(const Image& line, const LineResize& step, int most, int width, bool rgb, float* out);

}  // namespace coracle::vision
