// SPDX-License-Identifier: Apache-2.0
#include "serve/open_inference.h"

#include <charconv>
#include <utility>

#include "base/json.h"
#include "serve/current_failure.h"
#include "serve/infer_call.h"
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
  const Clock::time_point received = Clock::now();
  std::shared_ptr<ServedModel> model = operations_.find(name, version);
  std::optional<size_t> header_length;
  if (const std::string_view text = request.header("Inference-Header-Content-Length"); !text.empty()) {
    size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (error != std::errc() || end != text.data() + text.size())
      throw Failure(Code::kInvalidArgument, "Inference-Header-Content-Length is not a number of bytes");
    header_length = length;
  }
  InferCall call;
  try {
    call = parse_infer(*model, request.body, header_length);
  } catch (const std::exception&) {
    model->refused(request.record.get(), current_failure().code());
    throw;
  }
  call.request.record = request.record;
  if (request.record != nullptr) request.record->id = call.form.id;
  return start_inference(model, std::move(call.request), received,
                         [form = std::move(call.form), respond](const InferAnswer& answer) {
                           respond_with(respond, answer.failure, [&] { return infer_response(form, answer); });
                         });
}

HttpResponse OpenInference::answer(const HttpRequest& request, const Path& path) {
  if (path.size() == 1) {
    require_method(request, "GET");
    return json_response(internal::json_text([&](internal::JsonWriter& json) {
      const ServerMetadata about = operations_.server_metadata();
      json.StartObject();
      json.field("name", about.name);
      json.field("version", about.version);
      json.Key("extensions");
      json.StartArray();
      for (const std::string& extension : about.extensions) json.text(extension);
      json.EndArray();
      json.EndObject();
    }));
  }
  if (path[1] == "health" && path.size() == 3) {
    require_method(request, "GET");
    if (path[2] == "live") return health(true, true);
    if (path[2] == "ready") return health(true, operations_.ready());
    no_path(request);
  }
  if (path.size() == 3 && path[1] == "repository" && path[2] == "index") return index(request);
  if (path[1] != "models") no_path(request);
  require_method(request, "GET");
  if (path.size() == 3 && path[2] == "stats") return json_response(statistics_json(operations_.models({}, {})));
  if (path.size() < 3) no_path(request);
  const std::string& model = path[2];
  const bool versioned = path.size() >= 5 && path[3] == "versions";
  const std::string version = versioned ? path[4] : std::string();
  const size_t rest = versioned ? 5 : 3;
  if (path.size() == rest) return metadata(model, version);
  if (path.size() != rest + 1) no_path(request);
  if (path[rest] == "ready") return health(true, operations_.model_ready(model, version));
  if (path[rest] == "config") return json_response(config_json(operations_.model_config(model, version)));
  if (path[rest] == "stats") return json_response(statistics_json(operations_.models(model, version)));
  no_path(request);
}

HttpResponse OpenInference::index(const HttpRequest& request) const {
  require_method(request, "POST");
  const internal::JsonDocument asked = request.body->empty() ? internal::JsonDocument() : parse_object(*request.body);
  const bool ready_only = asked.IsObject() && asked.HasMember("ready") && asked["ready"].IsTrue();
  return json_response(internal::json_text([&](internal::JsonWriter& json) {
    json.StartArray();
    for (const IndexEntry& entry : operations_.index(ready_only)) {
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
  operations_.change(name, load, [respond](const std::optional<Failure>& failure) {
    HttpResponse response;
    response.content_type.clear();
    respond(failure.has_value() ? error_response(*failure) : std::move(response));
  });
}

HttpResponse OpenInference::metadata(const std::string& name, const std::string& version) const {
  const ModelMetadata model = operations_.model_metadata(name, version);
  return json_response(internal::json_text([&](internal::JsonWriter& json) {
    const auto tensors = [&](const char* key, const std::vector<TensorMetadata>& list) {
      json.Key(key);
      json.StartArray();
      for (const TensorMetadata& tensor : list) {
        json.StartObject();
        json.field("name", tensor.name);
        json.field("datatype", tensor.datatype);
        json.Key("shape");
        json.StartArray();
        for (const int64_t d : tensor.shape) json.Int64(d);
        json.EndArray();
        json.EndObject();
      }
      json.EndArray();
    };
    json.StartObject();
    json.field("name", model.name);
    json.Key("versions");
    json.StartArray();
    for (const std::string& loaded : model.versions) json.text(loaded);
    json.EndArray();
    json.field("platform", model.platform);
    tensors("inputs", model.inputs);
    tensors("outputs", model.outputs);
    json.EndObject();
  }));
}

}  // namespace coracle::serve
