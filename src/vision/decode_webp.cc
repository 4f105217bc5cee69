// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vision/encoded.h"

#ifdef CORACLE_WEBP
#include <webp/decode.h>
#endif

namespace coracle::vision {

#ifdef CORACLE_WEBP

Image decode_webp(const Encoded& file) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(file.data, file.size, &features) != VP8_STATUS_OK) file.fail("not a whole WebP file");
  if (features.has_animation != 0) file.fail("a WebP animation, not one picture");
  // Codes of no bits at all are allowed: a plain area costs nothing, whatever its size.
  constexpr std::int64_t kPlainPixels = std::int64_t{1} << 22;
  constexpr int kLossless = 2;
  const std::int64_t pixels = std::int64_t{features.width} * features.height;
  const bool has_alpha = features.has_alpha != 0;
  // The decoder keeps a lossless picture in 32 bits, and the transparency of another one.
  const std::int64_t working = (has_alpha ? 5 : 0) + (features.format == kLossless ? 4 : 0);
  Image image = file.allocate(features.width, features.height, static_cast<std::size_t>(working * pixels),
                              pixels <= kPlainPixels ? kPlainPixels : kDeflatePixelsPerByte);
  const int stride = features.width * (has_alpha ? 4 : 3);
  std::vector<std::uint8_t> bgra(has_alpha ? static_cast<std::size_t>(pixels) * 4 : 0);
  std::vector<std::uint8_t>& to = has_alpha ? bgra : image.bgr;
  const auto decode = has_alpha ? WebPDecodeBGRAInto : WebPDecodeBGRInto;
  if (decode(file.data, file.size, to.data(), to.size(), stride) == nullptr) file.fail("a damaged WebP file");
  if (has_alpha) write_opaque(bgra.data(), file.how, image);
  return image;
}

#else

Image decode_webp(const Encoded& file) {
  file.fail("a WebP file, which this library was built without (CORACLE_WEBP)");
}

#endif

}  // namespace coracle::vision
