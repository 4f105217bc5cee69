// SPDX-License-Identifier: Apache-2.0
#include "vision/prepare.h"

#include <algorithm>
#include <cmath>

#include "vision/keypoints.h"
#include "vision/limits.h"
#include "vision/resample.h"

namespace coracle::vision {
namespace {

constexpr int kTextStride = 32;  // Sides of what text detectors and CenterNet take are multiples of it.

/// To the nearest integer, ties to the even one.
int rounded(double value) {
  check_size(static_cast<std::int64_t>(std::min(value, 1e9)), 1);
  return static_cast<int>(std::nearbyint(value));
}

int up_to_multiple(int value, int of) { return (value + of - 1) / of * of; }

Image crop(const Image& image, const CentreCrop& step) {
  if (image.width < step.width || image.height < step.height) {
    throw Error(Problem::kPicture, "the resized picture of " + std::to_string(image.width) + " x " +
                                       std::to_string(image.height) + " pixels is smaller than the " +
                                       std::to_string(step.width) + " x " + std::to_string(step.height) +
                                       " that are to be cut out");
  }
  const int left = (image.width - step.width) / 2;
  const int top = (image.height - step.height) / 2;
  Image result(step.width, step.height);
  for (int y = 0; y < step.height; ++y) std::copy_n(image.row(top + y) + 3 * left, 3 * step.width, result.row(y));
  return result;
}

/// The picture's channels as planes, each value looked up in the table of its channel.
void write_planes(const Image& image, const std::array<std::array<float, 256>, 3>& table, bool rgb, int width,
                  int height, float* out) {
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t channel = rgb ? 2 - c : c;
    for (int y = 0; y < image.height; ++y) {
      const std::uint8_t* row = image.row(y) + channel;
      float* to = out + static_cast<std::ptrdiff_t>(y) * width;
      for (int x = 0; x < image.width; ++x) to[x] = table[c][row[3 * x]];
    }
    out += static_cast<std::ptrdiff_t>(width) * height;
  }
}

class Preparation {
 public:
  Preparation(const Image& image, bool rgb) : image_(image), rgb_(rgb) {
    result_.picture_width = result_.resized_width = image.width;
    result_.picture_height = result_.resized_height = image.height;
  }

  void operator()(const Resize& step) {
    const Size size = resized(step, image_.width, image_.height);
    const auto ratio = [](int to, int from) { return static_cast<double>(to) / from; };
    if (step.resampled) {
      image_ = resample(image_, size.width, size.height, step.interpolation);
    } else if (step.by_factor) {
      const double factor = fitting_factor(step, image_.width, image_.height);
      image_ = resize_by(image_, size.width, size.height, factor, step.interpolation);
      result_.scale_x = result_.scale_y = factor;
    } else {
      image_ = resize(image_, size.width, size.height, step.interpolation);
    }
    if (!step.by_factor) {
      result_.scale_x = ratio(size.width, result_.picture_width);
      result_.scale_y = ratio(size.height, result_.picture_height);
    }
    result_.resized_width = size.width;
    result_.resized_height = size.height;
  }
  void operator()(const TextResize& step) {
    image_ = pad_tiny(image_);
    const Size size = text_size(step, image_.width, image_.height);
    image_ = resize(image_, size.width, size.height);
  }
  void operator()(const LineResize& step) {
    take_size(line_width(image_, step), step.height);
    write_line(image_, step, result_.width, result_.width, rgb_, result_.values.data());
  }
  void operator()(const CentreCrop& step) { image_ = crop(image_, step); }
  void operator()(const Surround&) {
    const Image inner = std::move(image_);
    image_ = Image(up_to_multiple(inner.width + 1, kTextStride), up_to_multiple(inner.height + 1, kTextStride));
    const int left = image_.width / 2 - inner.width / 2;
    const int top = image_.height / 2 - inner.height / 2;
    for (int y = 0; y < inner.height; ++y) std::copy_n(inner.row(y), 3 * inner.width, image_.row(top + y) + 3 * left);
  }
  void operator()(const Backdrop& step) {
    check_size(step.width, step.height);
    if (image_.width > step.width || image_.height > step.height) refuse_larger(image_.width, image_.height, step);
    backdrop_ = step;
  }
  void operator()(const Normalise& step) {
    const bool on_backdrop = backdrop_.width > 0;
    take_size(on_backdrop ? backdrop_.width : image_.width, on_backdrop ? backdrop_.height : image_.height);
    std::array<std::array<float, 256>, 3> table{};
    const std::size_t plane = result_.values.size() / 3;
    for (std::size_t c = 0; c < 3; ++c) {
      if (on_backdrop) {
        std::fill_n(result_.values.begin() + static_cast<std::ptrdiff_t>(c * plane), plane,
                    backdrop_.colour[c] * step.factor[c] + step.term[c]);
      }
      for (std::size_t v = 0; v < 256; ++v) table[c][v] = static_cast<float>(v) * step.factor[c] + step.term[c];
    }
    write_planes(image_, table, rgb_, result_.width, result_.height, result_.values.data());
  }
  void operator()(const PadToMultiple& step) {
    pad(up_to_multiple(result_.width, step.of), up_to_multiple(result_.height, step.of));
  }
  void operator()(const PadTo& step) {
    if (result_.width > step.width || result_.height > step.height) refuse_larger(result_.width, result_.height, step);
    pad(step.width, step.height);
  }

  void operator()(const PersonCrop& step) {
    // A matrix of single precision is what PaddleX stretches by.
    const auto stretch = [](int to, int from) { return static_cast<double>(static_cast<float>((to - 1.0) / from)); };
    const Placement placement =
        step.stretched ? Placement{stretch(step.width, image_.width), 0, stretch(step.height, image_.height), 0}
                       : person_placement(image_.width, image_.height, step.width, step.height);
    image_ = placed(image_, placement, step.width, step.height);
  }

  Prepared take() { return std::move(result_); }

 private:
  template <class To>
  [[noreturn]] static void refuse_larger(int width, int height, const To& to) {
    throw Error(Problem::kPicture, "the prepared picture of " + std::to_string(width) + " x " + std::to_string(height) +
                                       " pixels is larger than the " + std::to_string(to.width) + " x " +
                                       std::to_string(to.height) + " to which it is padded");
  }

  void pad(int width, int height) {
    if (result_.values.empty())
      throw Error(Problem::kDescription, "zeros are added to a picture that is not normalised yet");
    const Prepared before = result_;
    take_size(width, height);
    for (int y = 0; y < 3 * before.height; ++y) {
      const int plane = y / before.height;
      const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(plane) * result_.height + y % before.height;
      std::copy_n(before.values.begin() + static_cast<std::ptrdiff_t>(y) * before.width, before.width,
                  result_.values.begin() + row * result_.width);
    }
  }

  void take_size(int width, int height) {
    check_size(width, height);
    result_.width = width;
    result_.height = height;
    result_.values.assign(std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0.0F);
  }

  Image image_;
  bool rgb_;
  Backdrop backdrop_{.width = 0, .height = 0};  ///< none yet
  Prepared result_;
};

}  // namespace

double fitting_factor(const Resize& step, int width, int height) {
  const int longer = std::max(width, height);
  const int most = std::max(step.width, step.height);
  const double by_longer = static_cast<double>(most) / longer;
  const double by_shorter = static_cast<double>(std::min(step.width, step.height)) / std::min(width, height);
  if (!step.by_factor) return std::min(by_longer, by_shorter);
  return std::nearbyint(by_shorter * longer) > most ? by_longer : by_shorter;
}

Size resized(const Resize& step, int width, int height) {
  Size size{step.width, step.height};
  if (step.to != Resize::To::kSize || step.keep_ratio) {
    double scale = 0;
    if (step.to == Resize::To::kSize) {
      scale = fitting_factor(step, width, height);
    } else {
      scale = static_cast<double>(step.width) /
              (step.to == Resize::To::kShort ? std::min(width, height) : std::max(width, height));
    }
    size = {std::max(rounded(width * scale), 1), std::max(rounded(height * scale), 1)};
  }
  return {up_to_multiple(size.width, step.multiple_of), up_to_multiple(size.height, step.multiple_of)};
}

Size text_size(const TextResize& step, int width, int height) {
  if (step.limit == TextResize::Limit::kNone) {
    if (!step.keep_ratio) return {step.width, step.height};
    const double wide = static_cast<double>(width) * step.height / height;
    return {static_cast<int>(std::ceil(std::min(wide, 1e9) / kTextStride)) * kTextStride, step.height};
  }
  const int longer = std::max(width, height);
  const int shorter = std::min(width, height);
  double ratio = 1;
  if (step.limit == TextResize::Limit::kLongIs ||
      (step.limit == TextResize::Limit::kLongAtMost && longer > step.length)) {
    ratio = static_cast<double>(step.length) / longer;
  } else if (step.limit == TextResize::Limit::kShortAtLeast && shorter < step.length) {
    ratio = static_cast<double>(step.length) / shorter;
  }
  double w = std::floor(width * ratio);
  double h = std::floor(height * ratio);
  if (std::max(w, h) > step.most) {
    const double shrink = step.most / std::max(w, h);
    w = std::floor(w * shrink);
    h = std::floor(h * shrink);
  }
  const auto stride = [](double side) {
    return std::max(static_cast<int>(std::nearbyint(side / kTextStride)) * kTextStride, kTextStride);
  };
  return {stride(w), stride(h)};
}

Image pad_tiny(const Image& image) {
  constexpr int kTiny = 64;  // Width and height together.
  constexpr int kLeast = 32;
  if (image.width + image.height >= kTiny) return image;
  Image padded(std::max(image.width, kLeast), std::max(image.height, kLeast));
  for (int y = 0; y < image.height; ++y) std::copy_n(image.row(y), 3 * image.width, padded.row(y));
  return padded;
}

int line_width(const Image& line, const LineResize& step) {
  const double ratio =
      std::max(static_cast<double>(step.width) / step.height, static_cast<double>(line.width) / line.height);
  return static_cast<int>(std::min<double>(step.height * ratio, step.most));
}

void write_line(const Image& line, const LineResize& step, int most, int width, bool rgb, float* out) {
  const double ratio = static_cast<double>(line.width) / line.height;
  const int scaled = static_cast<int>(std::min<double>(most, std::ceil(step.height * ratio)));
  std::array<std::array<float, 256>, 3> table{};
  for (std::size_t v = 0; v < 256; ++v) table[0][v] = (static_cast<float>(v) / 255.0F - 0.5F) / 0.5F;
  table[1] = table[2] = table[0];
  write_planes(resize(line, scaled, step.height), table, rgb, width, step.height, out);
}

Prepared prepare(const Image& image, const Description& description) {
  check_size(image.width, image.height);
  Preparation preparation(image, description.rgb);
  for (const Step& step : description.steps) std::visit(preparation, step);
  return preparation.take();
}

}  // namespace coracle::vision
