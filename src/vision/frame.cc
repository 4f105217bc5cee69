// SPDX-License-Identifier: Apache-2.0
#include "coracle/vision/frame.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "vision/c_interface.h"
#include "vision/frame_rows.h"
#include "vision/limits.h"

namespace coracle::vision {
namespace {

/// `what`: "width", say. All that is behind `begin` where `size` is 0.
int checked_side(const char* what, int begin, int size, int whole) {
  if (begin >= 0 && begin < whole && size >= 0 && size <= whole - begin) return size == 0 ? whole - begin : size;
  refuse("the region begins at " + std::to_string(begin) + " and has " + what + " " + std::to_string(size) +
         ", the frame has " + std::to_string(whole));
}

/// Of a plane of the frame whose rows take `row_bytes`.
FrameChannel plane_of(const coracle_frame& frame, std::size_t plane, std::size_t row_bytes, int offset, int step,
                      int shift) {
  require_pointer(frame.planes[plane], plane == 0 ? "planes[0]" : "planes[1]");
  const std::size_t stride = frame.strides[plane] == 0 ? row_bytes : frame.strides[plane];
  if (stride < row_bytes) {
    refuse("a row of plane " + std::to_string(plane) + " has " + std::to_string(row_bytes) + " bytes, the stride is " +
           std::to_string(stride));
  }
  return {static_cast<const std::uint8_t*>(frame.planes[plane]) + offset, stride, step, shift};
}

/// Red, green and blue, or Y, U and V.
std::array<FrameChannel, 3> channels_of(const coracle_frame& frame, bool is_yuv) {
  const auto width = static_cast<std::size_t>(frame.width);
  std::array<FrameChannel, 3> channels{};
  for (int c = 0; c < 3; ++c) {
    FrameChannel& channel = channels[static_cast<std::size_t>(c)];
    if (is_yuv && c == 0) {
      channel = plane_of(frame, 0, width, 0, 1, 0);
    } else if (is_yuv) {
      const bool is_second = (c == 2) == (frame.format == CORACLE_FRAME_NV12);
      channel = plane_of(frame, 1, (width + 1) / 2 * 2, is_second ? 1 : 0, 2, 1);
    } else {
      const bool is_bgr = frame.format == CORACLE_FRAME_BGR || frame.format == CORACLE_FRAME_BGRA;
      const int step = frame.format == CORACLE_FRAME_RGB || frame.format == CORACLE_FRAME_BGR ? 3 : 4;
      channel = plane_of(frame, 0, width * static_cast<std::size_t>(step), is_bgr ? 2 - c : c, step, 0);
    }
  }
  return channels;
}

/// (pixel - mean) * scale for each pixel there can be.
template <class Element>
std::array<Element, 256> elements_of(float mean, float scale) {
  std::array<Element, 256> elements{};
  for (std::size_t v = 0; v < elements.size(); ++v) {
    float value = (static_cast<float>(v) - mean) * scale;
    if constexpr (!std::is_same_v<Element, float>) {
      using Limits = std::numeric_limits<Element>;
      value = std::nearbyint(std::clamp<float>(value, Limits::min(), Limits::max()));
    }
    elements[v] = static_cast<Element>(value);
  }
  return elements;
}

template <class Element>
void write_tensor(const coracle_frame& frame, FrameRows& rows, Element* tensor) {
  const auto width = static_cast<std::size_t>(frame.tensor_width);
  const auto height = static_cast<std::size_t>(frame.tensor_height);
  std::array<std::array<Element, 256>, 3> elements;
  for (std::size_t c = 0; c < 3; ++c) elements[c] = elements_of<Element>(frame.mean[c], frame.scale[c]);
  const std::size_t step = frame.channels_last != 0 ? 3 : 1;
  const std::size_t plane = frame.channels_last != 0 ? 1 : width * height;
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint8_t* pixels = rows.row(static_cast<int>(y));
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint8_t* from = pixels + width * (frame.order == CORACLE_RGB ? c : 2 - c);
      Element* to = tensor + c * plane + y * width * step;
      for (std::size_t x = 0; x < width; ++x) to[x * step] = elements[c][from[x]];
    }
  }
}

/// In C an enumeration may hold any number.
template <class Enumeration>
int number_of(const Enumeration& value) {
  int number = 0;
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

void check_frame(const coracle_frame& frame, const void* tensor, std::size_t bytes) {
  const int format = number_of(frame.format);
  if (format < CORACLE_FRAME_RGB || format > CORACLE_FRAME_NV21)
    refuse("there is no format of frames " + std::to_string(format));
  const int order = number_of(frame.order);
  if (order != CORACLE_RGB && order != CORACLE_BGR) refuse("there is no order of pixels " + std::to_string(order));
  check_size(frame.width, frame.height);
  check_size(frame.tensor_width, frame.tensor_height);
  const int dtype = number_of(frame.dtype);
  if (dtype != CORACLE_FLOAT32 && dtype != CORACLE_UINT8 && dtype != CORACLE_INT8)
    refuse("frames become float32, uint8 or int8, given dtype " + std::to_string(dtype));
  for (std::size_t c = 0; c < 3; ++c) {
    if (!std::isfinite(frame.mean[c]) || !std::isfinite(frame.scale[c]))
      refuse("mean and scale of channel " + std::to_string(c) + " are not finite numbers");
  }
  require_pointer(tensor, "tensor");
  const std::size_t element = dtype == CORACLE_FLOAT32 ? sizeof(float) : 1;
  const std::size_t takes =
      3 * element * static_cast<std::size_t>(frame.tensor_width) * static_cast<std::size_t>(frame.tensor_height);
  if (bytes != takes)
    refuse("the tensor takes " + std::to_string(takes) + " bytes, there is room for " + std::to_string(bytes));
  if (reinterpret_cast<std::uintptr_t>(tensor) % element != 0) refuse("the tensor is not aligned for its elements");
}

coracle_frame default_frame() {
  coracle_frame frame{};
  frame.dtype = CORACLE_FLOAT32;
  std::fill_n(frame.scale, 3, 1.0F);
  return frame;
}

}  // namespace

void frame_to_tensor(const coracle_frame& given, void* tensor, std::size_t bytes) {
  const coracle_frame frame = read_options(&given, default_frame(), "coracle_frame");
  check_frame(frame, tensor, bytes);
  const bool is_yuv = frame.format == CORACLE_FRAME_NV12 || frame.format == CORACLE_FRAME_NV21;
  const FrameRegion region{channels_of(frame, is_yuv),
                           is_yuv,
                           frame.left,
                           frame.top,
                           checked_side("width", frame.left, frame.region_width, frame.width),
                           checked_side("height", frame.top, frame.region_height, frame.height)};
  FrameRows rows(region, frame.tensor_width, frame.tensor_height);
  switch (frame.dtype) {
    case CORACLE_UINT8: return write_tensor(frame, rows, static_cast<std::uint8_t*>(tensor));
    case CORACLE_INT8: return write_tensor(frame, rows, static_cast<std::int8_t*>(tensor));
    default: return write_tensor(frame, rows, static_cast<float*>(tensor));
  }
}

}  // namespace coracle::vision

extern "C" {

void coracle_frame_init(coracle_frame* frame, size_t struct_size) {
  coracle::vision::init_options(frame, struct_size, coracle::vision::default_frame());
}

coracle_status coracle_frame_to_tensor(const coracle_frame* frame, void* tensor, size_t bytes) {
  return coracle::vision::guard([&] {
    coracle::vision::require_pointer(frame, "frame");
    coracle::vision::frame_to_tensor(*frame, tensor, bytes);
  });
}

}  // extern "C"
