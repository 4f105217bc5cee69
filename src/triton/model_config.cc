// SPDX-License-Identifier: Apache-2.0
#include "triton/model_config.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/nearest_name.h"
#include "triton/datatype.h"
#include "triton/failure.h"

namespace coracle::triton {
namespace {

using internal::JsonDocument;
using internal::JsonValue;

[[noreturn]] void invalid(const std::string& text) { throw Failure(TRITONSERVER_ERROR_INVALID_ARG, text); }

JsonDocument parsed(const std::string& json) {
  JsonDocument document;
  document.Parse(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) invalid("the configuration is not an object of JSON: " + json);
  return document;
}

const JsonValue* member(const JsonValue& object, const char* name) {
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

std::string_view text_of(const JsonValue* value) {
  return value == nullptr || !value->IsString() ? std::string_view()
                                                : std::string_view(value->GetString(), value->GetStringLength());
}

int64_t integer(std::string_view what, std::string_view text) {
  int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || value < 0)
    invalid(std::string(what) + " is '" + std::string(text) + "', expected a number of at least 0");
  return value;
}

struct TextParameter {
  std::string_view name;
  std::string ModelOptions::*field;
};
constexpr TextParameter kTexts[] = {{"precision", &ModelOptions::precision}, {"engines", &ModelOptions::engines},
                                    {"device", &ModelOptions::device},       {"marks", &ModelOptions::marks},
                                    {"shapes", &ModelOptions::shapes},       {"weights", &ModelOptions::weights},
                                    {"cpu_isa", &ModelOptions::cpu_isa}};
struct NumberParameter {
  std::string_view name;
  void (*set)(Parameters& parameters, int64_t value);
};
constexpr NumberParameter kNumbers[] = {
    {"threads", [](Parameters& p, int64_t v) { p.session.threads = static_cast<int>(std::min<int64_t>(v, 1024)); }},
    {"min_ops", [](Parameters& p, int64_t v) { p.model.min_ops = v; }},
    {"memory_limit_mib", [](Parameters& p, int64_t v) { p.session.memory_limit = static_cast<size_t>(v) << 20U; }},
    {"time_limit_ms", [](Parameters& p, int64_t v) { p.session.time_limit_ms = v; }},
};

void set_parameter(Parameters& parameters, std::string_view name, std::string_view value) {
  std::vector<std::string_view> known;
  for (const TextParameter& row : kTexts) {
    if (row.name == name) return void(parameters.model.*row.field = value);
    known.push_back(row.name);
  }
  for (const NumberParameter& row : kNumbers) {
    if (row.name == name) return row.set(parameters, integer("the parameter '" + std::string(name) + "'", value));
    known.push_back(row.name);
  }
  std::string list;
  for (const std::string_view k : known) list += (list.empty() ? "" : ", ") + std::string(k);
  const std::string nearest = internal::nearest_name(name, known);
  invalid("there is no parameter '" + std::string(name) + "'" +
          (nearest.empty() ? "" : ", did you mean '" + nearest + "'?") + " Known are " + list);
}

/// The entry of a list of tensors that has a name; null: there is none.
const JsonValue* entry(const JsonValue* list, const std::string& name) {
  if (list == nullptr || !list->IsArray()) return nullptr;
  for (const JsonValue& tensor : list->GetArray()) {
    if (text_of(member(tensor, "name")) == name) return &tensor;
  }
  return nullptr;
}

bool is_empty(const JsonValue* list) { return list == nullptr || !list->IsArray() || list->Empty(); }

template <class Dimensions>
std::string bracketed(const Dimensions& dims) {
  std::string text;
  for (const int64_t d : dims) text += (text.empty() ? "" : ",") + std::to_string(d);
  return "[" + text + "]";
}

/// The dimensions that a tensor has for the model, as an entry says: `reshape` holds for the model, `dims` for clients.
Dims entry_dims(const JsonValue& tensor, bool batched) {
  const JsonValue* reshape = member(tensor, "reshape");
  const JsonValue* list =
      reshape != nullptr && reshape->IsObject() ? member(*reshape, "shape") : member(tensor, "dims");
  Dims dims;
  if (batched) dims.push_back(-1);
  if (list == nullptr || !list->IsArray()) return dims;
  for (const JsonValue& d : list->GetArray())  // JSON of protobuf may have 64 bits as text
    dims.push_back(d.IsInt64() ? d.GetInt64() : std::strtoll(std::string(text_of(&d)).c_str(), nullptr, 10));
  return dims;
}

void check_entry(const std::string& what, const JsonValue& tensor, const TensorInfo& info, bool batched) {
  const Datatype& type = datatype_of(info.dtype, info.name);
  const std::string_view said = text_of(member(tensor, "data_type"));
  if (said != type.name)
    invalid(what + " has data_type " + std::string(said) + ", the model has " + std::string(type.name));
  if (!info.rank_known) return;
  const Dims dims = entry_dims(tensor, batched);
  if (dims.size() != info.dims.size())
    invalid(what + " has " + std::to_string(dims.size()) + " dimensions" +
            (batched ? " with the batch, which 'dims' leaves out," : ",") + " the model has " + bracketed(info.dims));
  if (batched && info.dims[0] >= 0)
    invalid(what + " has a first dimension of " + std::to_string(info.dims[0]) +
            " in the model, which is no free one for a batch: set max_batch_size to 0");
}

void check_kind(const std::string& kind, const JsonValue* list, const std::vector<TensorInfo>& tensors, bool batched) {
  if (is_empty(list)) invalid("the configuration names no " + kind);
  std::vector<std::string_view> names;
  for (const TensorInfo& info : tensors) names.push_back(info.name);
  for (const JsonValue& tensor : list->GetArray()) {
    const std::string name(text_of(member(tensor, "name")));
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      std::string known;
      for (const std::string_view n : names) known += (known.empty() ? "'" : ", '") + std::string(n) + "'";
      invalid("the model has no " + kind + " '" + name + "', it has " + known);
    }
    check_entry(kind + " '" + name + "'", tensor, tensors[static_cast<size_t>(at - names.begin())], batched);
  }
}

}  // namespace

ModelConfig::ModelConfig(const std::string& json) : json_(parsed(json)) {}

Parameters ModelConfig::parameters() const {
  Parameters parameters;
  const JsonValue* all = member(json_, "parameters");
  if (all == nullptr || !all->IsObject()) return parameters;
  for (const auto& p : all->GetObject()) {
    const JsonValue* value = p.value.IsObject() ? member(p.value, "string_value") : &p.value;
    set_parameter(parameters, text_of(&p.name), text_of(value));
  }
  return parameters;
}

int64_t ModelConfig::max_batch_size() const {
  const JsonValue* value = member(json_, "max_batch_size");
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

std::string ModelConfig::file_name() const { return std::string(text_of(member(json_, "default_model_filename"))); }

bool ModelConfig::complete(const char* kind, const std::vector<TensorInfo>& tensors) {
  auto& memory = json_.GetAllocator();
  const bool batched = max_batch_size() > 0;
  bool changed = false;
  for (const TensorInfo& info : tensors) {
    if (entry(member(json_, kind), info.name) != nullptr) continue;
    if (!info.rank_known)
      invalid("the model does not say how many dimensions '" + info.name + "' has: name it in config.pbtxt");
    const size_t first = batched ? 1 : 0;
    if (info.dims.size() < first) invalid("'" + info.name + "' has no dimension for a batch: set max_batch_size to 0");
    const std::string_view type = datatype_of(info.dtype, info.name).name;
    JsonValue dims(rapidjson::kArrayType);
    for (size_t i = first; i < info.dims.size(); ++i) dims.PushBack(std::max<int64_t>(info.dims[i], -1), memory);
    JsonValue tensor(rapidjson::kObjectType);
    tensor.AddMember("name", JsonValue(info.name.c_str(), memory), memory);
    tensor.AddMember("data_type", JsonValue(type.data(), static_cast<unsigned>(type.size()), memory), memory);
    if (dims.Empty()) {  // Triton's tensors have a dimension at least: of one element, which the model does not see
      dims.PushBack(1, memory);
      tensor.AddMember("reshape",
                       JsonValue(rapidjson::kObjectType).AddMember("shape", JsonValue(rapidjson::kArrayType), memory),
                       memory);
    }
    tensor.AddMember("dims", dims, memory);
    if (member(json_, kind) == nullptr)
      json_.AddMember(JsonValue(kind, memory), JsonValue(rapidjson::kArrayType), memory);
    json_[kind].PushBack(tensor, memory);
    changed = true;
  }
  return changed;
}

bool ModelConfig::complete(const std::vector<TensorInfo>& inputs, const std::vector<TensorInfo>& outputs,
                           int64_t batch) {
  const bool nothing_named = is_empty(member(json_, "input")) && is_empty(member(json_, "output"));
  const auto free_rows = [](const TensorInfo& info) {
    return info.rank_known && !info.dims.empty() && info.dims[0] < 0 && info.lod_levels == 0;
  };
  bool changed = false;
  if (nothing_named && max_batch_size() == 0 && batch > 0 && std::all_of(inputs.begin(), inputs.end(), free_rows) &&
      std::all_of(outputs.begin(), outputs.end(), free_rows)) {
    json_.RemoveMember("max_batch_size");
    json_.AddMember("max_batch_size", batch, json_.GetAllocator());
    changed = true;
  }
  changed = complete("input", inputs) || changed;
  // Outputs that a configuration leaves out are not wanted.
  return (is_empty(member(json_, "output")) && complete("output", outputs)) || changed;
}

void ModelConfig::check(const std::vector<TensorInfo>& inputs, const std::vector<TensorInfo>& outputs) const {
  const bool batched = max_batch_size() > 0;
  check_kind("input", member(json_, "input"), inputs, batched);
  for (const TensorInfo& info : inputs) {
    if (entry(member(json_, "input"), info.name) == nullptr)
      invalid("the configuration does not name the model's input '" + info.name + "'");
  }
  check_kind("output", member(json_, "output"), outputs, batched);
}

std::string ModelConfig::text() const {
  return internal::json_text([this](internal::JsonWriter& writer) { json_.Accept(writer); });
}

int64_t backend_setting(const std::string& json, const char* name, int64_t otherwise) {
  const JsonDocument document = parsed(json);
  const JsonValue* settings = member(document, "cmdline");
  const JsonValue* value = settings != nullptr && settings->IsObject() ? member(*settings, name) : nullptr;
  return value == nullptr ? otherwise
                          : integer("the setting '" + std::string(name) + "' of the back end", text_of(value));
}

}  // namespace coracle::triton
