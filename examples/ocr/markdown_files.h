// SPDX-License-Identifier: Apache-2.0
// Documents in files of Markdown, with their pictures beside them.
#pragma once

#include <string>
#include <vector>

#include "coracle/vision/document_output.h"
#include "report.h"

namespace ocr {

// Each page becomes a file in a folder, or all pages one file, where the path ends in ".md". Pictures lie in the folder
// `imgs` beside the files. Nothing is written where the path is empty.
class MarkdownFiles {
 public:
  explicit MarkdownFiles(std::string path);

  // Writes the page and its pictures, or keeps its text for the one file.
  void add(const Result& result);
  // Writes the one file.
  void finish();
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::string path_;
  bool one_file_ = false;
  std::vector<coracle::vision::Markdown> pages_;
  std::vector<std::string> files_;
};

}  // namespace ocr
