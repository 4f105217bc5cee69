// SPDX-License-Identifier: Apache-2.0
#include "coracle/vision/text_reader.h"

#include "vision/line_reader.h"

namespace coracle::vision {

struct TextReader::State {
  LineReader lines;
};

TextReader::TextReader(const TextReaderFiles& files, int threads)
    : TextReader(files, ReaderOptions{.threads = threads}) {}

TextReader::TextReader(const TextReaderFiles& files, const ReaderOptions& options)
    : state_(new State{LineReader(files, options)}) {}
TextReader::TextReader(TextReader&&) noexcept = default;
TextReader& TextReader::operator=(TextReader&&) noexcept = default;
TextReader::~TextReader() = default;

std::vector<TextLine> TextReader::read(const Image& image, double min_score) { return read(image, min_score, nullptr); }

std::vector<TextLine> TextReader::read(const Image& image, double min_score,
                                       const std::atomic<std::uint32_t>* cancelled) {
  return read(image, TextReading{.min_score = min_score, .cancelled = cancelled});
}

bool TextReader::recognizes() const { return state_->lines.recognizer() != nullptr; }

Text TextReader::read_line(const Image& line, const std::atomic<std::uint32_t>* cancelled) {
  return state_->lines.read_line(line, cancelled);
}

std::vector<TextLine> TextReader::read(const Image& image, const TextReading& how) {
  return state_->lines.read(image, how);
}

}  // namespace coracle::vision
