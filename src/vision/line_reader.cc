// SPDX-License-Identifier: Apache-2.0
#include "vision/line_reader.h"

#include <utility>

#include "vision/bent_line.h"

namespace coracle::vision {

LineReader::LineReader(const TextReaderFiles& files, const ReaderOptions& options) {
  if (files.detector.empty() && files.recognizer.empty()) {
    throw Error(Problem::kUsage, "text is read by a detector, a recogniser or both: neither is given");
  }
  if (!files.detector.empty()) detector_.emplace(files.detector, options);
  if (!files.classifier.empty()) angle_.emplace(files.classifier, options);
  if (!files.recognizer.empty())
    recognizer_ = std::make_shared<Recognizer>(files.recognizer, files.dictionary, options);
}

LineReader::LineReader(const std::string& detector, std::shared_ptr<Recognizer> recognizer,
                       const ReaderOptions& options)
    : recognizer_(std::move(recognizer)) {
  detector_.emplace(detector, options);
}

Text LineReader::read_line(const Image& line, const std::atomic<std::uint32_t>* cancelled) {
  if (recognizer_ == nullptr) throw Error(Problem::kUsage, "a line is read by a recogniser, and none is given");
  return recognizer_->read({line}, cancelled).front();
}

std::vector<TextLine> LineReader::read(const Image& image, const TextReading& how) {
  const bool described = detector_ && detector_->described();
  const Image padded = detector_ && !described ? pad_tiny(image) : image;
  std::vector<LineBox> boxes;
  if (detector_) {
    boxes = detector_->detect(padded, how.detection, how.cancelled);
  } else {  // The picture is one line.
    boxes.push_back({{Point{0, 0}, {image.width, 0}, {image.width, image.height}, {0, image.height}}, 1});
  }
  std::vector<TextLine> lines;
  if (!recognizer_) {
    for (const LineBox& box : boxes)
      lines.push_back({box.corners, {}, static_cast<double>(box.score), false, box.polygon});
    return lines;
  }
  std::vector<Image> crops;
  std::vector<LineBox> cut;
  for (const LineBox& box : boxes) {
    Image crop = !detector_            ? image
                 : box.polygon.empty() ? cut_out(padded, box.corners, !described)
                                       : cut_out_bent(padded, box.polygon);
    if (crop.bgr.empty()) continue;
    crops.push_back(std::move(crop));
    cut.push_back(box);
  }
  std::vector<bool> turned(crops.size(), false);
  if (angle_ && how.turn_lines) turned = angle_->turn_upright(crops, how.cancelled);
  const std::vector<Text> texts = recognizer_->read(crops, how.cancelled);
  for (std::size_t i = 0; i < cut.size(); ++i) {
    const auto score = static_cast<double>(texts[i].score);
    if (score >= how.min_score)
      lines.push_back({cut[i].corners, texts[i].text, score, turned[i], std::move(cut[i].polygon)});
  }
  return lines;
}

}  // namespace coracle::vision
