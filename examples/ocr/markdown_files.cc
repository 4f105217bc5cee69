// SPDX-License-Identifier: Apache-2.0
#include "markdown_files.h"

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/system/native_path.h"
#include "cli/failure.h"
#include "coracle/coracle.hpp"

namespace ocr {

namespace vision = coracle::vision;
using coracle::internal::native_path;
using coracle::internal::path_text;

namespace {

// As a reference has it: what may end one, or mean something else in it, is written as %NN.
std::string in_reference(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       c == '-' || c == '_' || c == '.' || byte >= 0x80;
    char escape[4];
    std::snprintf(escape, sizeof escape, "%%%02X", byte);
    text += plain ? std::string(1, c) : escape;
  }
  return text;
}

void make_folder_of(const std::filesystem::path& folder) {
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    throw coracle::cli::Failure(coracle::cli::ExitCode::kIo,
                                path_text(folder) + ": cannot be made: " + error.message());
  }
}

}  // namespace

MarkdownFiles::MarkdownFiles(std::string path) : path_(std::move(path)), one_file_(path_.ends_with(".md")) {}

void MarkdownFiles::add(const Result& result) {
  if (path_.empty()) return;
  const std::filesystem::path file =
      one_file_ ? native_path(path_).replace_extension() : native_path(path_) / native_path(result.place.stem);
  const std::filesystem::path folder = file.parent_path();
  const std::string name = path_text(file.filename());
  const std::string before = name + (one_file_ ? "_page_" + std::to_string(pages_.size() + 1) + "_" : "_");
  const std::string prefix = "imgs/" + in_reference(before);
  vision::Markdown page = vision::to_markdown(result.document, {.pictures = prefix});
  make_folder_of(folder);
  for (const vision::MarkdownPicture& picture : page.pictures) {
    if (picture.image.bgr.empty()) continue;
    make_folder_of(folder / "imgs");
    coracle::write_file(path_text(folder / "imgs" / native_path(before + picture.path.substr(prefix.size()))),
                        vision::encode_jpeg(picture.image));
  }
  page.pictures.clear();
  if (one_file_) {
    pages_.push_back(std::move(page));
    return;
  }
  files_.push_back(path_text(folder / native_path(name + ".md")));
  coracle::write_file(files_.back(), page.text + "\n");
}

void MarkdownFiles::finish() {
  if (!one_file_ || pages_.empty()) return;
  files_.push_back(path_);
  coracle::write_file(path_, vision::joined_text(pages_) + "\n");
}

}  // namespace ocr
