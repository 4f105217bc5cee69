// SPDX-License-Identifier: Apache-2.0
#include "files.h"

// jpeglib.h needs the FILE of cstdio.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <png.h>
// clang-format on

#ifdef CORACLE_WEBP
#include <webp/encode.h>
#endif
#include <zlib.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "support/program_writer.h"

namespace coracle::internal::test {
namespace {

std::vector<uint8_t> pixels(int height, int width, std::array<uint8_t, 3> colour) {
  std::vector<uint8_t> rgb;
  for (int i = 0; i < height * width; ++i) rgb.insert(rgb.end(), colour.begin(), colour.end());
  return rgb;
}

}  // namespace

std::string write_model(const TemporaryFolder& folder, const ModelBytes& model) {
  if (!model.params.empty()) folder.write(model.name + ".pdiparams", model.params);
  return folder.write(model.name + (model.program.starts_with("{") ? ".json" : ".pdmodel"), model.program);
}

ModelBytes picture_model() {
  BlockWriter main;
  add_feed(main, "x", kFloat32, {-1, 3, -1, -1}, 0);
  main.variables.push_back(variable("w", kFloat32, {1, 3, 1, 1}, true));
  main.operators.push_back(OpWriter("conv2d")
                               .in("Input", {"x"})
                               .in("Filter", {"w"})
                               .out("Output", {"y"})
                               .integers("strides", {1, 1})
                               .integers("paddings", {0, 0})
                               .integers("dilations", {1, 1})
                               .integer("groups", 1));
  add_fetch(main, "y", 0);
  return {"picture", program_file({main}), record<float>(kFloat32, {1, 3, 1, 1}, {1, 10, 100}), {}};
}

ModelBytes sequence_model() {
  BlockWriter main;
  add_feed(main, "x", kFloat32, {-1, 1}, 0);
  constexpr int kTensor = 7;
  main.variables.back() = variable("x", kFloat32, {-1, 1}, false, kTensor, 1);
  main.operators.push_back(OpWriter("sequence_pool").in("X", {"x"}).out("Out", {"y"}).string("pooltype", "SUM"));
  main.operators.push_back(OpWriter("sequence_reverse").in("X", {"x"}).out("Y", {"r"}));
  add_fetch(main, "y", 0);
  add_fetch(main, "r", 1);
  return {"sequence", program_file({main}), "", {}};
}

ModelBytes float8_model() {
  BlockWriter main;
  add_feed(main, "x", kFloat8E4m3, {-1, 2}, 0);
  const auto cast = [&](const char* from, const char* to, int type) {
    main.operators.push_back(OpWriter("cast").in("X", {from}).out("Out", {to}).integer("out_dtype", type));
  };
  cast("x", "wide", kFloat32);
  cast("wide", "narrow", kFloat8E4m3);
  add_fetch(main, "wide", 0);
  add_fetch(main, "narrow", 1);
  return {"float8", program_file({main}), "", {}};
}

void write_png(const std::string& path, int height, int width, std::array<uint8_t, 3> colour) {
  png_image image;
  std::memset(&image, 0, sizeof(image));
  image.version = PNG_IMAGE_VERSION;
  image.format = PNG_FORMAT_RGB;
  image.height = static_cast<png_uint_32>(height);
  image.width = static_cast<png_uint_32>(width);
  if (png_image_write_to_file(&image, path.c_str(), 0, pixels(height, width, colour).data(), 0, nullptr) == 0) {
    throw std::runtime_error("cannot write " + path);
  }
}

namespace {

/// A JPEG file of rows that are all the same.
void write_jpeg_rows(const std::string& path, int height, int width, std::vector<uint8_t> row, J_COLOR_SPACE space) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_stdio_dest(&info, file);
  info.image_height = static_cast<JDIMENSION>(height);
  info.image_width = static_cast<JDIMENSION>(width);
  info.input_components = space == JCS_CMYK ? 4 : 3;
  info.in_color_space = space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < height; ++y) {
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::fclose(file);
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::string number(size_t value, size_t bytes, bool big_endian = false) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i) {
    out.push_back(static_cast<char>(value >> (8 * (big_endian ? bytes - 1 - i : i))));
  }
  return out;
}

}  // namespace

void write_jpeg(const std::string& path, int height, int width, std::array<uint8_t, 3> colour) {
  write_jpeg_rows(path, height, width, pixels(1, width, colour), JCS_RGB);
}

void write_cmyk_jpeg(const std::string& path, int height, int width, std::array<uint8_t, 3> colour) {
  std::vector<uint8_t> row;
  for (int x = 0; x < width; ++x) row.insert(row.end(), {colour[0], colour[1], colour[2], 255});
  write_jpeg_rows(path, height, width, row, JCS_CMYK);  // which libjpeg marks as Adobe's
}

void write_bmp(const std::string& path, int height, int width, std::array<uint8_t, 3> colour, int bits) {
  const std::string pixel{static_cast<char>(colour[2]), static_cast<char>(colour[1]), static_cast<char>(colour[0])};
  std::string palette;
  std::string row;
  if (bits == 8) palette = std::string(4, '\0') + pixel + std::string(1, '\0');
  for (int x = 0; x < width; ++x) {
    row += bits == 8 ? std::string(1, '\1') : (bits == 24 ? pixel : pixel + std::string(1, '\0'));
  }
  row.resize((row.size() + 3) / 4 * 4);
  std::string rows;
  for (int y = 0; y < height; ++y) rows += row;
  const size_t begin = 54 + palette.size();
  write_bytes(path, "BM" + number(begin + rows.size(), 4) + number(0, 4) + number(begin, 4) + number(40, 4) +
                        number(static_cast<size_t>(width), 4) + number(static_cast<size_t>(height), 4) + number(1, 2) +
                        number(static_cast<size_t>(bits), 2) + std::string(16, '\0') + number(palette.size() / 4, 4) +
                        number(0, 4) + palette + rows);
}

bool write_webp(const std::string& path, int height, int width, std::array<uint8_t, 3> colour) {
#ifdef CORACLE_WEBP
  uint8_t* out = nullptr;
  const size_t size = WebPEncodeLosslessRGB(pixels(height, width, colour).data(), width, height, 3 * width, &out);
  write_bytes(path, {reinterpret_cast<const char*>(out), size});
  WebPFree(out);
  return true;
#else
  static_cast<void>(path), static_cast<void>(height), static_cast<void>(width), static_cast<void>(colour);
  return false;
#endif
}

void write_oriented_png(const std::string& path, int height, int width, int orientation) {
  png_image image;
  std::memset(&image, 0, sizeof(image));
  image.version = PNG_IMAGE_VERSION;
  image.format = PNG_FORMAT_RGB;
  image.height = static_cast<png_uint_32>(height);
  image.width = static_cast<png_uint_32>(width);
  std::vector<uint8_t> rgb;
  for (int i = 0; i < height * width; ++i) rgb.insert(rgb.end(), {static_cast<uint8_t>(i), 0, 0});
  if (png_image_write_to_file(&image, path.c_str(), 0, rgb.data(), 0, nullptr) == 0) {
    throw std::runtime_error("cannot write " + path);
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  // One entry in the first directory: tag, a short, once, its value.
  const std::string chunk = "eXIfMM" + number(42, 2, true) + number(8, 4, true) + number(1, 2, true) +
                            number(0x0112, 2, true) + number(3, 2, true) + number(1, 4, true) +
                            number(static_cast<size_t>(orientation), 2, true) + number(0, 2) + number(0, 4);
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()));
  constexpr size_t kBehindHeader = 33;
  bytes.insert(kBehindHeader, number(chunk.size() - 4, 4, true) + chunk + number(sum, 4, true));
  write_bytes(path, bytes);
}

}  // namespace coracle::internal::test
