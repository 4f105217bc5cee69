// SPDX-License-Identifier: Apache-2.0
#include "model/foreign.h"

#include <gtest/gtest.h>

#include "model/load.h"
#include "support/small_models.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

using namespace std::string_literals;

/// A file as others write it, what it is called, and a part of what to do with it.
struct Sample {
  std::string name;
  std::string bytes;
  std::string what;
  std::string advice;
};

std::string at(size_t offset, const std::string& magic) { return std::string(offset, '\1') + magic; }

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"m.onnx",
       "\x08\x08\x12\x07pytorch\x1a\x03"
       "2.1:\x05graph",
       "an ONNX model", "onnxruntime"},
      {"m.pdmodel", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 132\n", "a Git LFS pointer",
       "git lfs pull"},
      {"m.pt", "PK\x03\x04\0\0\x08\x08\0\0"s + at(20, "archive/data.pklFB"), "a PyTorch archive", "X2Paddle"},
      {"m.pth", "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", "a PyTorch file", "X2Paddle"},
      {"m.pdparams", "\x80\x04\x95\x10}q\x01(X\x01", "a pickle of Python", "paddle.jit.save"},
      {"m.h5", "\x89HDF\r\n\x1a\n", "an HDF5 file", "Keras"},
      {"m.tflite", "\x1c\0\0\0TFL3\x14\0"s, "a TensorFlow Lite model", "X2Paddle"},
      {"saved_model.pb",
       "\x08\x01\x12\x90\x03\x0a\x04"
       "2.11",
       "a TensorFlow SavedModel", "X2Paddle"},
      {"frozen.pb", "\x0a\x20\x0a\x01x\x12\x0bPlaceholder", "a TensorFlow graph", "X2Paddle"},
      {"m.xml", "<?xml version=\"1.0\"?>\n<net name=\"m\" version=\"11\">\n", "an OpenVINO model", "OpenVINO"},
      {"m.bin", "\x01\x02\x03\x04\x05", "raw weights", "OpenVINO"},
      {"m.lite", "\x02\0v2.12\0\0\0\0"s, "a model of Paddle-Lite", "where it was, it is damaged"},
      {"m.nb", "\x07\x01", "by its name a model of Paddle-Lite", "it does not begin as one"},
      {"m.safetensors", "\x40\0\0\0\0\0\0\0{\"w\":{}}"s, "a safetensors file", "X2Paddle"},
      {"m.gguf", "GGUF\x03", "a GGUF file", "X2Paddle"},
      {"m.engine", "ftrt\x01", "a TensorRT engine", "made of"},
      {"m.npy", "\x93NUMPY\x01", "a NumPy array", "inputs"},
      {"m.png", "\x89PNG\r\n\x1a\n", "a PNG picture", "not a model"},
      {"m.jpg", "\xff\xd8\xff\xe0", "a JPEG picture", "not a model"},
      {"m.gif", "GIF89a", "a GIF picture", "not a model"},
      {"m.webp", "RIFF\x10\x10\x10\x10WEBPVP8", "a WebP picture", "not a model"},
      {"m.tif", "II*\0\x08"s, "a TIFF picture", "not a model"},
      {"m.tiff", "MM\0*\0\x08"s, "a TIFF picture", "not a model"},
      {"m.bmp", "BM\x10\x20\x01\0\0\0\0\0\x36"s, "a BMP picture", "not a model"},
      {"m.pdf", "%PDF-1.7", "a PDF document", "not a model"},
      {"m.so",
       "\x7f"
       "ELF\x02",
       "ELF", "not a model"},
      {"m.tar.xz",
       "\xfd"
       "7zXZ\0"s,
       "compressed by xz", "unpack it"},
      {"m.tar.bz2", "BZh91AY&SY", "compressed by bzip2", "unpack it"},
      {"m.tar.zst", "\x28\xb5\x2f\xfd\x24", "compressed by Zstandard", "unpack it"},
      {"m.lz4", "\x04\x22\x4d\x18\x60", "compressed by LZ4", "unpack it"},
      {"m.7z", "7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it"},
      {"m.rar", "Rar!\x1a\x07", "a RAR archive", "unpack it"},
      {"m.json", "\xef\xbb\xbf<!DOCTYPE html>\n<html>", "a web page", "download the file itself"},
      {"page", "  <HTML><body>Sign in</body></HTML>", "a web page", "download the file itself"},
      {"config.xml", "<?xml version=\"1.0\"?>\n<a/>", "an XML file", "not a model"},
      {"inference.yml", "Global:\n  model_name: 文字\n", "a text file", "not a model"},
      {"inference.pdmodel", "", "empty", "download it again"},
  };
  return all;
}

template <class F>
std::string foreign_error(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidModel) << error.text();
    return error.text();
  }
  return "no error";
}

void expect_says(const std::string& error, const std::string& path, const Sample& sample) {
  EXPECT_EQ(error.find("the file '" + path + "' is "), 0U) << error;
  const std::string_view first(error.data(), error.find('\n'));
  EXPECT_NE(first.find(sample.what), std::string::npos) << error;
  EXPECT_NE(first.find(sample.advice), std::string::npos) << error;
}

TEST(Foreign, ProgramsAreNamedForWhatTheyAre) {
  const test::TemporaryFolder folder;
  for (const Sample& sample : samples()) {
    const std::string path = folder.write(sample.name, sample.bytes);
    expect_says(foreign_error([&] { load_model(ModelSource::on_disk(path)); }), path, sample);
    expect_says(foreign_error([&] { inspect_model(ModelSource::on_disk(path)); }), path, sample);
  }
}

TEST(Foreign, SoAreParameters) {
  const test::TemporaryFolder folder;
  const std::string program = folder.write("product.pdmodel", test::product_model().program);
  for (const Sample& sample : samples()) {
    const std::string path = folder.write(sample.name, sample.bytes);
    expect_says(foreign_error([&] { load_model(ModelSource::on_disk(program, path)); }), path, sample);
  }
}

TEST(Foreign, AModelIsNone) {
  std::vector<test::ModelBytes> models = test::small_program_models();
  for (const test::ModelBytes& model : test::small_pir_models()) models.push_back(model);
  for (const test::ModelBytes& model : models) {
    for (const std::string& part : {model.program, model.params}) {
      if (part.empty()) continue;
      const FileBytes file{
          .name = "m", .owner = nullptr, .bytes = {reinterpret_cast<const uint8_t*>(part.data()), part.size()}};
      const ForeignKind* kind = foreign_kind(file);
      EXPECT_EQ(kind == nullptr ? "" : kind->what, "") << model;
    }
  }
}

TEST(Foreign, OtherErrorsStayAsTheyAre) {
  const std::string bytes = "GGUF";
  const File file(FileBytes{
      .name = "m", .owner = nullptr, .bytes = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}});
  try {
    fail_reading(file, Error(ErrorCode::kUnsupported, "as it was"));
  } catch (const Error& error) {
    EXPECT_EQ(error.text(), "as it was");
  }
}

}  // namespace
}  // namespace coracle::internal
