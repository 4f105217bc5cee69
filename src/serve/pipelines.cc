// SPDX-License-Identifier: Apache-2.0
#include "serve/pipelines.h"

#include <algorithm>
#include <new>
#include <utility>

#include "coracle/coracle.hpp"

namespace coracle::serve {
namespace {

HttpResponse failed(std::string_view body, unsigned status, std::string_view message) {
  return pipeline_message(status, log_id_of(body), static_cast<int>(status), message);
}

unsigned status_of(const coracle::Exception& e) {
  switch (e.status()) {
    case CORACLE_CANCELLED: return http_status(Code::kCancelled);
    case CORACLE_OUT_OF_MEMORY: return http_status(Code::kUnavailable);
    default: return http_status(Code::kInternal);
  }
}

HttpResponse answered(Pipeline& pipeline, std::string_view body, Cancelled cancelled) {
  try {
    const PipelineRequest request(body, pipeline.fields());
    const std::string result = internal::json_text([&](internal::JsonWriter& json) {
      json.StartObject();
      pipeline.answer(request, cancelled, json);
      json.EndObject();
    });
    return pipeline_answer(request.log_id(), result);
  } catch (const PipelineFailure& failure) {
    return failed(body, failure.status(), failure.what());
  } catch (const vision::Error& e) {
    return failed(body, e.problem() == vision::Problem::kPicture ? 422 : http_status(Code::kInternal), e.what());
  } catch (const coracle::Exception& e) {
    return failed(body, status_of(e), e.what());
  } catch (const std::bad_alloc&) {
    return failed({}, http_status(Code::kUnavailable), "the server has not the memory for this request now");
  } catch (const std::exception& e) {
    return failed(body, http_status(Code::kInternal), e.what());
  }
}

}  // namespace

Pipelines::Pipelines(const Options& options) : max_queue_size_(options.max_queue_size) {
  for (const PipelineConfig& config : options.pipelines) {
    const std::string path(pipeline_kind(config.name).path);
    if (std::find(paths_.begin(), paths_.end(), path) != paths_.end())
      throw Failure(Code::kInvalidArgument, "two pipelines would answer at /" + path);
    paths_.push_back(path);
  }
  for (int worker = 0; worker < options.workers; ++worker) {
    Opened& opened = opened_.emplace_back();
    for (const PipelineConfig& config : options.pipelines) opened.push_back(pipeline_kind(config.name).open(config));
  }
  for (Opened& opened : opened_) workers_.emplace_back([this, &opened] { work(opened); });
}

Pipelines::~Pipelines() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool Pipelines::open_to_all(const Path& path) const { return path.size() == 1 && path[0] == "health"; }

std::optional<Cancel> Pipelines::handle(const HttpRequest& request, const Path& path, const Respond& respond) {
  if (path.size() != 1) return std::nullopt;
  const bool health = path[0] == "health";
  const auto found = std::find(paths_.begin(), paths_.end(), path[0]);
  if (!health && found == paths_.end()) return std::nullopt;
  if (request.method != (health ? "GET" : "POST")) {
    respond(failed({}, http_status(Code::kWrongMethod), "Method Not Allowed"));
    return Cancel();
  }
  if (health) {
    respond(pipeline_message(200, new_log_id(), 0, "Healthy"));
    return Cancel();
  }
  const auto cancelled = std::make_shared<std::atomic<uint32_t>>(0);
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() < max_queue_size_) {
      jobs_.push_back({static_cast<size_t>(found - paths_.begin()), request.body, respond, cancelled});
      changed_.notify_one();
      return Cancel([cancelled] { *cancelled = 1; });
    }
  }
  respond(failed(*request.body, http_status(Code::kResourceExhausted),
                 std::to_string(max_queue_size_) + " requests wait already, no more can"));
  return Cancel();
}

void Pipelines::work(Opened& pipelines) {
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    HttpResponse response;
    if (*job.cancelled != 0)
      response = failed({}, http_status(Code::kCancelled), "the client has hung up");
    else
      response = answered(*pipelines[job.pipeline], *job.body, job.cancelled.get());
    job.respond(std::move(response));
  }
}

}  // namespace coracle::serve
