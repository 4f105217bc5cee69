// SPDX-License-Identifier: Apache-2.0
// Answers about pictures, by models as PaddleX, PaddleClas, PaddleDetection, PaddleOCR and PaddleSeg publish them: the
// file inference.yml beside a model says what is done to a picture before the model runs, and to its outputs after.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coracle/vision/image.h"
#include "coracle/vision/model_runner.h"

namespace coracle::vision {

enum class Task {
  kClassification,
  kMultilabel,
  kTextDetection,
  kTextRecognition,
  kObjectDetection,
  kSegmentation,
  kTableStructure,
  kUnwarping,
  kFeatures,
  kInstanceSegmentation,
  kKeypoints,
  kAnomaly
};

/// As `--task` and the results name it: classification, multilabel, text-detection, text-recognition,
/// object-detection, segmentation, table-structure, unwarping, features, instance-segmentation, keypoints, anomaly.
CORACLE_VISION_API const char* task_name(Task task);
/// The same backwards; Error if there is no such task.
CORACLE_VISION_API Task task_of(const std::string& name);

struct Label {
  int id = 0;
  std::string name;  ///< the number where the model has no names
  float score = 0;
};

struct TextBox {
  std::array<Point, 4> corners;  ///< in the order of reading: top left, top right, bottom right, bottom left
  float score = 0;
  std::vector<Point> polygon{};  ///< of detectors of bent text, whose corners are then those of a rectangle round it
};

struct Text {
  std::string text;  ///< UTF-8
  float score = 0;   ///< mean probability of its characters
};

/// Some pixels of a picture.
struct CORACLE_VISION_API Mask {
  int width = 0;  ///< of the picture
  int height = 0;
  /// How many pixels are outside and inside in turn, outside first, one column after the other from the left and each
  /// from the top: COCO's run lengths, uncompressed.
  std::vector<std::uint32_t> counts;

  std::int64_t area() const;                 ///< how many pixels are inside
  std::vector<std::uint8_t> pixels() const;  ///< row after row, 1 inside and 0 outside
};

/// An object and the rectangle around it, in pixels.
struct Object {
  int id = 0;
  std::string name;
  float score = 0;
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
  /// x and y of the corners of a box that is turned, in the model's order; an upright box has none.
  std::optional<std::array<float, 8>> corners{};
  std::optional<Mask> mask{};  ///< instance segmentation
};

/// The class of each pixel of the picture, row after row.
struct ClassMap {
  int width = 0;
  int height = 0;
  std::vector<int> classes;
  std::vector<std::string> names;  ///< by class; may be empty or too short
};

/// How unlike what the model learnt each place of a picture is.
struct AnomalyMap {
  int width = 0;  ///< of the map, which the model gives; it lies over the whole picture
  int height = 0;
  std::vector<float> scores;         ///< row after row
  std::vector<std::uint8_t> marked;  ///< 1 in regions above the threshold, without specks and spikes, else 0
  float greatest = 0;
  float mean = 0;
};

/// A table without its text.
struct TableStructure {
  std::vector<std::string> tokens;          ///< HTML from <html> to </html>; a cell's text belongs before its </td>
  std::vector<std::array<Point, 4>> cells;  ///< corners, as many as cells among the tokens, or none
  float score = 0;                          ///< mean probability of the tokens
};

/// A point of a body.
struct Keypoint {
  int id = 0;
  std::string name;  ///< the number where its name is not known
  float score = 0;
  float x = 0;
  float y = 0;
};

/// The answer to one picture; what belongs to the task is filled in.
struct Prediction {
  Task task = Task::kClassification;
  std::vector<Label> labels;        ///< classification, multilabel: the best first
  std::vector<TextBox> boxes;       ///< text detection
  Text text;                        ///< text recognition
  std::vector<Object> objects;      ///< object detection, instance segmentation
  bool ordered = false;             ///< the objects are regions of a page in the order of reading, by the model
  ClassMap map;                     ///< segmentation
  TableStructure table;             ///< table structure
  Image page;                       ///< unwarping: the picture made flat
  AnomalyMap anomaly;               ///< anomaly
  std::vector<float> features;      ///< features: a vector of length 1, to be compared with those of other pictures
  std::vector<Keypoint> keypoints;  ///< keypoints: those of the person whom the picture shows
  std::vector<std::array<int, 2>> bones;  ///< which of the keypoints, by their places in the list, are joined
};

struct PredictorOptions {
  std::string params;              ///< parameter file, where Paddle's naming rules do not find it
  std::string description;         ///< inference.yml, where it is not beside the model
  std::optional<Task> task;        ///< for a model without description
  std::string labels;              ///< file with a name per line; a dictionary of characters for text recognition
  std::optional<int> topk;         ///< classes at most; otherwise as described
  std::optional<float> threshold;  ///< least score of labels, boxes, objects and points; otherwise as described
  int threads = 0;                 ///< 0: as many as there are processors
  OpenModel open{};                ///< gives what runs the model; empty: a session of its own
};

/// What one picture may have otherwise than the predictor's options say.
struct PredictionChoice {
  std::optional<int> topk{};
  std::optional<float> threshold{};
  const std::atomic<std::uint32_t>* cancelled = nullptr;
};

/// An archive (.tar, .tar.gz or .zip) of a model in memory.
struct ModelBytes {
  const void* data = nullptr;
  std::size_t size = 0;
};

/// A model with all that belongs to it; for one thread at a time. Methods throw Error, or coracle::Exception with
/// the message of the library.
class CORACLE_VISION_API Predictor {
 public:
  /// `model`: a folder, an archive of one, or one of its files.
  explicit Predictor(const std::string& model, const PredictorOptions& options = {});
  /// From bytes that must stay as they are while the predictor lives.
  explicit Predictor(const ModelBytes& archive, const PredictorOptions& options = {});
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;
  ~Predictor();

  Task task() const;
  /// How pictures are prepared where no description says it, in a line for the user; empty where one does.
  const std::string& assumed() const;
  Prediction predict(const Image& image);
  /// The same; when another thread sets the lowest bit of `cancelled` it ends with coracle::Exception
  /// (CORACLE_CANCELLED). Null: never.
  Prediction predict(const Image& image, const std::atomic<std::uint32_t>* cancelled);
  Prediction predict(const Image& image, const PredictionChoice& choice);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The picture with what was found in it: outlines with numbers, or classes in colours; a page made flat is itself.
CORACLE_VISION_API Image draw(const Image& image, const Prediction& prediction);

}  // namespace coracle::vision
