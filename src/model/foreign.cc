// SPDX-License-Identifier: Apache-2.0
#include "model/foreign.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/printable.h"

namespace coracle::internal {
namespace {

using namespace std::string_view_literals;

/// What a file is told by.
struct FileStart {
  std::string_view bytes;  ///< the first
  std::string_view name;

  bool has(size_t offset, std::string_view magic) const {
    return bytes.size() >= offset && bytes.substr(offset).starts_with(magic);
  }
  bool contains(std::string_view part) const { return bytes.find(part) != std::string_view::npos; }
  uint8_t byte(size_t i) const { return i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : uint8_t{0}; }
  /// The first byte of the message of Protocol Buffers that is the field at `i`, whose length comes first.
  uint8_t inside(size_t i) const {
    while (byte(++i) >= 0x80) {
    }
    return byte(i + 1);
  }
};

bool is_html(const FileStart& head) {
  std::string start(head.bytes.substr(0, 64));
  std::transform(start.begin(), start.end(), start.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  start.erase(0, std::min(start.find_first_not_of("\xEF\xBB\xBF \t\r\n"), start.size()));
  return start.starts_with("<!doctype html") || start.starts_with("<html");
}

/// Text, in UTF-8, of more than braces: what is wrong with JSON is known where it is read.
bool is_text(const FileStart& head) {
  std::string text(head.bytes);
  while (!text.empty() && static_cast<uint8_t>(text.back()) >= 0x80) text.pop_back();  // it may be cut
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] == '{' || text[first] == '[') return false;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\r'; }, ' ');
  return printable(text, /*lines=*/true) == text;
}

constexpr std::string_view kExport = "convert it to Paddle's format first (X2Paddle does), or run it with what made it";
constexpr std::string_view kPickle =
    "such files (.pdparams, .pdopt, .pt) hold weights without a program: export the model with paddle.jit.save, which "
    "writes .pdmodel or .json, and .pdiparams";
constexpr std::string_view kPicture = "it is not a model; pictures are inputs";
constexpr std::string_view kUnpack = "unpack it; of archives .tar, .tar.gz and .zip are read as they are";
constexpr std::string_view kArchive = "give the archive itself as the model, or unpack it";
constexpr std::string_view kNeedsNothing =
    "it has a program and its parameters: give it alone as the model; where it was, it is damaged";
constexpr std::string_view kDownload = "a page was saved in place of the file: download the file itself";

struct Row {
  ForeignKind kind;
  size_t offset;
  std::string_view magic;               ///< what stands there
  bool (*also)(const FileStart& head);  ///< and what else holds; null: nothing
};

/// The first row that fits counts.
constexpr std::array kRows = std::to_array<Row>({
    {{"empty", "copy or download it again"}, 0, "", [](const FileStart& h) { return h.bytes.empty(); }},
    {{"a Git LFS pointer, not the file that it stands for",
      "run `git lfs pull` where it was cloned, or download the file from the page of the repository", true},
     0,
     "version https://git-lfs.github.com/spec/",
     nullptr},
    {{"a PyTorch archive", kExport, true}, 0, "PK\x03\x04", [](const FileStart& h) { return h.contains("data.pkl"); }},
    {{"a PyTorch file", kExport, true}, 0, "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9", nullptr},
    {{"a pickle of Python", kPickle, true},
     0,
     "\x80",
     [](const FileStart& h) { return h.byte(1) >= 2 && h.byte(1) <= 5; }},
    {{"an HDF5 file, as Keras writes", kExport, true}, 0, "\x89HDF\r\n\x1a\n", nullptr},
    {{"a TensorFlow Lite model", kExport, true}, 4, "TFL3", nullptr},
    {{"a TensorFlow SavedModel", kExport, true},
     0,
     "\x08\x01\x12",
     [](const FileStart& h) { return h.inside(2) == 0x0a; }},
    {{"a TensorFlow graph", kExport, true}, 0, "\x0a", [](const FileStart& h) { return h.inside(0) == 0x0a; }},
    {{"an ONNX model", "run it with onnxruntime, or convert it to Paddle's format (X2Paddle does)", true},
     0,
     "\x08",
     [](const FileStart& h) {
       return h.byte(1) >= 1 && h.byte(1) <= 31 &&
              "\x12\x1a\x22\x28\x32\x3a\x42"sv.find(static_cast<char>(h.byte(2))) < 7;
     }},
    {{"the program of an OpenVINO model", "run it with OpenVINO, or load the Paddle model that it was made of", true},
     0,
     "<",
     [](const FileStart& h) { return h.contains("<net "); }},
    {{"a model of Paddle-Lite", kNeedsNothing, true},
     1,
     "\0v"sv,
     [](const FileStart& h) { return h.byte(0) <= 4 && h.byte(3) >= '0' && h.byte(3) <= '9'; }},
    {{"by its name a model of Paddle-Lite", "it does not begin as one: it is damaged, or a file of something else",
      true},
     0,
     "",
     [](const FileStart& h) { return h.name.ends_with(".nb"); }},
    {{"a safetensors file", kExport, true}, 8, "{\"", [](const FileStart& h) { return h.byte(7) == 0; }},
    {{"a GGUF file", kExport, true}, 0, "GGUF", nullptr},
    {{"a TensorRT engine", "load the model that it was made of", true}, 0, "ftrt", nullptr},
    {{"a NumPy array", "it is not a model; arrays are inputs"}, 0, "\x93NUMPY", nullptr},
    {{"a PNG picture", kPicture}, 0, "\x89PNG\r\n", nullptr},
    {{"a JPEG picture", kPicture}, 0, "\xff\xd8\xff", nullptr},
    {{"a GIF picture", kPicture}, 0, "GIF8", nullptr},
    {{"a WebP picture", kPicture}, 8, "WEBP", nullptr},
    {{"a TIFF picture", kPicture}, 0, "II*\0"sv, nullptr},
    {{"a TIFF picture", kPicture}, 0, "MM\0*"sv, nullptr},
    {{"a BMP picture", kPicture}, 0, "BM", [](const FileStart& h) { return h.byte(6) == 0 && h.byte(7) == 0; }},
    {{"a PDF document", "it is not a model"}, 0, "%PDF", nullptr},
    {{"a program of this machine (ELF)", "it is not a model"},
     0,
     "\x7f"
     "ELF",
     nullptr},
    {{"compressed by xz", kUnpack},
     0,
     "\xfd"
     "7zXZ",
     nullptr},
    {{"compressed by bzip2", kUnpack}, 0, "BZh", nullptr},
    {{"compressed by Zstandard", kUnpack}, 0, "\x28\xb5\x2f\xfd", nullptr},
    {{"compressed by LZ4", kUnpack}, 0, "\x04\x22\x4d\x18", nullptr},
    {{"a 7-Zip archive", kUnpack}, 0, "7z\xbc\xaf\x27\x1c", nullptr},
    {{"a RAR archive", kUnpack}, 0, "Rar!\x1a", nullptr},
    {{"compressed by gzip", "unpack it; of what gzip packs, tar archives are read as they are"},
     0,
     "\x1f\x8b",
     nullptr},
    {{"a ZIP archive", kArchive}, 0, "PK\x03\x04", nullptr},
    {{"a tar archive", kArchive}, 257, "ustar", nullptr},
    {{"a web page", kDownload}, 0, "", is_html},
    {{"an XML file", "it is not a model of Paddle"}, 0, "<?xml", nullptr},
    {{"a file of raw weights, as OpenVINO and others write beside a program", "it is not a model of Paddle", true},
     0,
     "",
     [](const FileStart& h) { return h.name.ends_with(".bin"); }},
    {{"a text file", "it is not a model; if it was downloaded, what it says may tell why"}, 0, "", is_text},
});

}  // namespace

const ForeignKind* foreign_kind(const File& file) {
  std::array<uint8_t, 4096> bytes;
  const size_t count = file.read(0, bytes);
  const FileStart head{.bytes = {reinterpret_cast<const char*>(bytes.data()), count}, .name = file.name()};
  for (const Row& row : kRows) {
    if (head.has(row.offset, row.magic) && (row.also == nullptr || row.also(head))) return &row.kind;
  }
  return nullptr;
}

void fail_reading(const File& file, const Error& error) {
  const ForeignKind* kind = error.code() == ErrorCode::kInvalidModel ? foreign_kind(file) : nullptr;
  if (kind == nullptr) throw error;
  fail(error.code(), "the file ", in_quotes(file.name()), " is ", kind->what, ": ", kind->advice, "\n  (", error.text(),
       ")");
}

}  // namespace coracle::internal
