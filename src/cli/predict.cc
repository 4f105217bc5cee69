// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "cli/commands.h"
#include "cli/drawings.h"
#include "cli/failure.h"
#include "cli/interrupt.h"
#include "cli/note.h"
#include "cli/prediction_text.h"
#include "cli/progress.h"
#include "coracle/coracle.h"
#include "pictures/in_order.h"
#include "pictures/stream.h"

namespace coracle::cli {
namespace {

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
  pictures::StreamOptions reading;
  std::string task;
  std::string drawings;  ///< a folder
  bool as_video = false;
  bool json = false;
  bool csv = false;
  int jobs = 1;

  void add_options(CLI::App* command) {
    command->add_option("model", model, "directory, program file or parameter file, with inference.yml beside it")
        ->required();
    command->add_option("pictures", files, "PNG, JPEG, BMP or WebP files, PDFs, videos, or folders of them")
        ->required();
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
    command->add_option("--jobs", jobs, "pictures at a time, each in a session of its own")
        ->check(CLI::Range(1, Interruption::kMostRuns));
    add_reading(command);
    CLI::Option* draw =
        command->add_option("--draw", drawings, "draw what was found: DIR/NAME_answer.png for each picture");
    command->add_flag("--draw-video", as_video, "draw the frames of a video as one: DIR/NAME_answer.mp4")->needs(draw);
    CLI::Option* as_json = command->add_flag("--json", json, "print a line of JSON for each picture");
    command->add_flag("--csv", csv, "print a table with commas")->excludes(as_json);
  }
  /// What is read of documents and videos.
  void add_reading(CLI::App* command) {
    constexpr int kMostDpi = 2400;
    command->add_option("--dpi", reading.dpi, "pixels of a PDF's page for each inch")->check(CLI::Range(1, kMostDpi));
    command
        ->add_option_function<std::string>(
            "--pages",
            [this](const std::string& text) {
              try {
                reading.pages = pictures::parse_pages(text);
              } catch (const std::invalid_argument& e) {
                throw CLI::ValidationError("--pages", e.what());
              }
            },
            "pages of each PDF, as in 1-3,5 or 7-; otherwise all")
        ->type_name("PAGES");
    CLI::Option* every = command->add_option("--every", reading.every, "of a video each N-th frame")
                             ->check(CLI::Range(int64_t{1}, int64_t{1} << 31));
    command->add_option("--fps", reading.fps, "of a video so many frames for each second, where it has more")
        ->check(CLI::Range(1e-6, 1e6))
        ->excludes(every);
  }
  void run() const;
};

/// What became of a picture.
struct Result {
  Answer answer;
  vision::Image image;
  std::string problem;  ///< why there is no answer
};

/// One predictor for each job; several have the weights once.
std::vector<vision::Predictor> predictors_of(const std::string& model, vision::PredictorOptions options, int jobs) {
  if (jobs > 1) {
    if (options.threads == 0) options.threads = std::max(1, coracle_default_threads() / jobs);
    options.open = vision::open_shared(options.threads);
  }
  std::vector<vision::Predictor> predictors;
  for (int i = 0; i < jobs; ++i) predictors.emplace_back(model, options);
  return predictors;
}

Result answer_to(vision::Predictor& predictor, pictures::Picture picture) {
  const std::string name = picture.place.name();
  Result result{{std::move(picture.place), picture.image.width, picture.image.height, {}, {}},
                std::move(picture.image),
                std::move(picture.problem)};
  if (!result.problem.empty()) return result;
  try {
    result.answer.prediction = predictor.predict(result.image);
  } catch (const vision::Error& e) {
    if (e.problem() != vision::Problem::kPicture) throw;
    result.problem = e.what();
    if (!result.problem.starts_with(name)) result.problem.insert(0, name + ": ");
  } catch (const coracle::Exception& e) {
    throw Failure(exit_code(e.status()), name + ": " + e.what());
  }
  return result;
}

void PredictCommand::run() const {
  vision::PredictorOptions complete = options;
  if (!task.empty()) complete.task = vision::task_of(task);
  pictures::Stream stream(files, reading);
  std::vector<vision::Predictor> predictors = predictors_of(model, complete, jobs);
  const vision::Task found_task = predictors.front().task();
  std::string assumed = predictors.front().assumed();  // told with the first answer
  Drawings drawn(drawings, as_video);
  const PlaceColumns columns{stream.has(pictures::Kind::kPdf), stream.has(pictures::Kind::kVideo)};
  if (csv) print(csv_header(found_task, columns));
  const Progress progress;
  size_t done = 0;
  size_t failed = 0;
  const auto interruptible = [] {
    if (Interruption::happened()) throw Failure(ExitCode::kInterrupted, "interrupted");
  };
  const auto next = [&] {
    interruptible();
    if (stream.expected() > 1) progress.show(done, stream.expected());
    std::optional<pictures::Picture> picture = stream.next();
    interruptible();  // what reads files ends by the same signal
    return picture;
  };
  const auto use = [&](Result result) {
    interruptible();
    ++done;
    progress.clear();
    if (!result.problem.empty()) {
      report(result.problem);
      if (json) print(error_json(result.answer.place, result.problem));
      ++failed;
      return;
    }
    result.answer.drawing = drawn.draw(result.answer.place, result.image, result.answer.prediction);
    if (!assumed.empty()) report("note: " + std::exchange(assumed, {}));
    print(json ? to_json(result.answer) : csv ? to_csv(result.answer, columns) : to_text(result.answer));
  };
  pictures::InOrder<Result>(static_cast<size_t>(jobs), [&](size_t job, pictures::Picture picture) {
    return answer_to(predictors[job], std::move(picture));
  }).run(next, use);
  drawn.finish();
  progress.clear();
  if (failed > 0) {
    throw Failure(ExitCode::kIo, stream.given() == 1
                                     ? "there is no answer for the picture"
                                     : fmt::format("there is no answer for {} of {} pictures", failed, stream.given()));
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  add_command<PredictCommand>(
      app, "predict", "Says what pictures show, as inference.yml describes it",
      "What is done to a picture before the model runs, and what its outputs mean, is read from inference.yml "
      "beside the model (PaddleX, PaddleClas, PaddleOCR), infer_cfg.yml (PaddleDetection) or deploy.yaml "
      "(PaddleSeg). Pictures that cannot be read are named and do not stop the others; the exit code is then 5. "
      "Folders are read with those below them; what is hidden is left out. Pages of PDFs are made by poppler's "
      "pdftoppm, frames of videos by ffmpeg, where these are installed.\n"
      "\nExamples:\n"
      "  coracle predict PP-LCNet_x1_0_infer cat.jpg dog.jpg\n"
      "  coracle predict PP-OCRv5_mobile_det_infer scans --draw out --json\n"
      "  coracle predict PP-OCRv5_mobile_det_infer report.pdf --pages 1-3,5 --dpi 200\n"
      "  coracle predict PP-YOLOE_plus-S_infer street.mp4 --fps 5 --draw out --draw-video\n"
      "  coracle predict old_model photos --task classification --labels classes.txt --topk 3 --csv");
}

}  // namespace coracle::cli
