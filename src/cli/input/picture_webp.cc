// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/failure.h"
#include "cli/input/picture.h"

#ifdef CORACLE_WEBP
#include <webp/decode.h>
#endif

namespace coracle::cli {

#ifdef CORACLE_WEBP

Picture decode_webp(const std::string& path, const std::string& content) {
  const auto* data = reinterpret_cast<const uint8_t*>(content.data());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data, content.size(), &features) != VP8_STATUS_OK) {
    throw Failure(ExitCode::kIo, path + ": not a whole WebP file");
  }
  if (features.has_animation != 0) throw Failure(ExitCode::kIo, path + ": a WebP animation, not one picture");
  // Codes of no bits at all are allowed: a plain area costs nothing, whatever its size.
  constexpr int64_t kPlainPixels = int64_t{1} << 22U;
  const int64_t pixels = int64_t{features.width} * features.height;
  const std::string why = size_refusal(features.height, features.width, content.size(), kDeflatePixelsPerByte);
  if (!why.empty() && (pixels <= 0 || pixels > kPlainPixels)) throw Failure(ExitCode::kIo, path + ": " + why);
  Picture p{features.height, features.width, std::vector<uint8_t>(static_cast<size_t>(pixels) * 3)};
  if (features.has_alpha == 0) {
    if (WebPDecodeRGBInto(data, content.size(), p.rgb.data(), p.rgb.size(), features.width * 3) == nullptr) {
      throw Failure(ExitCode::kIo, path + ": a damaged WebP file");
    }
    return p;
  }
  std::vector<uint8_t> rgba(static_cast<size_t>(pixels) * 4);
  if (WebPDecodeRGBAInto(data, content.size(), rgba.data(), rgba.size(), features.width * 4) == nullptr) {
    throw Failure(ExitCode::kIo, path + ": a damaged WebP file");
  }
  uint8_t* to = p.rgb.data();
  for (size_t i = 0; i < rgba.size(); i += 4) {
    const int alpha = rgba[i + 3];
    for (size_t c = 0; c < 3; ++c)
      *to++ = static_cast<uint8_t>((rgba[i + c] * alpha + 255 * (255 - alpha) + 127) / 255);
  }
  return p;
}

#else

Picture decode_webp(const std::string& path, const std::string& /*content*/) {
  throw Failure(ExitCode::kIo, path + ": a WebP file, which this program was built without (CORACLE_WEBP)");
}

#endif

}  // namespace coracle::cli
