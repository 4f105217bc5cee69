// SPDX-License-Identifier: Apache-2.0
// Pictures in memory and in files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__GNUC__) && !defined(_WIN32)
#define CORACLE_VISION_API __attribute__((visibility("default")))
#else
#define CORACLE_VISION_API
#endif

namespace coracle::vision {

/// What went wrong, for programs that tell one kind from another.
enum class Problem {
  kUsage,        ///< an option, or something that has to be given and was not
  kPicture,      ///< a picture that cannot be read, or has a size that the model cannot take
  kFile,         ///< another file that cannot be read or written
  kDescription,  ///< inference.yml is damaged, or contradicts itself or the model
  kUnsupported,  ///< inference.yml asks for a step that does not exist here
};

class CORACLE_VISION_API Error : public std::runtime_error {
 public:
  Error(Problem problem, const std::string& message) : std::runtime_error(message), problem_(problem) {}
  ~Error() override;
  Problem problem() const { return problem_; }

 private:
  Problem problem_;
};

/// 8 bits for each of blue, green and red, pixel after pixel, row after row from the top.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> bgr;

  Image() = default;
  Image(int w, int h)
      : width(w), height(h), bgr(std::size_t{3} * static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  std::uint8_t* row(int y) {
    return bgr.data() + std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(y);
  }
  const std::uint8_t* row(int y) const { return const_cast<Image*>(this)->row(y); }
};

struct Point {
  int x = 0;
  int y = 0;
};

/// What the head of a file says of its picture, before that is upright.
struct PictureHead {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::size_t bytes = 0;  ///< that decoding takes at most, those of the picture among them
};

/// What programs may want of a file otherwise.
struct Decoding {
  bool on_white = false;  ///< what is transparent is mixed with white; otherwise transparency is dropped
  bool whole = false;     ///< a JPEG file that ends early is an error; otherwise what is missing stays grey
  std::int64_t max_pixels = std::int64_t{1} << 27;  ///< larger pictures are refused by what their head says
  /// Called before memory is taken, for pictures of any size that the file could hold; what it throws ends the
  /// decoding.
  std::function<void(const PictureHead& head)> allow = {};
};

/// The picture of a PNG, JPEG (grey, colour or CMYK), BMP or WebP file, upright where its EXIF orientation says how it
/// was held. The content tells the format. Throws Error with the file's name, also for a picture that is larger than a
/// file of that size could mean, before memory is taken for it.
CORACLE_VISION_API Image read_image(const std::string& path, const Decoding& how = {});
/// The same of a file's content; `name` is for messages.
CORACLE_VISION_API Image decode_image(const std::string& name, const std::uint8_t* bytes, std::size_t size,
                                      const Decoding& how = {});
CORACLE_VISION_API void write_png(const std::string& path, const Image& image);
/// The content of such a file.
CORACLE_VISION_API std::string encode_png(const Image& image);
/// The content of a JPEG file; `quality`: 1 to 100, most of all.
CORACLE_VISION_API std::string encode_jpeg(const Image& image, int quality = 95);

}  // namespace coracle::vision
