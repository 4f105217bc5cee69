// SPDX-License-Identifier: Apache-2.0
#include "serve/router.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json.h"
#include "client/element.h"
#include "client/error.h"
#include "serve/infer_json.h"
#include "serve/json_request.h"
#include "serve/statistics_json.h"

namespace coracle::serve {
namespace {

constexpr size_t kMaxPath = 4096;

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The parts of a path between slashes, with their %XX resolved. Throws Failure.
std::vector<std::string> parts_of(std::string_view path) {
  if (path.size() > kMaxPath || !path.starts_with('/')) throw Failure(Code::kNotFound, "there is no such path");
  std::vector<std::string> parts;
  path.remove_prefix(1);
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    std::string part;
    for (size_t i = 0; i < end; ++i) {
      if (path[i] != '%') {
        part += path[i];
        continue;
      }
      const int high = i + 1 < end ? hex(path[i + 1]) : -1;
      const int low = i + 2 < end ? hex(path[i + 2]) : -1;
      if (high < 0 || low < 0) throw Failure(Code::kInvalidArgument, "the path has a % without two hexadecimal digits");
      part += static_cast<char>(high * 16 + low);
      i += 2;
    }
    parts.push_back(std::move(part));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

/// Takes as long whatever the first difference is.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    const char other = b.empty() ? '\0' : b[i % b.size()];
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(other);
  }
  return different == 0;
}

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

void require_method(const HttpRequest& request, std::string_view method) {
  if (request.method != method) {
    throw Failure(Code::kWrongMethod, request.path.substr(0, 255) + " is asked by " + std::string(method) +
                                          ", not by " + request.method.substr(0, 16));
  }
}

[[noreturn]] void no_path(const HttpRequest& request) {
  throw Failure(Code::kNotFound, "there is nothing at '" + request.path.substr(0, 255) + "'");
}

Failure loading_failure(const coracle::Exception& e) {
  switch (e.status()) {
    case CORACLE_OUT_OF_MEMORY: return {Code::kUnavailable, e.what()};
    case CORACLE_UNSUPPORTED: return {Code::kUnsupported, e.what()};
    default: return {Code::kInvalidArgument, e.what()};
  }
}

}  // namespace

void Router::check_token(const HttpRequest& request) const {
  if (options_.token.empty()) return;
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view given = request.header("Authorization");
  if (given.starts_with(kBearer) && same_secret(given.substr(kBearer.size()), options_.token)) return;
  throw Failure(Code::kUnauthenticated, "the server needs the header 'Authorization: Bearer TOKEN' with its token");
}

Cancel Router::handle(const HttpRequest& request, const Respond& respond) {
  const Respond with_headers = [this, respond](HttpResponse response) {
    if (!options_.allow_origin.empty())
      response.headers.emplace_back("Access-Control-Allow-Origin", options_.allow_origin);
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    respond(std::move(response));
  };
  try {
    const std::vector<std::string> path = parts_of(request.path);
    const bool health = path.size() == 3 && path[0] == "v2" && path[1] == "health";
    if (!health) check_token(request);
    // /v2/models/NAME[/versions/VERSION]/infer
    const bool versioned = path.size() == 6 && path[3] == "versions";
    if (path.size() >= 4 && path[0] == "v2" && path[1] == "models" && path.back() == "infer" &&
        (path.size() == 4 || versioned)) {
      require_method(request, "POST");
      return infer(request, path[2], versioned ? path[4] : std::string(), with_headers);
    }
    if (path.size() == 5 && path[0] == "v2" && path[1] == "repository" && path[2] == "models" &&
        (path[4] == "load" || path[4] == "unload")) {
      change_model(request, path[3], path[4] == "load", with_headers);
      return nullptr;
    }
    with_headers(answer(request, path));
  } catch (const Failure& failure) {
    with_headers(error_response(failure));
  } catch (const coracle::Exception& e) {
    with_headers(error_response(loading_failure(e)));
  } catch (const std::bad_alloc&) {
    with_headers(error_response({Code::kUnavailable, "the server has not the memory for this request now"}));
  } catch (const std::exception& e) {
    with_headers(error_response({Code::kInternal, e.what()}));
  }
  return nullptr;
}

Cancel Router::infer(const HttpRequest& request, const std::string& name, const std::string& version,
                     const Respond& respond) {
  const Clock::time_point received = Clock::now();
  std::shared_ptr<ServedModel> model = repository_.find(name, version);
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
    model->statistics().add_failure(Code::kInvalidArgument);
    throw;
  }
  const InferencePtr inference = call.inference;
  const int64_t rows = rows_of(*inference).value_or(1);
  call.inference = nullptr;  // which refers to the call until it is answered
  inference->answer = [model, call = std::move(call), received, rows, respond](const Answer& answer) {
    model->statistics().add(answer, received, rows);
    try {
      respond(answer.failure.has_value() ? error_response(*answer.failure) : infer_response(*model, call, answer));
    } catch (const std::exception& e) {
      respond(error_response({Code::kUnavailable, e.what()}));
    }
  };
  model->infer(inference);
  return [inference = std::weak_ptr<Inference>(inference)] {
    if (const InferencePtr alive = inference.lock()) alive->cancelled = 1;
  };
}

HttpResponse Router::answer(const HttpRequest& request, const std::vector<std::string>& path) {
  if (path.empty() || path[0] != "v2") no_path(request);
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
    if (path[2] == "ready") return health(true, ready());
    no_path(request);
  }
  if (path[1] == "repository") return repository(request, path);
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
      return health(true, repository_.find(model, version) != nullptr && !stopping_);
    } catch (const Failure& failure) {
      if (failure.code() == Code::kUnavailable) return health(true, false);
      throw;
    }
  }
  if (path[rest] == "config") return json_response(config_json(repository_.find(model, version)->config()));
  if (path[rest] == "stats") return statistics(model, version);
  no_path(request);
}

HttpResponse Router::repository(const HttpRequest& request, const std::vector<std::string>& path) {
  require_method(request, "POST");
  if (path.size() == 3 && path[2] == "index") {
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
  no_path(request);
}

void Router::change_model(const HttpRequest& request, const std::string& name, bool load, const Respond& respond) {
  require_method(request, "POST");
  if (!options_.repository_control) {
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

HttpResponse Router::metadata(const std::string& name, const std::string& version) const {
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

HttpResponse Router::statistics(const std::string& name, const std::string& version) const {
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
