// SPDX-License-Identifier: Apache-2.0
#include "serve/kserve_v1.h"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "client/tensor_json.h"
#include "serve/json_request.h"
#include "serve/model_call.h"

namespace coracle::serve {
namespace kserve_v1 {
namespace {

using Rows = std::vector<const internal::JsonValue*>;
using internal::JsonValue;

constexpr std::string_view kPredict = ":predict";

[[noreturn]] void refuse(const std::string& message) { throw Failure(Code::kInvalidArgument, message); }

const JsonValue* member(const JsonValue& object, const std::string& name) {
  const auto found = object.FindMember(name.c_str());
  return found == object.MemberEnd() ? nullptr : &found->value;
}

std::string input_names(const std::vector<coracle::TensorInfo>& infos) {
  std::string names;
  for (const coracle::TensorInfo& info : infos) names += (names.empty() ? "'" : ", '") + info.name + "'";
  return names;
}

/// The inputs of a model by name, in the model's order. Throws Failure where one is missing and where there are others.
std::vector<const JsonValue*> by_name(const ServedModel& model, const JsonValue& object, const std::string& where) {
  if (!object.IsObject()) {
    refuse(where + " is not an object, of which model '" + model.name() + "' needs one with its inputs " +
           input_names(model.inputs()));
  }
  std::vector<const JsonValue*> values;
  for (const coracle::TensorInfo& info : model.inputs()) {
    values.push_back(member(object, info.name));
    if (values.back() == nullptr) refuse(where + " has no input '" + info.name + "'");
  }
  if (object.MemberCount() != values.size()) {
    refuse(where + " has " + std::to_string(object.MemberCount()) + " inputs, model '" + model.name() + "' has " +
           input_names(model.inputs()));
  }
  return values;
}

Rows rows_of_list(const JsonValue& list, const std::string& where) {
  if (!list.IsArray()) refuse(where + " is not a list of rows");
  Rows rows;
  rows.reserve(list.Size());
  for (const JsonValue& row : list.GetArray()) rows.push_back(&row);
  return rows;
}

/// The rows of each input, from one object or value for each row.
std::vector<Rows> rows_of_instances(const ServedModel& model, const JsonValue& instances) {
  const Rows rows = rows_of_list(instances, "'instances'");
  if (rows.empty()) refuse("'instances' has no rows");
  if (model.inputs().size() == 1 && !rows.front()->IsObject()) return {rows};
  std::vector<Rows> inputs(model.inputs().size());
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto values = by_name(model, *rows[r], "instance " + std::to_string(r));
    for (size_t i = 0; i < values.size(); ++i) inputs[i].push_back(values[i]);
  }
  return inputs;
}

/// The rows of each input, from one list for each input.
std::vector<Rows> rows_of_columns(const ServedModel& model, const JsonValue& columns) {
  if (model.inputs().size() == 1 && !columns.IsObject()) return {rows_of_list(columns, "'inputs'")};
  std::vector<Rows> inputs;
  for (const JsonValue* const column : by_name(model, columns, "'inputs'"))
    inputs.push_back(rows_of_list(*column, "input '" + model.inputs()[inputs.size()].name + "'"));
  return inputs;
}

Tensor tensor_of(const std::string& name, const Rows& rows, coracle_dtype dtype) {
  const auto kept = std::make_shared<client::Tensor>(client::parse_rows("input '" + name + "'", rows, dtype));
  return {.dtype = kept->dtype,
          .dims = kept->dims,
          .lod = {},
          .owner = kept,
          .data = kept->bytes.data(),
          .bytes = kept->bytes.size()};
}

/// An object with each output by its name, or of a model with one output its value alone.
template <class Write>
void write_outputs(internal::JsonWriter& json, const ServedModel& model, const Write& write) {
  if (model.outputs().size() == 1) return write(size_t{0});
  json.StartObject();
  for (size_t i = 0; i < model.outputs().size(); ++i) {
    json.Key(model.outputs()[i].name.c_str());
    write(i);
  }
  json.EndObject();
}

std::string predictions_json(const ServedModel& model, const std::vector<Tensor>& outputs, int64_t rows) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].dims.empty() && outputs[i].dims.front() == rows) continue;
    throw Failure(Code::kUnsupported,
                  "output '" + model.outputs()[i].name + "' of model '" + model.name() + "' has the shape " +
                      shape_text(outputs[i].dims) + ", not a row for each of " + std::to_string(rows) +
                      " instances; a request with 'inputs' instead of 'instances' gets whole outputs");
  }
  return internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.Key("predictions");
    json.StartArray();
    for (int64_t r = 0; r < rows; ++r) {
      write_outputs(json, model,
                    [&](size_t i) { client::write_row(json, view_of(outputs[i]), static_cast<size_t>(r)); });
    }
    json.EndArray();
    json.EndObject();
  });
}

std::string outputs_json(const ServedModel& model, const std::vector<Tensor>& outputs) {
  return internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.Key("outputs");
    write_outputs(json, model, [&](size_t i) { client::write_lists(json, view_of(outputs[i])); });
    json.EndObject();
  });
}

ModelCall parse_predict(const std::shared_ptr<ServedModel>& model, std::string_view body) {
  const internal::JsonDocument request = parse_object(body);
  const JsonValue* const instances = member(request, "instances");
  const JsonValue* const columns = member(request, "inputs");
  if ((instances == nullptr) == (columns == nullptr))
    refuse("the request needs either 'instances', a list of rows, or 'inputs', whole tensors");
  const std::vector<Rows> inputs =
      instances != nullptr ? rows_of_instances(*model, *instances) : rows_of_columns(*model, *columns);
  ModelCall call;
  call.inference = std::make_shared<Inference>();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const coracle::TensorInfo& info = model->inputs()[i];
    call.inference->inputs.push_back(tensor_of(info.name, inputs[i], info.dtype));
  }
  const bool by_row = instances != nullptr;
  const int64_t rows = by_row ? static_cast<int64_t>(instances->Size()) : 0;
  call.response = [model, by_row, rows](const Answer& answer) {
    return json_response(by_row ? predictions_json(*model, answer.outputs, rows)
                                : outputs_json(*model, answer.outputs));
  };
  return call;
}

}  // namespace
}  // namespace kserve_v1

std::optional<Cancel> KServeV1::handle(const HttpRequest& request, const Path& path, const Respond& respond) {
  if (path.empty() || path[0] != "v1") return std::nullopt;
  // /v1/models/NAME[/versions/VERSION]:predict
  const bool versioned = path.size() == 5 && path[3] == "versions";
  if (path.size() >= 3 && path[1] == "models" && (path.size() == 3 || versioned) &&
      path.back().ends_with(kserve_v1::kPredict)) {
    require_method(request, "POST");
    const std::string last = path.back().substr(0, path.back().size() - kserve_v1::kPredict.size());
    const std::shared_ptr<ServedModel> model = versioned ? repository_.find(path[2], last) : repository_.find(last);
    return call_model(
        request, model, [&] { return kserve_v1::parse_predict(model, *request.body); }, respond);
  }
  if (path.size() < 2 || path.size() > 3 || path[1] != "models") no_path(request);
  require_method(request, "GET");
  respond(path.size() == 2 ? models() : model(path[2]));
  return Cancel();
}

HttpResponse KServeV1::models() const {
  std::set<std::string> names;
  for (const std::shared_ptr<ServedModel>& model : repository_.loaded()) names.insert(model->name());
  return json_response(internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.list("models", names);
    json.EndObject();
  }));
}

HttpResponse KServeV1::model(const std::string& name) const {
  std::string why = readiness_.stopping ? "the server is asked to stop" : "";
  try {
    repository_.find(name);
  } catch (const Failure& failure) {
    if (failure.code() != Code::kUnavailable) throw;
    why = failure.what();
  }
  HttpResponse response = json_response(internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.field("name", name);
    json.field("ready", why.empty());
    if (!why.empty()) json.field("error", why);
    json.EndObject();
  }));
  if (!why.empty()) response.status = http_status(Code::kUnavailable);
  return response;
}

}  // namespace coracle::serve
