// SPDX-License-Identifier: Apache-2.0
#include "serve/pictures.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "base/json.h"
#include "client/prediction.h"
#include "serve/picture_request.h"
#include "serve/picture_tool.h"
#include "serve/text_reader_model.h"
#include "serve/worker_pool.h"

namespace coracle::serve {
namespace {

constexpr int kBlockedWorkers = 16;
constexpr double kMinScore = 0.5;  // of lines, as coracle-ocr has it

/// Whom a picture is for.
struct PicturePath {
  std::string model;
  std::string version;  ///< empty: none is given
};

/// Of /v2/models/NAME[/versions/VERSION]/predict; nothing for other paths.
std::optional<PicturePath> picture_path(const Path& path) {
  const bool versioned = path.size() == 6 && path[3] == "versions";
  if ((path.size() != 4 && !versioned) || path[0] != "v2" || path[1] != "models" || path.back() != "predict")
    return std::nullopt;
  return PicturePath{path[2], versioned ? path[4] : std::string()};
}

/// Why there is no answer. Clients know a model by its name, not by its path.
Failure failure_with_picture(const std::exception& e, const Models& models) {
  if (const auto* const failure = dynamic_cast<const Failure*>(&e)) return *failure;
  std::string message = e.what();
  for (const std::shared_ptr<ServedModel>& model : models) {
    if (message.starts_with(model->path())) message.replace(0, model->path().size(), "model '" + model->name() + "'");
  }
  if (const auto* const error = dynamic_cast<const vision::Error*>(&e)) {
    switch (error->problem()) {
      case vision::Problem::kUsage:
      case vision::Problem::kPicture: return {Code::kInvalidArgument, message};
      case vision::Problem::kUnsupported: return {Code::kUnsupported, message};
      case vision::Problem::kFile:
      case vision::Problem::kDescription: return {Code::kInternal, message};
    }
  }
  if (dynamic_cast<const std::bad_alloc*>(&e) != nullptr)
    return {Code::kUnavailable, "there is not enough memory for this picture now"};
  return {Code::kInternal, message};
}

class PredictorTool final : public PictureTool {
 public:
  PredictorTool(const ServedModel& model, const PictureRequest& asked, const vision::OpenModel& open)
      : predictor_(model.path(), options_of(asked, open)) {}

  PictureAnswer answer(const std::string& name, const vision::Image& image, bool draw,
                       const std::atomic<uint32_t>* cancelled) override {
    const vision::Prediction prediction = predictor_.predict(image, cancelled);
    if (draw) return {{}, vision::draw(image, prediction)};
    return {internal::json_text([&](internal::JsonWriter& json) {
              json.StartObject();
              client::write_picture(json, name, image.width, image.height);
              client::write_prediction(json, prediction);
              json.EndObject();
            }),
            {}};
  }

 private:
  static vision::PredictorOptions options_of(const PictureRequest& asked, const vision::OpenModel& open) {
    vision::PredictorOptions options;
    if (!asked.task.empty()) options.task = vision::task_of(asked.task);
    options.topk = asked.topk;
    options.threshold = asked.threshold;
    options.open = open;
    return options;
  }

  vision::Predictor predictor_;
};

class ReaderTool final : public PictureTool {
 public:
  ReaderTool(const vision::TextReaderFiles& files, double min_score, const vision::OpenModel& open)
      : reader_(files, vision::ReaderOptions{.open = open}), min_score_(min_score) {}

  PictureAnswer answer(const std::string& name, const vision::Image& image, bool draw,
                       const std::atomic<uint32_t>* cancelled) override {
    const std::vector<vision::TextLine> lines = reader_.read(image, min_score_, cancelled);
    if (draw) return {{}, vision::draw(image, lines)};
    return {internal::json_text([&](internal::JsonWriter& json) {
              json.StartObject();
              client::write_picture(json, name, image.width, image.height);
              client::write_lines(json, lines);
              json.EndObject();
            }),
            {}};
  }

 private:
  vision::TextReader reader_;
  const double min_score_;
};

/// A request whose pictures are worked on.
struct PictureWork {
  std::shared_ptr<const std::string> body;  // which the pictures are in
  PictureRequest asked;
  Models models;
  std::string kind;
  PictureTools::Make make;
  std::optional<Clock::time_point> deadline;
  std::shared_ptr<RequestRecord> record;
  Respond respond;
  std::atomic<uint32_t> cancelled{0};

  std::mutex mutex;
  std::vector<PictureAnswer> answers;  // by picture
  std::optional<Failure> failure;
  size_t left = 0;
};

HttpResponse response_of(PictureWork& work) {
  if (work.failure.has_value()) return error_response(*work.failure);
  if (work.asked.draw) {
    HttpResponse response;
    response.content_type = "image/png";
    response.body = vision::encode_png(work.answers.front().drawing);
    return response;
  }
  if (!work.asked.list) return json_response(std::move(work.answers.front().json));
  std::string list = "[";
  for (const PictureAnswer& answer : work.answers) list.append(list.size() == 1 ? "" : ",").append(answer.json);
  return json_response(list + ']');
}

class Pictures : public Service {
 public:
  Pictures(Repository& repository, PictureOptions options)
      : repository_(repository),
        options_(std::move(options)),
        tools_(static_cast<size_t>(2 * workers())),
        pool_(workers(), options_.max_waiting) {}

  std::optional<Cancel> handle(const HttpRequest& request, const Path& path, const Respond& respond) override {
    const std::optional<PicturePath> whom = picture_path(path);
    if (!whom.has_value()) return std::nullopt;
    require_method(request, "POST");
    const auto work = std::make_shared<PictureWork>();
    work->body = request.body;
    work->asked = parse_picture_request(request);
    work->record = request.record;
    work->respond = respond;
    if (work->asked.timeout_us != 0) work->deadline = Clock::now() + std::chrono::microseconds(work->asked.timeout_us);
    const auto reader = std::find_if(options_.readers.begin(), options_.readers.end(),
                                     [&](const TextReaderModels& r) { return r.name == whom->model; });
    if (reader == options_.readers.end()) {
      const std::shared_ptr<ServedModel> model = repository_.find(whom->model, whom->version);
      const auto* const own_reader = dynamic_cast<const TextReaderModel*>(model.get());
      own_reader != nullptr ? use_reader(*work, own_reader->models()) : use_model(*work, model);
    } else if (whom->version.empty()) {
      use_reader(*work, *reader);
    } else {
      throw Failure(Code::kNotFound, "the reader '" + whom->model + "' has no versions");
    }
    work->left = work->asked.pictures.size();
    work->answers.resize(work->left);
    std::vector<std::function<void()>> tasks;
    for (size_t i = 0; i < work->left; ++i) tasks.emplace_back([this, work, i] { answer(*work, i); });
    pool_.submit(std::move(tasks));
    return [work] { work->cancelled = 1; };
  }

 private:
  int workers() const { return options_.workers > 0 ? options_.workers : coracle_default_threads() + kBlockedWorkers; }

  static void use_model(PictureWork& work, const std::shared_ptr<ServedModel>& model) {
    const PictureRequest& asked = work.asked;
    work.models = {model};
    work.kind = asked.task + ' ' + std::to_string(asked.topk.value_or(-1)) + ' ' +
                (asked.threshold.has_value() ? std::to_string(*asked.threshold) : "");
    work.make = [&asked, &model = *model](const vision::OpenModel& open) {
      return std::make_unique<PredictorTool>(model, asked, open);
    };
  }

  void use_reader(PictureWork& work, const TextReaderModels& reader) const {
    if (!work.asked.task.empty() || work.asked.topk.has_value())
      throw Failure(Code::kInvalidArgument, "the reader '" + reader.name + "' takes no task and no topk");
    vision::TextReaderFiles files;
    const auto use = [&](const std::string& name, std::string& path) {
      if (name.empty()) return;
      path = work.models.emplace_back(repository_.find(name))->path();
    };
    use(reader.detector, files.detector);
    use(reader.recognizer, files.recognizer);
    use(reader.classifier, files.classifier);
    files.dictionary = reader.dictionary;
    const double min_score = work.asked.threshold.has_value() ? static_cast<double>(*work.asked.threshold) : kMinScore;
    work.kind = "reader " + reader.dictionary + ' ' + std::to_string(min_score);
    work.make = [files, min_score](const vision::OpenModel& open) {
      return std::make_unique<ReaderTool>(files, min_score, open);
    };
  }

  /// Answers one of the pictures, and after the last one the request.
  void answer(PictureWork& work, size_t index) {
    const PicturePart& picture = work.asked.pictures[index];
    PictureAnswer own;
    std::optional<Failure> failure;
    try {
      own = found(work, picture);
    } catch (const vision::Error& e) {
      failure = failure_with_picture(e, work.models);
      if (work.asked.list && e.problem() == vision::Problem::kPicture) {
        failure.reset();  // the other pictures have answers
        own.json = internal::json_text(
            [&](internal::JsonWriter& json) { client::write_no_answer(json, picture.name, e.what()); });
      }
    } catch (const std::exception& e) {
      failure = failure_with_picture(e, work.models);
    }
    {
      const std::lock_guard lock(work.mutex);
      work.answers[index] = std::move(own);
      if (failure.has_value()) {
        if (!work.failure.has_value()) work.failure = failure;
        work.cancelled = 1;
      }
      if (--work.left != 0) return;
    }
    try {
      work.respond(response_of(work));
    } catch (const std::exception& e) {
      work.respond(error_response(failure_with_picture(e, work.models)));
    }
  }

  PictureAnswer found(PictureWork& work, const PicturePart& picture) {
    if (work.cancelled % 2 != 0) throw Failure(Code::kCancelled, "the request was cancelled");
    if (work.deadline.has_value() && Clock::now() >= *work.deadline)
      throw Failure(Code::kDeadlineExceeded, "the request has waited longer than its time limit allows");
    const vision::Image image =
        vision::decode_image(picture.name, reinterpret_cast<const uint8_t*>(picture.content.data()),
                             picture.content.size(), {.max_pixels = options_.max_pixels});
    PictureTools::Tool tool = tools_.take(work.models, work.kind, work.make);
    tool.settings->priority = work.asked.priority;
    tool.settings->deadline = work.deadline;
    tool.settings->record = work.record;
    PictureAnswer answer = tool.tool->answer(picture.name, image, work.asked.draw, &work.cancelled);
    tools_.give_back(std::move(tool));
    return answer;
  }

  Repository& repository_;
  const PictureOptions options_;
  PictureTools tools_;
  WorkerPool pool_;  // ends first
};

}  // namespace

std::unique_ptr<Service> picture_service(Repository& repository, const PictureOptions& options) {
  return std::make_unique<Pictures>(repository, options);
}

}  // namespace coracle::serve
