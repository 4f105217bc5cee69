// SPDX-License-Identifier: Apache-2.0
#include "client/image.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace coracle::client {
namespace {

/// Where an input of four dimensions has its channels, rows and columns.
struct ChannelAxes {
  size_t channels = 1;
  size_t height = 2;
  size_t width = 3;
};

bool is_channels(int64_t dim) { return dim == 1 || dim == 3; }

ChannelAxes layout_of(const std::string& path, coracle_dtype dtype, const coracle::Dims& dims) {
  const bool first = dims.size() == 4 && (is_channels(dims[1]) || (dims[1] < 0 && !is_channels(dims[3])));
  const bool last = dims.size() == 4 && !first && is_channels(dims[3]);
  if ((!first && !last) || dims[0] > 1) {
    fail(CORACLE_INVALID_ARGUMENT, path + ": a picture gives float32[1, 3, height, width], the input is " +
                                       type_text(dtype, dims) + "; give a .npy file");
  }
  if (dtype != CORACLE_FLOAT32 && dtype != CORACLE_UINT8) {
    fail(CORACLE_INVALID_ARGUMENT, path + ": a picture gives float32 or uint8, the input takes " +
                                       coracle_dtype_name(dtype) + "; give a .npy file");
  }
  return first ? ChannelAxes{1, 2, 3} : ChannelAxes{3, 1, 2};
}

/// Where in the input the picture lies and how it is scaled; a part outside of the input is cut off.
struct Placement {
  int64_t height = 0;  ///< of the input
  int64_t width = 0;
  int64_t top = 0;  ///< of the scaled picture in the input, negative where it is cut
  int64_t left = 0;
  int64_t scaled_height = 0;
  int64_t scaled_width = 0;
};

int64_t scaled(int64_t length, double factor) {
  return std::max<int64_t>(1, std::llround(static_cast<double>(length) * factor));
}

Placement place(const std::string& path, const vision::Image& p, int64_t height, int64_t width, const ImageOptions& o) {
  const bool free = height <= 0 || width <= 0;
  Placement at{height > 0 ? height : p.height, width > 0 ? width : p.width};
  at.scaled_height = at.height;
  at.scaled_width = at.width;
  switch (o.resize) {
    case Resize::kExact: return at;
    case Resize::kNone:
      if (at.height == p.height && at.width == p.width) return at;
      fail(CORACLE_INVALID_ARGUMENT, path + ": a picture of " + std::to_string(p.width) + " x " +
                                         std::to_string(p.height) + " pixels, the input has " +
                                         std::to_string(at.width) + " x " + std::to_string(at.height) +
                                         ", and --resize none leaves it as it is");
    case Resize::kShort: {
      if (free && o.side == 0) {
        fail(CORACLE_INVALID_ARGUMENT, path +
                                           ": --resize short needs a length where the input's size is free: "
                                           "--resize short:256, or --shape");
      }
      const int64_t side = o.side > 0 ? o.side : std::llround(static_cast<double>(std::min(height, width)) * 8.0 / 7.0);
      const double factor = static_cast<double>(side) / static_cast<double>(std::min(p.height, p.width));
      at.scaled_height = scaled(p.height, factor);
      at.scaled_width = scaled(p.width, factor);
      at.height = height > 0 ? height : at.scaled_height;
      at.width = width > 0 ? width : at.scaled_width;
      if (at.height > at.scaled_height || at.width > at.scaled_width) {
        fail(CORACLE_INVALID_ARGUMENT, path + ": --resize short:" + std::to_string(side) + " makes " +
                                           std::to_string(at.scaled_width) + " x " + std::to_string(at.scaled_height) +
                                           " of it, of which no " + std::to_string(at.width) + " x " +
                                           std::to_string(at.height) + " can be cut");
      }
      break;
    }
    case Resize::kLetterbox: {
      if (free) fail(CORACLE_INVALID_ARGUMENT, path + ": --resize letterbox needs the size of the input: give --shape");
      const double factor = std::min(static_cast<double>(height) / static_cast<double>(p.height),
                                     static_cast<double>(width) / static_cast<double>(p.width));
      at.scaled_height = std::min(height, scaled(p.height, factor));
      at.scaled_width = std::min(width, scaled(p.width, factor));
      break;
    }
  }
  at.top = (at.height - at.scaled_height) / 2;
  at.left = (at.width - at.scaled_width) / 2;
  return at;
}

/// Red, green and blue at a place between pixels, centres half a pixel in.
std::array<float, 3> sample(const vision::Image& p, float y, float x) {
  y = std::clamp(y, 0.0F, static_cast<float>(p.height - 1));
  x = std::clamp(x, 0.0F, static_cast<float>(p.width - 1));
  const auto y0 = static_cast<int64_t>(y);
  const auto x0 = static_cast<int64_t>(x);
  const int64_t y1 = std::min<int64_t>(y0 + 1, p.height - 1);
  const int64_t x1 = std::min<int64_t>(x0 + 1, p.width - 1);
  const float fy = y - static_cast<float>(y0);
  const float fx = x - static_cast<float>(x0);
  std::array<float, 3> out;
  for (size_t c = 0; c < 3; ++c) {
    const auto at = [&](int64_t yy, int64_t xx) {
      return static_cast<float>(p.bgr[static_cast<size_t>(yy * p.width + xx) * 3 + 2 - c]);
    };
    const float top = at(y0, x0) * (1 - fx) + at(y0, x1) * fx;
    const float bottom = at(y1, x0) * (1 - fx) + at(y1, x1) * fx;
    out[c] = top * (1 - fy) + bottom * fy;
  }
  return out;
}

/// The colour of a pixel of the input, before it is normalised.
class Pixels {
 public:
  Pixels(const vision::Image& picture, const Placement& at, const ImageOptions& options)
      : picture_(picture),
        at_(at),
        border_(options.grey),
        sy_(static_cast<float>(picture.height) / static_cast<float>(at.scaled_height)),
        sx_(static_cast<float>(picture.width) / static_cast<float>(at.scaled_width)) {}

  std::array<float, 3> operator()(int64_t y, int64_t x) const {
    y -= at_.top;
    x -= at_.left;
    if (y < 0 || x < 0 || y >= at_.scaled_height || x >= at_.scaled_width) return {border_, border_, border_};
    return sample(picture_, (static_cast<float>(y) + 0.5F) * sy_ - 0.5F, (static_cast<float>(x) + 0.5F) * sx_ - 0.5F);
  }

 private:
  const vision::Image& picture_;
  const Placement& at_;
  float border_;
  float sy_;
  float sx_;
};

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

std::string channels_text(const std::array<double, 3>& values) {
  return number_text(values[0]) + "," + number_text(values[1]) + "," + number_text(values[2]);
}

}  // namespace

Tensor image_input(const std::string& path, const vision::Image& picture, coracle_dtype dtype,
                   const coracle::Dims& dims, const ImageOptions& options) {
  const ChannelAxes layout = layout_of(path, dtype, dims);
  if (dtype == CORACLE_UINT8 && options.normalised) {
    fail(CORACLE_INVALID_ARGUMENT, path +
                                       ": the input takes uint8, whole pixels: --mean, --std and --scale are for "
                                       "real types");
  }
  const int64_t channels = dims[layout.channels] == 1 ? 1 : 3;
  const Placement at = place(path, picture, dims[layout.height], dims[layout.width], options);
  coracle::Dims shape(4, 1);
  shape[layout.channels] = channels;
  shape[layout.height] = at.height;
  shape[layout.width] = at.width;
  Tensor a = zeros(dtype, shape);
  const auto plane = static_cast<size_t>(at.height * at.width);
  const size_t channel_step = layout.channels == 1 ? plane : 1;
  const size_t pixel_step = layout.channels == 1 ? 1 : static_cast<size_t>(channels);
  // (v * scale - mean) / std as v * factor + offset
  const double scale = options.scale.value_or(dtype == CORACLE_FLOAT32 ? 1.0 / 255 : 1.0);
  std::array<float, 3> factor;
  std::array<float, 3> offset;
  for (size_t c = 0; c < 3; ++c) {
    factor[c] = static_cast<float>(scale / options.std[c]);
    offset[c] = static_cast<float>(-options.mean[c] / options.std[c]);
  }
  const Pixels pixels(picture, at, options);
  for (int64_t y = 0; y < at.height; ++y) {
    for (int64_t x = 0; x < at.width; ++x) {
      std::array<float, 3> v = pixels(y, x);
      if (options.bgr) std::swap(v[0], v[2]);
      if (channels == 1)
        v[0] =
            options.bgr ? 0.114F * v[0] + 0.587F * v[1] + 0.299F * v[2] : 0.299F * v[0] + 0.587F * v[1] + 0.114F * v[2];
      const size_t pixel = static_cast<size_t>(y * at.width + x) * pixel_step;
      for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
        const size_t i = pixel + c * channel_step;
        if (dtype == CORACLE_FLOAT32) {
          reinterpret_cast<float*>(a.bytes.data())[i] = v[c] * factor[c] + offset[c];
        } else {
          a.bytes[i] = static_cast<std::byte>(v[c] + 0.5F);
        }
      }
    }
  }
  return a;
}

std::string image_text(const Tensor& input, const ImageOptions& o) {
  const bool last = !is_channels(input.dims[1]);
  const bool grey = input.dims[last ? 3 : 1] == 1;
  std::string out = grey ? "grey" : (o.bgr ? "BGR" : "RGB");
  if (input.dtype == CORACLE_UINT8) {
    out += ", pixels from 0 to 255";
  } else {
    out += ", (pixel * " + (o.scale ? number_text(*o.scale) : std::string("1/255")) + " - mean " +
           channels_text(o.mean) + ") / std " + channels_text(o.std);
  }
  constexpr const char* kHow[] = {"stretched to ", "shorter side scaled and the middle cut to ",
                                  "fitted with a border into ", "left at "};
  return out + ", " + kHow[static_cast<size_t>(o.resize)] + std::to_string(input.dims[last ? 2 : 3]) + " x " +
         std::to_string(input.dims[last ? 1 : 2]);
}

}  // namespace coracle::client
