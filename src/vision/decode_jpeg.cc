// SPDX-License-Identifier: Apache-2.0
// jpeglib.h needs the FILE of cstdio.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <csetjmp>
#include <memory>

#include "vision/encoded.h"

namespace coracle::vision {
namespace {

// libjpeg leaves through longjmp, which would skip destructors: so callbacks keep the message, and the functions that
// call setjmp own nothing.

struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf back;
  bool whole;
  std::size_t coefficients;
  char message[JMSG_LENGTH_MAX];
};

void keep_jpeg_message(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  errors->base.format_message(info, errors->message);
  std::longjmp(errors->back, 1);
}

/// A warning means that some of the data is damaged; what could be decoded is kept, as viewers do.
void see_warning(j_common_ptr info, int level) {
  const bool is_end = level < 0 && info->err->msg_code == JWRN_JPEG_EOF;
  if (is_end && reinterpret_cast<JpegErrors*>(info->err)->whole) keep_jpeg_message(info);
}

bool is_in_inks(const jpeg_decompress_struct& info) {
  return info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
}

bool read_jpeg_header(jpeg_decompress_struct& info, JpegErrors& errors, const Encoded& file) {
  if (setjmp(errors.back) != 0) return false;
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, file.data, file.size);
  jpeg_read_header(&info, TRUE);
  info.out_color_space = is_in_inks(info) ? JCS_CMYK : JCS_EXT_BGR;
  // Files of several scans (progressive ones) are decoded with the coefficients of all blocks in memory.
  for (int c = 0; jpeg_has_multiple_scans(&info) != FALSE && c < info.num_components; ++c) {
    const jpeg_component_info& component = info.comp_info[c];
    errors.coefficients += std::size_t{component.width_in_blocks} * component.height_in_blocks * sizeof(JBLOCK);
  }
  return true;
}

/// A row of CMYK as BGR. Files with Adobe's marker hold how much ink is not there.
void from_inks(const std::vector<std::uint8_t>& cmyk, bool inverted, std::uint8_t* bgr) {
  const auto light = [&](std::uint8_t ink) { return inverted ? int{ink} : 255 - int{ink}; };
  for (std::size_t i = 0; i + 4 <= cmyk.size(); i += 4, bgr += 3) {
    const int white = light(cmyk[i + 3]);
    for (std::size_t c = 0; c < 3; ++c)  // As OpenCV rounds it.
      bgr[2 - c] = static_cast<std::uint8_t>(white - (((255 - light(cmyk[i + c])) * white) >> 8));
  }
}

/// `inks` is memory for a row of them; empty where the picture has none.
bool read_jpeg_rows(jpeg_decompress_struct& info, JpegErrors& errors, std::vector<std::uint8_t>& inks, Image& image) {
  if (setjmp(errors.back) != 0) return false;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    std::uint8_t* const bgr = image.row(static_cast<int>(info.output_scanline));
    JSAMPROW row = inks.empty() ? bgr : inks.data();
    jpeg_read_scanlines(&info, &row, 1);
    if (!inks.empty()) from_inks(inks, info.saw_Adobe_marker != FALSE, bgr);
  }
  jpeg_finish_decompress(&info);
  return true;
}

}  // namespace

Image decode_jpeg(const Encoded& file) {
  jpeg_decompress_struct info{};
  JpegErrors errors{};
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = keep_jpeg_message;
  errors.base.emit_message = see_warning;
  errors.whole = file.how.whole;
  const std::unique_ptr<jpeg_decompress_struct, void (*)(j_decompress_ptr)> owner(&info, jpeg_destroy_decompress);
  if (!read_jpeg_header(info, errors, file)) file.fail(errors.message);
  Image image = file.allocate(info.image_width, info.image_height, errors.coefficients);
  std::vector<std::uint8_t> inks(is_in_inks(info) ? std::size_t{4} * info.image_width : 0);
  if (!read_jpeg_rows(info, errors, inks, image)) file.fail(errors.message);
  return image;
}

}  // namespace coracle::vision
