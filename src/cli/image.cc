// SPDX-License-Identifier: Apache-2.0
#include "cli/image.h"

// jpeglib.h needs the FILE of cstdio.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
#include <png.h>
// clang-format on

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "cli/failure.h"
#include "cli/file.h"

namespace coracle::cli {
namespace {

struct Pixels {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> rgb;
};

/// No larger picture is read.
constexpr int64_t kMaxPixels = int64_t{1} << 27U;
/// What either format makes of a byte at most: deflate repeats up to 1032 times a byte of eight pixels.
constexpr int64_t kMaxPixelsPerByte = int64_t{8} * 1032;

/// Why a picture of that size is not decoded, before memory is taken for it; empty if it is. The size is what a header
/// says, which costs nothing to write.
std::string refusal(int64_t height, int64_t width, size_t file_bytes) {
  const auto most = std::min(static_cast<size_t>(kMaxPixels) / kMaxPixelsPerByte, file_bytes) * kMaxPixelsPerByte;
  if (height > 0 && width > 0 && static_cast<size_t>(width) <= most / static_cast<size_t>(height)) return {};
  return "a picture of " + std::to_string(width) + " x " + std::to_string(height) + " pixels in a file of " +
         std::to_string(file_bytes) + " bytes is not read: at most " + std::to_string(kMaxPixels) +
         " pixels are, and no more than so many bytes can hold";
}

Pixels read_png(const std::string& path, const std::string& bytes) {
  png_image image;
  std::memset(&image, 0, sizeof(image));
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) {
    throw Failure(ExitCode::kIo, path + ": " + image.message);
  }
  if (const std::string why = refusal(image.height, image.width, bytes.size()); !why.empty()) {
    png_image_free(&image);
    throw Failure(ExitCode::kIo, path + ": " + why);
  }
  image.format = PNG_FORMAT_RGB;
  Pixels p{image.height, image.width, std::vector<uint8_t>(PNG_IMAGE_SIZE(image))};
  const png_color white{255, 255, 255};
  if (png_image_finish_read(&image, &white, p.rgb.data(), 0, nullptr) == 0) {
    throw Failure(ExitCode::kIo, path + ": " + image.message);
  }
  return p;
}

struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

void jpeg_fail(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  errors->base.format_message(info, errors->message);
  std::longjmp(errors->back, 1);
}

/// Warnings are for viewers; but a picture that ends early is not the one that was meant.
void jpeg_warn(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) jpeg_fail(info);
}

bool refuse_jpeg(const jpeg_decompress_struct& info, size_t file_bytes, char (&message)[JMSG_LENGTH_MAX]) {
  const std::string why = refusal(info.image_height, info.image_width, file_bytes);
  std::snprintf(message, sizeof(message), "%s", why.c_str());
  return !why.empty();
}

/// Decodes without owning anything that a jump out of the library could leak. False with a message on damage.
bool decode_jpeg(const std::string& bytes, Pixels* p, JpegErrors* errors) {
  jpeg_decompress_struct info;
  info.err = jpeg_std_error(&errors->base);
  errors->base.error_exit = jpeg_fail;
  errors->base.emit_message = jpeg_warn;
  if (setjmp(errors->back) != 0) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  if (refuse_jpeg(info, bytes.size(), errors->message)) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  p->height = info.output_height;
  p->width = info.output_width;
  p->rgb.resize(static_cast<size_t>(p->height * p->width * 3));
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = p->rgb.data() + static_cast<size_t>(info.output_scanline) * static_cast<size_t>(p->width) * 3;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}

Pixels read_jpeg(const std::string& path, const std::string& bytes) {
  Pixels p;
  JpegErrors errors;
  if (!decode_jpeg(bytes, &p, &errors)) throw Failure(ExitCode::kIo, path + ": " + errors.message);
  return p;
}

/// Channel c at a place between pixels, centres half a pixel in.
float sample(const Pixels& p, float y, float x, int64_t c) {
  y = std::clamp(y, 0.0F, static_cast<float>(p.height - 1));
  x = std::clamp(x, 0.0F, static_cast<float>(p.width - 1));
  const auto y0 = static_cast<int64_t>(y);
  const auto x0 = static_cast<int64_t>(x);
  const int64_t y1 = std::min(y0 + 1, p.height - 1);
  const int64_t x1 = std::min(x0 + 1, p.width - 1);
  const float fy = y - static_cast<float>(y0);
  const float fx = x - static_cast<float>(x0);
  const auto at = [&](int64_t yy, int64_t xx) {
    return static_cast<float>(p.rgb[static_cast<size_t>((yy * p.width + xx) * 3 + c)]);
  };
  const float top = at(y0, x0) * (1 - fx) + at(y0, x1) * fx;
  const float bottom = at(y1, x0) * (1 - fx) + at(y1, x1) * fx;
  return top * (1 - fy) + bottom * fy;
}

}  // namespace

Array read_image(const std::string& path, coracle_dtype dtype, const api::Dims& dims) {
  return decode_image(path, read_file(path), dtype, dims);
}

Array decode_image(const std::string& path, const std::string& content, coracle_dtype dtype, const api::Dims& dims) {
  if (dims.size() != 4 || dims[0] > 1 || (dims[1] >= 0 && dims[1] != 3)) {
    throw Failure(ExitCode::kUsage, path + ": a picture gives float32[1, 3, height, width], the input is " +
                                        type_text(dtype, dims) + "; give a .npy file");
  }
  if (dtype != CORACLE_FLOAT32 && dtype != CORACLE_UINT8) {
    throw Failure(ExitCode::kUsage, path + ": a picture gives float32 or uint8, the input takes " +
                                        coracle_dtype_name(dtype) + "; give a .npy file");
  }
  const bool png = content.starts_with("\x89PNG");
  if (!png && !content.starts_with("\xFF\xD8")) throw Failure(ExitCode::kIo, path + ": neither a PNG nor a JPEG file");
  const Pixels p = png ? read_png(path, content) : read_jpeg(path, content);
  const int64_t height = dims[2] > 0 ? dims[2] : p.height;
  const int64_t width = dims[3] > 0 ? dims[3] : p.width;
  Array a = make_array(dtype, {1, 3, height, width});
  const float sy = static_cast<float>(p.height) / static_cast<float>(height);
  const float sx = static_cast<float>(p.width) / static_cast<float>(width);
  for (int64_t c = 0; c < 3; ++c) {
    for (int64_t y = 0; y < height; ++y) {
      for (int64_t x = 0; x < width; ++x) {
        const float v =
            sample(p, (static_cast<float>(y) + 0.5F) * sy - 0.5F, (static_cast<float>(x) + 0.5F) * sx - 0.5F, c);
        const auto at = static_cast<size_t>((c * height + y) * width + x);
        if (dtype == CORACLE_FLOAT32) {
          reinterpret_cast<float*>(a.bytes.data())[at] = v / 255.0F;
        } else {
          a.bytes[at] = static_cast<std::byte>(v + 0.5F);
        }
      }
    }
  }
  return a;
}

}  // namespace coracle::cli
