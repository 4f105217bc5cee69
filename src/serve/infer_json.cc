// SPDX-License-Identifier: Apache-2.0
#include "serve/infer_json.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "client/element.h"
#include "client/tensor_json.h"
#include "serve/json_request.h"
#include "serve/lod_json.h"

namespace coracle::serve {
namespace {

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

coracle::Dims dims_of(const internal::JsonValue& object, const std::string& where) {
  const internal::JsonValue* const shape = member(object, "shape");
  if (shape == nullptr || !shape->IsArray()) refuse(where + " has no list 'shape'");
  coracle::Dims dims;
  for (const internal::JsonValue& size : shape->GetArray()) {
    if (!size.IsInt64() || size.GetInt64() < 0) refuse(where + " has a shape with what is not a size");
    dims.push_back(size.GetInt64());
  }
  return dims;
}

/// A part of the body.
void set_data(InferInput& input, const std::shared_ptr<const std::string>& body, size_t offset, size_t bytes) {
  input.owner = body;
  input.data = body->data() + offset;
  input.bytes = bytes;
}

void set_data(InferInput& input, client::Tensor tensor) {
  const auto kept = std::make_shared<client::Tensor>(std::move(tensor));
  input.datatype = client::datatype_of(kept->dtype);
  input.shape = kept->dims;
  input.owner = kept;
  input.data = kept->bytes.data();
  input.bytes = kept->bytes.size();
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
  InferInput& input = call.request.inputs.emplace_back();
  input.name = info.name;
  input.datatype = client::datatype_of(info.dtype);
  input.shape = std::move(dims);
  set_data(input, body, 0, body->size());
  call.form.all_binary = true;
  call.form.memory = model.memory();
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
    call.form.id.assign(id->GetString(), id->GetStringLength());
  }
  call.request.priority = whole(parameter(request, "priority"), "priority").value_or(0);
  call.request.timeout_us = whole(parameter(request, "timeout"), "timeout").value_or(0);

  const internal::JsonValue* const inputs = member(request, "inputs");
  if (inputs == nullptr || !inputs->IsArray()) refuse("the request has no list 'inputs'");
  size_t offset = json_bytes;
  for (const internal::JsonValue& value : inputs->GetArray()) {
    if (!value.IsObject()) refuse("one of 'inputs' is not an object");
    InferInput& input = call.request.inputs.emplace_back();
    input.name = text_member(value, "name", "one of 'inputs'");
    const std::string where = "input '" + input.name.substr(0, 255) + "'";
    if (const auto bytes = whole(parameter(value, "binary_data_size"), "binary_data_size")) {
      if (*bytes > body->size() - offset) {
        refuse(where + " says that it has " + std::to_string(*bytes) + " bytes of binary data, of which the body has " +
               std::to_string(body->size() - offset));
      }
      input.datatype = text_member(value, "datatype", where);
      input.shape = dims_of(value, where);
      set_data(input, body, offset, *bytes);
      offset += *bytes;
    } else {
      set_data(input, client::parse_tensor(where, value));
    }
    if (const internal::JsonValue* const levels = parameter(value, "lod")) input.lod = lod_of(*levels, where);
  }
  if (offset != body->size()) {
    refuse("the body has " + std::to_string(body->size() - json_bytes) + " bytes behind its JSON, its inputs say " +
           std::to_string(offset - json_bytes));
  }
  size_t own = 0;
  for (const InferInput& input : call.request.inputs) own += input.owner == body ? 0 : input.bytes;
  call.request.kept = model.memory().reserve(own, "the tensors of the request");
  call.form.memory = model.memory();
  call.form.all_binary = flag(parameter(request, "binary_data_output"), false, "binary_data_output");
  const internal::JsonValue* const outputs = member(request, "outputs");
  if (outputs == nullptr) return call;
  if (!outputs->IsArray()) refuse("'outputs' is not a list of outputs");
  for (const internal::JsonValue& output : outputs->GetArray()) {
    if (!output.IsObject()) refuse("one of 'outputs' is not an object");
    const std::string name = text_member(output, "name", "one of 'outputs'");
    if (parameter(output, "classification") != nullptr)
      throw Failure(Code::kUnsupported, "output '" + name + "': classification is not supported");
    call.request.outputs.push_back(name);
    call.form.binary.push_back(flag(parameter(output, "binary_data"), call.form.all_binary, "binary_data"));
  }
  return call;
}

HttpResponse infer_response(const AnswerForm& form, const InferAnswer& answer) {
  HttpResponse response;
  response.body = internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.field("model_name", answer.model);
    json.field("model_version", answer.version);
    if (!form.id.empty()) json.field("id", form.id);
    json.Key("outputs");
    json.StartArray();
    for (size_t i = 0; i < answer.outputs.size(); ++i) {
      const auto& [name, datatype, tensor] = answer.outputs[i];
      if (!(form.binary.empty() ? form.all_binary : form.binary[i])) {
        client::write_tensor(json, name, view_of(tensor));
        continue;
      }
      json.StartObject();
      json.field("name", name);
      json.field("datatype", datatype);
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
  response.kept = form.memory.reserve(response.body.size(), "the answer");
  if (!response.parts.empty()) {
    response.content_type = "application/octet-stream";
    response.headers.emplace_back("Inference-Header-Content-Length", std::to_string(response.body.size()));
  }
  return response;
}

}  // namespace coracle::serve
