// SPDX-License-Identifier: Apache-2.0
#include "files.h"

// jpeglib.h needs the FILE of cstdio.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <png.h>
// clang-format on

#include <cstring>
#include <stdexcept>

#include "support/program_writer.h"

namespace coracle::test {
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

void write_jpeg(const std::string& path, int height, int width, std::array<uint8_t, 3> colour) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_stdio_dest(&info, file);
  info.image_height = static_cast<JDIMENSION>(height);
  info.image_width = static_cast<JDIMENSION>(width);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  std::vector<uint8_t> row = pixels(1, width, colour);
  for (int y = 0; y < height; ++y) {
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::fclose(file);
}

}  // namespace coracle::test
