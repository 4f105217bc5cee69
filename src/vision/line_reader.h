// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "vision/text_stages.h"

namespace coracle::vision {

/// The models of a TextReader, of which several readers may share the recogniser.
class LineReader {
 public:
  LineReader(const TextReaderFiles& files, const ReaderOptions& options);
  /// A detector's lines are read by a recogniser that another reader has; null: they are not read.
  LineReader(const std::string& detector, std::shared_ptr<Recognizer> recognizer, const ReaderOptions& options);

  /// As TextReader::read.
  std::vector<TextLine> read(const Image& image, const TextReading& how);
  /// As TextReader::read_line.
  Text read_line(const Image& line, const std::atomic<std::uint32_t>* cancelled);
  /// Null where lines are not read.
  const std::shared_ptr<Recognizer>& recognizer() const { return recognizer_; }

 private:
  std::optional<TextDetector> detector_;
  std::optional<LineAngle> angle_;
  std::shared_ptr<Recognizer> recognizer_;
};

}  // namespace coracle::vision
