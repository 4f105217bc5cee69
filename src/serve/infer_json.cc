// SPDX-License-Identifier: Apache-2.0
#include "serve/infer_json.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "client/element.h"
#include "client/tensor_json.h"
#include "serve/json_request.h"

namespace coracle::serve {
namespace {

constexpr size_t kMaxTensors = 1024;

[[noreturn]] void refuse(const std::string& message) { throw Failure(Code::kInvalidArgument, message); }

const internal::JsonValue* member(const internal::JsonValue& object, const char* name) {
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}

const internal::JsonValue* parameter(const internal::JsonValue& object, const char* name) {
  const internal::JsonValue* const parameters = member(object, "parameters");
  if (parameters == nullptr) return nullptr;
  if (!parameters->IsObject()) refuse("'parameters' is not an object");
  return member(*parameters, name);
}

std::string text_member(const internal::JsonValue& object, const char* name, const std::string& where) {
  const internal::JsonValue* const value = member(object, name);
  if (value == nullptr || !value->IsString()) refuse(where + " has no text '" + name + "'");
  return {value->GetString(), value->GetStringLength()};
}

bool flag(const internal::JsonValue* value, bool otherwise, const char* name) {
  if (value == nullptr) return otherwise;
  if (!value->IsBool()) refuse(std::string("the parameter '") + name + "' is not true or false");
  return value->GetBool();
}

std::optional<uint64_t> whole(const internal::JsonValue* value, const char* name) {
  if (value == nullptr) return std::nullopt;
  if (!value->IsUint64()) refuse(std::string("the parameter '") + name + "' is not an integer from 0 on");
  return value->GetUint64();
}

template <class Infos>
size_t index_of(const Infos& infos, const std::string& name, const char* kind, const std::string& model) {
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return i;
  }
  std::string names;
  for (const coracle::TensorInfo& info : infos) names += (names.empty() ? "'" : ", '") + info.name + "'";
  refuse("model '" + model + "' has no " + kind + " '" + name.substr(0, 255) + "'; it has " + names);
}

coracle::Dims dims_of(const internal::JsonValue& object, const std::string& where) {
  const internal::JsonValue* const shape = member(object, "shape");
  if (shape == nullptr || !shape->IsArray()) refuse(where + " has no list 'shape'");
  if (shape->Size() > CORACLE_MAX_RANK) {
    refuse(where + " has " + std::to_string(shape->Size()) + " dimensions, at most " +
           std::to_string(CORACLE_MAX_RANK) + " are possible");
  }
  coracle::Dims dims;
  for (const internal::JsonValue& size : shape->GetArray()) {
    if (!size.IsInt64() || size.GetInt64() < 0) refuse(where + " has a shape with what is not a size");
    dims.push_back(size.GetInt64());
  }
  return dims;
}

/// A part of the body behind its JSON.
Tensor binary_tensor(const std::shared_ptr<const std::string>& body, size_t offset, size_t bytes, coracle_dtype dtype,
                     coracle::Dims dims, const std::string& where) {
  const std::optional<size_t> expected = client::byte_count(dtype, dims);
  if (expected != bytes) {
    refuse(where + " has " + std::to_string(bytes) + " bytes of binary data, its shape and datatype need " +
           (expected.has_value() ? std::to_string(*expected) : std::string("more than memory has")));
  }
  const auto* const data = reinterpret_cast<const std::byte*>(body->data() + offset);
  if (dtype == CORACLE_BOOL) {
    for (size_t i = 0; i < bytes; ++i) {
      if (std::to_integer<int>(data[i]) > 1) refuse(where + " has a truth value that is neither 0 nor 1");
    }
  }
  return {.dtype = dtype, .dims = std::move(dims), .lod = {}, .owner = body, .data = data, .bytes = bytes};
}

Tensor tensor_of(client::Tensor tensor) {
  const auto kept = std::make_shared<client::Tensor>(std::move(tensor));
  return {.dtype = kept->dtype,
          .dims = kept->dims,
          .lod = {},
          .owner = kept,
          .data = kept->bytes.data(),
          .bytes = kept->bytes.size()};
}

/// Sequence offsets, coarsest level first: the parameter "lod" of an input, a list of lists.
coracle::Lod lod_of(const internal::JsonValue& input, const std::string& where) {
  coracle::Lod lod;
  const internal::JsonValue* const levels = parameter(input, "lod");
  if (levels == nullptr) return lod;
  if (!levels->IsArray()) refuse(where + ": the parameter 'lod' is not a list of lists of offsets");
  for (const internal::JsonValue& level : levels->GetArray()) {
    if (!level.IsArray()) refuse(where + ": the parameter 'lod' is not a list of lists of offsets");
    std::vector<size_t>& offsets = lod.emplace_back();
    for (const internal::JsonValue& offset : level.GetArray()) {
      if (!offset.IsUint64()) refuse(where + ": the parameter 'lod' has what is not an offset");
      offsets.push_back(offset.GetUint64());
    }
  }
  return lod;
}

void set_schedule(const internal::JsonValue& request, Inference& inference) {
  if (const auto priority = whole(parameter(request, "priority"), "priority"))
    inference.priority = static_cast<uint32_t>(std::min<uint64_t>(*priority, UINT32_MAX - 1));
  const auto timeout = whole(parameter(request, "timeout"), "timeout");
  constexpr uint64_t kLongest = 86'400'000'000;  // a day, in microseconds
  if (timeout.has_value() && *timeout != 0)
    inference.deadline = Clock::now() + std::chrono::microseconds(std::min(*timeout, kLongest));
}

/// The elements of the only input, without JSON.
InferCall raw_call(const ServedModel& model, const std::shared_ptr<const std::string>& body) {
  if (model.inputs().size() != 1)
    refuse("a raw request is for models with one input, model '" + model.name() + "' has " +
           std::to_string(model.inputs().size()));
  const coracle::TensorInfo& info = model.inputs().front();
  coracle::Dims dims = info.dims;
  size_t known = coracle_dtype_size(info.dtype);
  size_t free = 0;
  for (const int64_t d : dims) {
    if (d < 0)
      ++free;
    else
      known *= static_cast<size_t>(d);
  }
  // The batch of a model with free rows is one, if another dimension is free too.
  if (free == 2 && dims.front() < 0) {
    dims.front() = 1;
    free = 1;
  }
  if (!info.rank_known || free > 1)
    refuse("input '" + info.name + "' of model '" + model.name() +
           "' has several free dimensions, so that raw data "
           "says nothing of its shape");
  for (int64_t& d : dims) {
    if (d < 0) d = known == 0 ? 0 : static_cast<int64_t>(body->size() / known);
  }
  InferCall call;
  call.inference = std::make_shared<Inference>();
  call.inference->inputs.push_back(binary_tensor(body, 0, body->size(), info.dtype, dims, "input '" + info.name + "'"));
  for (size_t i = 0; i < model.outputs().size(); ++i) call.outputs.push_back({i, true});
  return call;
}

}  // namespace

InferCall parse_infer(const ServedModel& model, const std::shared_ptr<const std::string>& body,
                      std::optional<size_t> header_length) {
  if (header_length == 0) return raw_call(model, body);
  const size_t json_bytes = header_length.value_or(body->size());
  if (json_bytes > body->size()) {
    refuse("Inference-Header-Content-Length is " + std::to_string(json_bytes) + ", the body has " +
           std::to_string(body->size()) + " bytes");
  }
  // A value of the document takes 16 bytes, twice while its list is read; there is one before each comma.
  constexpr size_t kValue = 32;
  const auto commas = static_cast<size_t>(std::count(body->begin(), body->begin() + json_bytes, ','));
  const MemoryBudget::Share parsing = model.memory().reserve(commas * kValue, "the JSON of the request");
  const internal::JsonDocument request = parse_object({body->data(), json_bytes});
  InferCall call;
  if (const internal::JsonValue* const id = member(request, "id")) {
    if (!id->IsString()) refuse("'id' is not a text");
    call.id.assign(id->GetString(), id->GetStringLength());
  }
  call.inference = std::make_shared<Inference>();
  set_schedule(request, *call.inference);

  const internal::JsonValue* const inputs = member(request, "inputs");
  if (inputs == nullptr || !inputs->IsArray()) refuse("the request has no list 'inputs'");
  if (inputs->Size() > kMaxTensors) refuse("the request has more than " + std::to_string(kMaxTensors) + " inputs");
  std::vector<std::optional<Tensor>> given(model.inputs().size());
  size_t offset = json_bytes;
  for (const internal::JsonValue& input : inputs->GetArray()) {
    if (!input.IsObject()) refuse("one of 'inputs' is not an object");
    const std::string name = text_member(input, "name", "one of 'inputs'");
    const std::string where = "input '" + name.substr(0, 255) + "'";
    std::optional<Tensor>& own = given[index_of(model.inputs(), name, "input", model.name())];
    if (own.has_value()) refuse(where + " is given twice");
    if (const auto bytes = whole(parameter(input, "binary_data_size"), "binary_data_size")) {
      if (*bytes > body->size() - offset) {
        refuse(where + " says that it has " + std::to_string(*bytes) + " bytes of binary data, of which the body has " +
               std::to_string(body->size() - offset));
      }
      const std::string datatype = text_member(input, "datatype", where);
      const std::optional<coracle_dtype> dtype = client::dtype_of_datatype(datatype);
      if (!dtype.has_value())
        refuse(where + " has the datatype '" + datatype.substr(0, 32) + "', expected one of " +
               client::datatype_names());
      own = binary_tensor(body, offset, *bytes, *dtype, dims_of(input, where), where);
      offset += *bytes;
    } else {
      own = tensor_of(client::parse_tensor(where, input));
    }
    own->lod = lod_of(input, where);
  }
  if (offset != body->size()) {
    refuse("the body has " + std::to_string(body->size() - json_bytes) + " bytes behind its JSON, its inputs say " +
           std::to_string(offset - json_bytes));
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].has_value())
      refuse("input '" + model.inputs()[i].name + "' of model '" + model.name() + "' is missing");
    call.inference->inputs.push_back(std::move(*given[i]));
  }
  size_t own = 0;
  for (const Tensor& input : call.inference->inputs) own += input.owner == body ? 0 : input.bytes;
  call.memory = model.memory().reserve(own, "the tensors of the request");

  const bool binary = flag(parameter(request, "binary_data_output"), false, "binary_data_output");
  const internal::JsonValue* const outputs = member(request, "outputs");
  if (outputs == nullptr || (outputs->IsArray() && outputs->Empty())) {
    for (size_t i = 0; i < model.outputs().size(); ++i) call.outputs.push_back({i, binary});
    return call;
  }
  if (!outputs->IsArray() || outputs->Size() > kMaxTensors) refuse("'outputs' is not a list of outputs");
  for (const internal::JsonValue& output : outputs->GetArray()) {
    if (!output.IsObject()) refuse("one of 'outputs' is not an object");
    const std::string name = text_member(output, "name", "one of 'outputs'");
    if (parameter(output, "classification") != nullptr)
      throw Failure(Code::kUnsupported, "output '" + name + "': classification is not supported");
    call.outputs.push_back({index_of(model.outputs(), name, "output", model.name()),
                            flag(parameter(output, "binary_data"), binary, "binary_data")});
  }
  return call;
}

HttpResponse infer_response(const ServedModel& model, const InferCall& call, const Answer& answer) {
  HttpResponse response;
  response.body = internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.field("model_name", model.name());
    json.field("model_version", std::to_string(model.version()));
    if (!call.id.empty()) json.field("id", call.id);
    json.Key("outputs");
    json.StartArray();
    for (const InferCall::Output& wanted : call.outputs) {
      const std::string& name = model.outputs()[wanted.index].name;
      const Tensor& tensor = answer.outputs[wanted.index];
      if (!wanted.binary) {
        client::write_tensor(json, name, view_of(tensor));
        continue;
      }
      json.StartObject();
      json.field("name", name);
      json.field("datatype", client::datatype_of(tensor.dtype));
      json.Key("shape");
      json.StartArray();
      for (const int64_t d : tensor.dims) json.Int64(d);
      json.EndArray();
      json.Key("parameters");
      json.StartObject();
      json.field("binary_data_size", static_cast<uint64_t>(tensor.bytes));
      json.EndObject();
      json.EndObject();
      response.parts.push_back({tensor.owner, tensor.data, tensor.bytes});
    }
    json.EndArray();
    json.EndObject();
  });
  response.kept = model.memory().reserve(response.body.size(), "the answer");
  if (!response.parts.empty()) {
    response.content_type = "application/octet-stream";
    response.headers.emplace_back("Inference-Header-Content-Length", std::to_string(response.body.size()));
  }
  return response;
}

}  // namespace coracle::serve
