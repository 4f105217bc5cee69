// SPDX-License-Identifier: Apache-2.0
#include "coracle/vision/text_reader.h"

#include <optional>

#include "vision/text_stages.h"

namespace coracle::vision {

struct TextReader::State {
  std::optional<TextDetector> detector;
  std::optional<LineAngle> angle;
  std::optional<Recognizer> recognizer;
};

TextReader::TextReader(const TextReaderFiles& files, int threads)
    : TextReader(files, ReaderOptions{.threads = threads}) {}

TextReader::TextReader(const TextReaderFiles& files, const ReaderOptions& options) : state_(new State) {
  if (files.detector.empty() && files.recognizer.empty()) {
    throw Error(Problem::kUsage, "text is read by a detector, a recogniser or both: neither is given");
  }
  if (!files.detector.empty()) state_->detector.emplace(files.detector, options);
  if (!files.classifier.empty()) state_->angle.emplace(files.classifier, options);
  if (!files.recognizer.empty()) state_->recognizer.emplace(files.recognizer, files.dictionary, options);
}
TextReader::TextReader(TextReader&&) noexcept = default;
TextReader& TextReader::operator=(TextReader&&) noexcept = default;
TextReader::~TextReader() = default;

std::vector<TextLine> TextReader::read(const Image& image, double min_score) { return read(image, min_score, nullptr); }

std::vector<TextLine> TextReader::read(const Image& image, double min_score,
                                       const std::atomic<std::uint32_t>* cancelled) {
  return read(image, TextReading{.min_score = min_score, .cancelled = cancelled});
}

bool TextReader::recognizes() const { return state_->recognizer.has_value(); }

Text TextReader::read_line(const Image& line, const std::atomic<std::uint32_t>* cancelled) {
  if (!state_->recognizer) throw Error(Problem::kUsage, "a line is read by a recogniser, and none is given");
  return state_->recognizer->read({line}, cancelled).front();
}

std::vector<TextLine> TextReader::read(const Image& image, const TextReading& how) {
  const bool described = state_->detector && state_->detector->described();
  const Image padded = state_->detector && !described ? pad_tiny(image) : image;
  std::vector<LineBox> boxes;
  if (state_->detector) {
    boxes = state_->detector->detect(padded, how.detection, how.cancelled);
  } else {  // The picture is one line.
    boxes.push_back({{Point{0, 0}, {image.width, 0}, {image.width, image.height}, {0, image.height}}, 1});
  }
  std::vector<TextLine> lines;
  if (!state_->recognizer) {
    for (const LineBox& box : boxes) lines.push_back({box.corners, {}, static_cast<double>(box.score)});
    return lines;
  }
  std::vector<Image> crops;
  std::vector<LineBox> cut;
  for (const LineBox& box : boxes) {
    Image crop = state_->detector ? cut_out(padded, box.corners, !described) : image;
    if (crop.bgr.empty()) continue;
    crops.push_back(std::move(crop));
    cut.push_back(box);
  }
  std::vector<bool> turned(crops.size(), false);
  if (state_->angle && how.turn_lines) turned = state_->angle->turn_upright(crops, how.cancelled);
  const std::vector<Text> texts = state_->recognizer->read(crops, how.cancelled);
  for (std::size_t i = 0; i < cut.size(); ++i) {
    const auto score = static_cast<double>(texts[i].score);
    if (score >= how.min_score) lines.push_back({cut[i].corners, texts[i].text, score, turned[i]});
  }
  return lines;
}

}  // namespace coracle::vision
