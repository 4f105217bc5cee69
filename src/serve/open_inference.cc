// SPDX-License-Identifier: Apache-2.0
#include "serve/open_inference.h"

#include <charconv>
#include <utility>

#include "base/json.h"
#include "client/element.h"
#include "serve/infer_json.h"
#include "serve/json_request.h"
#include "serve/model_call.h"
#include "serve/request_record.h"
#include "serve/statistics_json.h"

namespace coracle::serve {
namespace {

HttpResponse health(bool live, bool ready) {
  HttpResponse response = json_response(internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.field("live", live);
    json.field("ready", ready);
    json.EndObject();
  }));
  response.status = live && ready ? 200 : 503;
  return response;
}

}  // namespace

bool OpenInference::open_to_all(const Path& path) const {
  return path.size() == 3 && path[0] == "v2" && path[1] == "health";
}

std::optional<Cancel> OpenInference::handle(const HttpRequest& request, const Path& path, const Respond& respond) {
  if (path.empty() || path[0] != "v2") return std::nullopt;
  // /v2/models/NAME[/versions/VERSION]/infer
  const bool versioned = path.size() == 6 && path[3] == "versions";
  if (path.size() >= 4 && path[1] == "models" && path.back() == "infer" && (path.size() == 4 || versioned)) {
    require_method(request, "POST");
    return infer(request, path[2], versioned ? path[4] : std::string(), respond);
  }
  if (path.size() == 5 && path[1] == "repository" && path[2] == "models" &&
      (path[4] == "load" || path[4] == "unload")) {
    change_model(request, path[3], path[4] == "load", respond);
    return Cancel();
  }
  respond(answer(request, path));
  return Cancel();
}

Cancel OpenInference::infer(const HttpRequest& request, const std::string& name, const std::string& version,
                            const Respond& respond) {
  const std::shared_ptr<ServedModel> model = repository_.find(name, version);
  std::optional<size_t> header_length;
  if (const std::string_view text = request.header("Inference-Header-Content-Length"); !text.empty()) {
    size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (error != std::errc() || end != text.data() + text.size())
      throw Failure(Code::kInvalidArgument, "Inference-Header-Content-Length is not a number of bytes");
    header_length = length;
  }
  const auto parse = [&] {
    InferCall call = parse_infer(*model, request.body, header_length);
    if (request.record != nullptr) request.record->id = call.id;
    const InferencePtr inference = std::exchange(call.inference, nullptr);
    return ModelCall{inference, [model, call = std::move(call)](const Answer& answer) {
                       return infer_response(*model, call, answer);
                     }};
  };
  return call_model(request, model, parse, respond);
}

HttpResponse OpenInference::answer(const HttpRequest& request, const Path& path) {
  if (path.size() == 1) {
    require_method(request, "GET");
    return json_response(internal::json_text([](internal::JsonWriter& json) {
      json.StartObject();
      json.field("name", std::string_view("coracle"));
      json.field("version", std::string_view(coracle_version()));
      json.Key("extensions");
      json.StartArray();
      for (const char* extension :
           {"binary_tensor_data", "model_configuration", "model_repository", "schedule_policy", "statistics"})
        json.String(extension);
      json.EndArray();
      json.EndObject();
    }));
  }
  if (path[1] == "health" && path.size() == 3) {
    require_method(request, "GET");
    if (path[2] == "live") return health(true, true);
    if (path[2] == "ready") return health(true, readiness_.started && !readiness_.stopping && repository_.ready());
    no_path(request);
  }
  if (path.size() == 3 && path[1] == "repository" && path[2] == "index") return index(request);
  if (path[1] != "models") no_path(request);
  require_method(request, "GET");
  if (path.size() == 3 && path[2] == "stats") return statistics({}, {});
  if (path.size() < 3) no_path(request);
  const std::string& model = path[2];
  const bool versioned = path.size() >= 5 && path[3] == "versions";
  const std::string version = versioned ? path[4] : std::string();
  const size_t rest = versioned ? 5 : 3;
  if (path.size() == rest) return metadata(model, version);
  if (path.size() != rest + 1) no_path(request);
  if (path[rest] == "ready") {
    try {
      return health(true, repository_.find(model, version) != nullptr && !readiness_.stopping);
    } catch (const Failure& failure) {
      if (failure.code() == Code::kUnavailable) return health(true, false);
      throw;
    }
  }
  if (path[rest] == "config") return json_response(config_json(repository_.find(model, version)->config()));
  if (path[rest] == "stats") return statistics(model, version);
  no_path(request);
}

HttpResponse OpenInference::index(const HttpRequest& request) const {
  require_method(request, "POST");
  const internal::JsonDocument asked = request.body->empty() ? internal::JsonDocument() : parse_object(*request.body);
  const bool ready_only = asked.IsObject() && asked.HasMember("ready") && asked["ready"].IsTrue();
  return json_response(internal::json_text([&](internal::JsonWriter& json) {
    json.StartArray();
    for (const IndexEntry& entry : repository_.index()) {
      if (ready_only && entry.state != "READY") continue;
      json.StartObject();
      json.field("name", entry.name);
      if (!entry.version.empty()) json.field("version", entry.version);
      if (!entry.state.empty()) json.field("state", entry.state);
      if (!entry.reason.empty()) json.field("reason", entry.reason);
      json.EndObject();
    }
    json.EndArray();
  }));
}

void OpenInference::change_model(const HttpRequest& request, const std::string& name, bool load,
                                 const Respond& respond) {
  require_method(request, "POST");
  if (!repository_control_) {
    throw Failure(
        Code::kUnavailable,
        "clients may not load and unload models here; the server's option --model-control explicit allows it");
  }
  repository_.later([this, name, load, respond] {
    HttpResponse response;
    response.content_type.clear();
    try {
      load ? repository_.load(name) : repository_.unload(name);
    } catch (const Failure& failure) {
      response = error_response(failure);
    } catch (const std::exception& e) {
      response = error_response({Code::kInternal, e.what()});
    }
    respond(std::move(response));
  });
}

HttpResponse OpenInference::metadata(const std::string& name, const std::string& version) const {
  const std::shared_ptr<ServedModel> model = repository_.find(name, version);
  return json_response(internal::json_text([&](internal::JsonWriter& json) {
    const auto tensors = [&](const char* key, const std::vector<coracle::TensorInfo>& infos) {
      json.Key(key);
      json.StartArray();
      for (const coracle::TensorInfo& info : infos) {
        json.StartObject();
        json.field("name", info.name);
        json.field("datatype", client::datatype_of(info.dtype));
        json.Key("shape");
        json.StartArray();
        for (const int64_t d : info.dims) json.Int64(d < 0 ? -1 : d);
        json.EndArray();
        json.EndObject();
      }
      json.EndArray();
    };
    json.StartObject();
    json.field("name", model->name());
    json.Key("versions");
    json.StartArray();
    for (const std::string& loaded : repository_.versions(name)) json.text(loaded);
    json.EndArray();
    json.field("platform", std::string_view("paddle_coracle"));
    tensors("inputs", model->inputs());
    tensors("outputs", model->outputs());
    json.EndObject();
  }));
}

HttpResponse OpenInference::statistics(const std::string& name, const std::string& version) const {
  std::vector<std::shared_ptr<ServedModel>> models;
  if (name.empty()) {
    models = repository_.loaded();
  } else if (!version.empty()) {
    models.push_back(repository_.find(name, version));
  } else {
    for (const std::string& loaded : repository_.versions(name)) models.push_back(repository_.find(name, loaded));
    if (models.empty()) models.push_back(repository_.find(name));  // says why there is none
  }
  return json_response(statistics_json(models));
}

}  // namespace coracle::serve
