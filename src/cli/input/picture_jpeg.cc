// SPDX-License-Identifier: Apache-2.0
// jpeglib.h needs the FILE of cstdio.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <csetjmp>

#include "cli/failure.h"
#include "cli/input/picture.h"

namespace coracle::cli {
namespace {

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
  const std::string why = size_refusal(info.image_height, info.image_width, file_bytes, kDeflatePixelsPerByte);
  std::snprintf(message, sizeof(message), "%s", why.c_str());
  return !why.empty();
}

/// One row of CMYK as RGB. Files with Adobe's marker hold how much ink is not there.
void from_inks(const std::vector<uint8_t>& cmyk, bool inverted, uint8_t* rgb) {
  const auto light = [&](uint8_t ink) { return inverted ? int{ink} : 255 - int{ink}; };
  for (size_t i = 0; i + 4 <= cmyk.size(); i += 4) {
    for (size_t c = 0; c < 3; ++c) *rgb++ = static_cast<uint8_t>((light(cmyk[i + c]) * light(cmyk[i + 3]) + 127) / 255);
  }
}

/// Decodes without owning anything that a jump out of the library could leak. False with a message on damage. `row` is
/// memory for a row of inks.
bool decode(const std::string& content, Picture* p, std::vector<uint8_t>* row, JpegErrors* errors) {
  jpeg_decompress_struct info;
  info.err = jpeg_std_error(&errors->base);
  errors->base.error_exit = jpeg_fail;
  errors->base.emit_message = jpeg_warn;
  if (setjmp(errors->back) != 0) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(content.data()), content.size());
  jpeg_read_header(&info, TRUE);
  if (refuse_jpeg(info, content.size(), errors->message)) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  const bool inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = inks ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  p->height = info.output_height;
  p->width = info.output_width;
  p->rgb.resize(static_cast<size_t>(p->height * p->width * 3));
  row->resize(inks ? static_cast<size_t>(p->width * 4) : 0);
  while (info.output_scanline < info.output_height) {
    uint8_t* const rgb = p->rgb.data() + static_cast<size_t>(info.output_scanline) * static_cast<size_t>(p->width) * 3;
    JSAMPROW to = inks ? row->data() : rgb;
    jpeg_read_scanlines(&info, &to, 1);
    if (inks) from_inks(*row, info.saw_Adobe_marker != FALSE, rgb);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}

}  // namespace

Picture decode_jpeg(const std::string& path, const std::string& content) {
  Picture p;
  std::vector<uint8_t> row;
  JpegErrors errors;
  if (!decode(content, &p, &row, &errors)) throw Failure(ExitCode::kIo, path + ": " + errors.message);
  return p;
}

}  // namespace coracle::cli
