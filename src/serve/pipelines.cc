// SPDX-License-Identifier: Apache-2.0
#include "serve/pipelines.h"

#include <algorithm>
#include <mutex>
#include <new>

#include "coracle/coracle.hpp"
#include "serve/request_record.h"
#include "serve/served_runner.h"
#include "serve/worker_pool.h"

namespace coracle::serve {
namespace {

constexpr int kWaitingWorkers = 16;

HttpResponse failed(std::string_view body, unsigned status, std::string_view message) {
  return pipeline_message(status, log_id_of(body), static_cast<int>(status), message);
}

HttpResponse failed(std::string_view body, const Failure& failure) {
  return failed(body, http_status(failure.code()), failure.what());
}

unsigned http_status_of(const coracle::Exception& e) {
  switch (e.status()) {
    case CORACLE_CANCELLED: return http_status(Code::kCancelled);
    case CORACLE_OUT_OF_MEMORY: return http_status(Code::kUnavailable);
    default: return http_status(Code::kInternal);
  }
}

/// What `answer` answers, or why there is no answer.
template <class Answer>
HttpResponse answered(std::string_view body, const Answer& answer) {
  try {
    return answer();
  } catch (const PipelineFailure& failure) {
    return failed(body, failure.status(), failure.what());
  } catch (const Failure& failure) {
    return failed(body, failure);
  } catch (const vision::Error& e) {
    return failed(body, e.problem() == vision::Problem::kPicture ? 422 : http_status(Code::kInternal), e.what());
  } catch (const coracle::Exception& e) {
    return failed(body, http_status_of(e), e.what());
  } catch (const std::bad_alloc&) {
    return failed({}, http_status(Code::kUnavailable), "there is not enough memory for this request now");
  } catch (const std::exception& e) {
    return failed(body, http_status(Code::kInternal), e.what());
  }
}

/// A pipeline and those of its tools that nobody uses now. For any number of threads.
class PipelineTools {
 public:
  PipelineTools(PipelineConfig config, Repository& repository)
      : config_(std::move(config)), kind_(pipeline_kind(config_.name)), repository_(repository) {}

  std::string_view path() const { return kind_.path; }

  /// Throws Failure for models that are not loaded.
  Models models() const {
    Models models;
    for (const auto& [stage, name] : config_.names) models.push_back(repository_.find(name));
    return models;
  }

  /// What answers one request at a time, with the settings of its runs.
  struct Tool {
    std::shared_ptr<RunSettings> settings;
    std::unique_ptr<Pipeline> pipeline;
  };

  /// One that works with these models, until it is given back.
  Tool take(const Models& models) {
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(idle_, [&](const Idle& idle) {
        return !std::equal(models.begin(), models.end(), idle.models.begin(), idle.models.end(),
                           [](const auto& model, const auto& other) { return model == other.lock(); });
      });
      if (!idle_.empty()) {
        Tool tool = std::move(idle_.back().tool);
        idle_.pop_back();
        return tool;
      }
    }
    const auto settings = std::make_shared<RunSettings>();
    return {settings, kind_.open(config_, open_served(models, settings))};
  }

  void give_back(const Models& models, Tool tool) {
    tool.settings->record = nullptr;
    const std::lock_guard lock(mutex_);
    idle_.push_back({{models.begin(), models.end()}, std::move(tool)});
  }

 private:
  struct Idle {
    std::vector<std::weak_ptr<ServedModel>> models;
    Tool tool;
  };

  const PipelineConfig config_;
  const PipelineKind& kind_;
  Repository& repository_;
  std::mutex mutex_;
  std::vector<Idle> idle_;
};

class Pipelines : public PipelineService {
 public:
  Pipelines(std::vector<PipelineConfig> pipelines, Repository& repository, const Readiness& readiness,
            const PictureOptions& limits)
      : readiness_(readiness),
        pool_(limits.workers > 0 ? limits.workers : coracle_default_threads() + kWaitingWorkers, limits.max_waiting) {
    for (PipelineConfig& config : pipelines) {
      config.max_pixels = limits.max_pixels;
      const auto tools = std::make_shared<PipelineTools>(std::move(config), repository);
      if (find(tools->path()) != nullptr)
        throw Failure(Code::kInvalidArgument, "two pipelines would answer at /" + std::string(tools->path()));
      pipelines_.push_back(tools);
    }
  }

  void check() override {
    for (const auto& tools : pipelines_) {
      const Models models = tools->models();
      tools->give_back(models, tools->take(models));
    }
  }

  std::optional<Cancel> handle(const HttpRequest& request, const Path& path, const Respond& respond) override {
    if (path.size() != 1) return std::nullopt;
    const bool health = path[0] == "health";
    const std::shared_ptr<PipelineTools> tools = find(path[0]);
    if (!health && tools == nullptr) return std::nullopt;
    if (request.method != (health ? "GET" : "POST")) {
      respond(failed({}, http_status(Code::kWrongMethod), "Method Not Allowed"));
    } else if (health) {
      const bool ready = readiness_.started && !readiness_.stopping;
      respond(ready ? pipeline_message(200, new_log_id(), 0, "Healthy")
                    : failed({}, http_status(Code::kUnavailable), "the server is not ready"));
    } else {
      return submit(tools, request, respond);
    }
    return Cancel();
  }

  bool open_to_all(const Path& path) const override { return path.size() == 1 && path[0] == "health"; }

 private:
  std::shared_ptr<PipelineTools> find(std::string_view path) const {
    const auto found =
        std::find_if(pipelines_.begin(), pipelines_.end(), [&](const auto& tools) { return tools->path() == path; });
    return found == pipelines_.end() ? nullptr : *found;
  }

  Cancel submit(const std::shared_ptr<PipelineTools>& tools, const HttpRequest& request, const Respond& respond) {
    const std::shared_ptr<const std::string> body = request.body;
    const auto cancelled = std::make_shared<std::atomic<uint32_t>>(0);
    try {
      pool_.submit({[tools, models = tools->models(), body, record = request.record, respond, cancelled] {
        respond(answered(*body, [&] { return answer(*tools, models, *body, record, cancelled.get()); }));
      }});
    } catch (const Failure& failure) {
      respond(failed(*body, failure));
      return Cancel();
    }
    return [cancelled] { *cancelled = 1; };
  }

  static HttpResponse answer(PipelineTools& tools, const Models& models, std::string_view body,
                             const std::shared_ptr<RequestRecord>& record, Cancelled cancelled) {
    if (*cancelled % 2 != 0) throw Failure(Code::kCancelled, "the request was cancelled");
    PipelineTools::Tool tool = tools.take(models);
    const PipelineRequest request(body, tool.pipeline->fields());
    const std::string log_id = request.log_id();
    if (record != nullptr) record->id = log_id;
    tool.settings->record = record;
    const std::string result = internal::json_text([&](internal::JsonWriter& json) {
      json.StartObject();
      tool.pipeline->answer(request, cancelled, json);
      json.EndObject();
    });
    tools.give_back(models, std::move(tool));
    return pipeline_answer(log_id, result);
  }

  const Readiness& readiness_;
  std::vector<std::shared_ptr<PipelineTools>> pipelines_;
  WorkerPool pool_;  // ends first
};

}  // namespace

void add_models(PipelineConfig& config, std::vector<std::pair<std::string, std::string>>& models) {
  for (const auto& [stage, path] : config.models) {
    if (!pipeline_stage(pipeline_kind(config.name), stage).is_model) continue;
    const auto same =
        std::find_if(models.begin(), models.end(), [&path = path](const auto& m) { return m.second == path; });
    if (same != models.end()) {
      config.names[stage] = same->first;
      continue;
    }
    config.names[stage] = config.name + '.' + stage;
    models.emplace_back(config.names[stage], path);
  }
}

std::unique_ptr<PipelineService> pipeline_service(std::vector<PipelineConfig> pipelines, Repository& repository,
                                                  const Readiness& readiness, const PictureOptions& limits) {
  return std::make_unique<Pipelines>(std::move(pipelines), repository, readiness, limits);
}

}  // namespace coracle::serve
