// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/system/native_path.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/input/picture.h"
#include "cli/note.h"
#include "cli/prediction_text.h"
#include "coracle/coracle.h"

namespace coracle::cli {
namespace {

namespace fs = std::filesystem;

/// The pictures as given; for a folder those in it, by name.
std::vector<std::string> pictures_of(const std::vector<std::string>& given) {
  std::vector<std::string> pictures;
  for (const std::string& path : given) {
    std::error_code error;
    if (!fs::is_directory(internal::native_path(path), error)) {
      pictures.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (fs::directory_iterator i(internal::native_path(path), error), end; !error && i != end; i.increment(error)) {
      if (std::string name = internal::path_text(i->path()); names_picture(name)) found.push_back(std::move(name));
    }
    if (error) throw Failure(ExitCode::kIo, path + ": cannot be listed: " + error.message());
    if (found.empty())
      throw Failure(ExitCode::kIo, path + ": there is no picture (.png, .jpg, .jpeg, .bmp, .webp) in the folder");
    std::sort(found.begin(), found.end());
    pictures.insert(pictures.end(), found.begin(), found.end());
  }
  return pictures;
}

/// The scores as grey values, from black for 0 to white for the greatest one.
vision::Image grey_scores(const vision::AnomalyMap& map) {
  vision::Image grey(map.width, map.height);
  const float factor = map.greatest > 0 ? 255.0F / map.greatest : 0;
  for (size_t i = 0; i < grey.bgr.size(); ++i) {
    const float value = map.scores[i / 3] * factor;
    grey.bgr[i] = value > 0 ? static_cast<uint8_t>(std::min(value, 255.0F)) : 0;
  }
  return grey;
}

/// Names of drawings, each used once: pictures of several folders may have the same name.
class Drawings {
 public:
  explicit Drawings(const std::string& folder) : folder_(folder) {
    if (folder.empty()) return;
    std::error_code error;
    fs::create_directories(internal::native_path(folder), error);
    if (error) throw Failure(ExitCode::kIo, folder + ": cannot be made: " + error.message());
  }

  /// Draws the answer and returns the file, if that was asked for. Of a class map also the numbers of the classes are
  /// written, as grey values.
  std::string draw(const std::string& picture, const vision::Image& image, const vision::Prediction& prediction) {
    if (folder_.empty()) return {};
    std::string stem = internal::path_text(internal::native_path(picture).stem());
    for (int i = 2; !used_.insert(stem).second; ++i)
      stem = internal::path_text(internal::native_path(picture).stem()) + "_" + std::to_string(i);
    std::string file =
        internal::path_text(internal::native_path(folder_) / internal::native_path(stem + "_answer.png"));
    vision::write_png(file, vision::draw(image, prediction));
    if (prediction.task == vision::Task::kSegmentation) {
      vision::Image classes(prediction.map.width, prediction.map.height);
      for (size_t i = 0; i < classes.bgr.size(); ++i) {
        classes.bgr[i] = static_cast<uint8_t>(std::clamp(prediction.map.classes[i / 3], 0, 255));
      }
      vision::write_png(
          internal::path_text(internal::native_path(folder_) / internal::native_path(stem + "_classes.png")), classes);
    }
    if (prediction.task == vision::Task::kAnomaly)
      vision::write_png(
          internal::path_text(internal::native_path(folder_) / internal::native_path(stem + "_scores.png")),
          grey_scores(prediction.anomaly));
    return file;
  }

 private:
  std::string folder_;
  std::set<std::string> used_;
};

/// A line on standard error: a picture has no answer, or what is worth knowing of the answers.
void report(const std::string& message) {
  coracle_set_last_error(message.c_str());  // which makes it printable
  std::fflush(stdout);
  note("coracle: {}\n", coracle_last_error());
}

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) != 0 || !written) throw std::system_error(errno, std::generic_category());
}

struct PredictCommand {
  std::string model;
  std::vector<std::string> files;  ///< and folders
  vision::PredictorOptions options;
  std::string task;
  std::string drawings;  ///< a folder
  bool json = false;
  bool csv = false;

  void add_options(CLI::App* command) {
    command->add_option("model", model, "directory, program file or parameter file, with inference.yml beside it")
        ->required();
    command->add_option("pictures", files, "PNG, JPEG, BMP or WebP files, or folders of them")->required();
    command->add_option("--params", options.params, "parameter file, where Paddle's naming rules do not find it");
    command->add_option("--description", options.description, "an inference.yml elsewhere");
    command->add_option(
        "--task", task,
        "for a model without inference.yml: classification, multilabel, text-detection, text-recognition, "
        "segmentation, table-structure, unwarping, features, keypoints, anomaly");
    command->add_option("--labels", options.labels, "file with the name of a class, a character or a token per line");
    command->add_option("--topk", options.topk, "classes at most")->check(CLI::Range(1, 1000000));
    command->add_option("--threshold", options.threshold, "least score of labels, boxes, objects and points")
        ->check(CLI::Range(0.0, 1.0));
    add_threads(command, options.threads);
    add_cpus(command);
    command->add_option("--draw", drawings, "draw what was found: DIR/NAME_answer.png for each picture");
    CLI::Option* as_json = command->add_flag("--json", json, "print a line of JSON for each picture");
    command->add_flag("--csv", csv, "print a table with commas")->excludes(as_json);
  }
  void run() const;
};

void PredictCommand::run() const {
  vision::PredictorOptions complete = options;
  if (!task.empty()) complete.task = vision::task_of(task);
  const std::vector<std::string> pictures = pictures_of(files);
  vision::Predictor predictor(model, complete);
  std::string assumed = predictor.assumed();  // told with the first answer
  Drawings drawn(drawings);
  if (csv) print(csv_header(predictor.task()));
  size_t failed = 0;
  for (const std::string& picture : pictures) {
    try {
      const vision::Image image = vision::read_image(picture);
      Answer answer{picture, image.width, image.height, predictor.predict(image), {}};
      answer.drawing = drawn.draw(picture, image, answer.prediction);
      if (!assumed.empty()) report("note: " + std::exchange(assumed, {}));
      print(json ? to_json(answer) : csv ? to_csv(answer) : to_text(answer));
    } catch (const vision::Error& e) {
      if (e.problem() != vision::Problem::kPicture) throw;
      const std::string message = e.what();
      const std::string text = message.starts_with(picture) ? message : picture + ": " + message;
      report(text);
      if (json) print(error_json(picture, text));
      ++failed;
    } catch (const coracle::Exception& e) {
      throw Failure(exit_code(e.status()), picture + ": " + e.what());
    }
  }
  if (failed > 0) {
    throw Failure(ExitCode::kIo, pictures.size() == 1 ? "there is no answer for the picture"
                                                      : fmt::format("there is no answer for {} of {} pictures", failed,
                                                                    pictures.size()));
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  add_command<PredictCommand>(
      app, "predict", "Says what pictures show, as inference.yml describes it",
      "What is done to a picture before the model runs, and what its outputs mean, is read from inference.yml "
      "beside the model (PaddleX, PaddleClas, PaddleOCR), infer_cfg.yml (PaddleDetection) or deploy.yaml "
      "(PaddleSeg). Pictures that cannot be read are named and do not stop the others; the exit code is then 5.\n"
      "\nExamples:\n"
      "  coracle predict PP-LCNet_x1_0_infer cat.jpg dog.jpg\n"
      "  coracle predict PP-OCRv5_mobile_det_infer scans --draw out --json\n"
      "  coracle predict old_model photos --task classification --labels classes.txt --topk 3 --csv");
}

}  // namespace coracle::cli
