// SPDX-License-Identifier: Apache-2.0
// jpeglib.h needs the FILE of cstdio.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
// clang-format on

#include <csetjmp>
#include <cstdlib>

#include "coracle/vision/image.h"

namespace coracle::vision {
namespace {

/// What a JPEG file is written with. libjpeg leaves through longjmp, so the function that calls setjmp owns nothing.
struct JpegWriter {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  std::jmp_buf back{};
  char message[JMSG_LENGTH_MAX] = {};
  unsigned char* content = nullptr;  ///< malloc's
  unsigned long size = 0;            // NOLINT(google-runtime-int): libjpeg's type
  bool growing = false;              ///< libjpeg may have moved the content, which it says at the end only

  JpegWriter() = default;
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
  ~JpegWriter() {
    jpeg_destroy_compress(&info);
    if (!growing) std::free(content);  // NOLINT(cppcoreguidelines-no-malloc): libjpeg took it so
  }
};

void leave_writer(j_common_ptr info) {
  auto* const writer = static_cast<JpegWriter*>(info->client_data);
  info->err->format_message(info, writer->message);
  std::longjmp(writer->back, 1);
}

bool write_jpeg(JpegWriter& writer, const Image& image, int quality) {
  if (setjmp(writer.back) != 0) return false;
  jpeg_create_compress(&writer.info);
  jpeg_mem_dest(&writer.info, &writer.content, &writer.size);
  writer.info.image_width = static_cast<JDIMENSION>(image.width);
  writer.info.image_height = static_cast<JDIMENSION>(image.height);
  writer.info.input_components = 3;
  writer.info.in_color_space = JCS_EXT_BGR;
  jpeg_set_defaults(&writer.info);
  jpeg_set_quality(&writer.info, quality, TRUE);
  jpeg_start_compress(&writer.info, TRUE);
  writer.growing = true;
  while (writer.info.next_scanline < writer.info.image_height) {
    // libjpeg reads rows through pointers to what it might write.
    auto* row = const_cast<JSAMPROW>(image.row(static_cast<int>(writer.info.next_scanline)));
    jpeg_write_scanlines(&writer.info, &row, 1);
  }
  jpeg_finish_compress(&writer.info);
  writer.growing = false;
  return true;
}

}  // namespace

std::string encode_jpeg(const Image& image, int quality) {
  JpegWriter writer;
  writer.info.client_data = &writer;
  writer.info.err = jpeg_std_error(&writer.errors);
  writer.errors.error_exit = leave_writer;
  if (!write_jpeg(writer, image, quality))
    throw Error(Problem::kPicture, std::string("a JPEG file cannot be made of the picture: ") + writer.message);
  return {reinterpret_cast<const char*>(writer.content), writer.size};
}

}  // namespace coracle::vision
