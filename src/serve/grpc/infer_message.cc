// SPDX-License-Identifier: Apache-2.0
#include "serve/grpc/infer_message.h"

#include <google/protobuf/io/coded_stream.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "serve/grpc/rpc_status.h"
#include "serve/lod_json.h"

namespace coracle::serve {
namespace {

using google::protobuf::io::CodedOutputStream;
using Contents = inference::InferTensorContents;
using Parameters = google::protobuf::Map<std::string, inference::InferParameter>;

/// Tensors from this size on are sent from where they are; to copy smaller ones costs less.
constexpr size_t kCopied = 4096;

[[noreturn]] void refuse_message(const std::string& message) { throw Failure(Code::kInvalidArgument, message); }

const inference::InferParameter* find_parameter(const Parameters& parameters, const char* name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? nullptr : &found->second;
}

/// An integer from 0 on; 0 where there is no such parameter.
uint64_t whole_parameter(const Parameters& parameters, const char* name) {
  const inference::InferParameter* const found = find_parameter(parameters, name);
  if (found == nullptr) return 0;
  if (found->parameter_choice_case() == inference::InferParameter::kUint64Param) return found->uint64_param();
  if (found->parameter_choice_case() == inference::InferParameter::kInt64Param && found->int64_param() >= 0)
    return static_cast<uint64_t>(found->int64_param());
  refuse_message(std::string("the parameter '") + name + "' is not an integer from 0 on");
}

void refuse_shared_memory(const Parameters& parameters, const std::string& where) {
  if (find_parameter(parameters, "shared_memory_region") != nullptr)
    throw Failure(Code::kUnsupported, where + ": shared memory is not supported");
}

/// The elements of a field as the type that a datatype has: where they are, or in a copy of their own.
template <class T, class Field>
void set_elements(InferInput& input, const Field& field, const std::string& where) {
  using Element = typename Field::value_type;
  input.bytes = static_cast<size_t>(field.size()) * sizeof(T);
  if constexpr (std::is_same_v<T, Element>) {
    input.data = field.data();
  } else {
    auto copy = std::make_shared<std::vector<T>>();
    copy->reserve(static_cast<size_t>(field.size()));
    for (const Element element : field) {
      if (element < std::numeric_limits<T>::min() || element > std::numeric_limits<T>::max())
        refuse_message(where + " has the element " + std::to_string(element) + ", which " + input.datatype +
                       " does not hold");
      copy->push_back(static_cast<T>(element));
    }
    input.data = copy->data();
    input.owner = std::move(copy);
  }
}

/// The elements of the field that is for the datatype; none for datatypes that there are not.
void set_contents(InferInput& input, const Contents& contents, const std::string& where) {
  const std::string& type = input.datatype;
  if (type == "BOOL") return set_elements<bool>(input, contents.bool_contents(), where);
  if (type == "INT8") return set_elements<int8_t>(input, contents.int_contents(), where);
  if (type == "INT16") return set_elements<int16_t>(input, contents.int_contents(), where);
  if (type == "INT32") return set_elements<int32_t>(input, contents.int_contents(), where);
  if (type == "INT64") return set_elements<int64_t>(input, contents.int64_contents(), where);
  if (type == "UINT8") return set_elements<uint8_t>(input, contents.uint_contents(), where);
  if (type == "UINT16") return set_elements<uint16_t>(input, contents.uint_contents(), where);
  if (type == "UINT32") return set_elements<uint32_t>(input, contents.uint_contents(), where);
  if (type == "UINT64") return set_elements<uint64_t>(input, contents.uint64_contents(), where);
  if (type == "FP32") return set_elements<float>(input, contents.fp32_contents(), where);
  if (type == "FP64") return set_elements<double>(input, contents.fp64_contents(), where);
  if (type == "FP16" || type == "BF16")
    refuse_message(where + " is " + type + ", whose elements are given in raw_input_contents");
}

/// The tag of a field that is a message or bytes, and the length of what follows.
void put_length(std::string& head, uint32_t field, uint64_t bytes) {
  uint8_t text[16];
  uint8_t* const end = CodedOutputStream::WriteVarint64ToArray(
      bytes, CodedOutputStream::WriteVarint32ToArray(field << 3U | 2U, static_cast<uint8_t*>(text)));
  head.append(reinterpret_cast<const char*>(text), static_cast<size_t>(end - text));
}

size_t length_bytes(uint64_t bytes) { return 1 + CodedOutputStream::VarintSize64(bytes); }

/// Gathers slices, small things into common ones.
class Slices {
 public:
  std::string text;

  void add(const Tensor& tensor) {
    if (tensor.bytes < kCopied) {
      if (tensor.bytes != 0) text.append(reinterpret_cast<const char*>(tensor.data), tensor.bytes);
      return;
    }
    flush();
    auto owner = std::make_unique<std::shared_ptr<const void>>(tensor.owner);
    slices_.emplace_back(
        const_cast<std::byte*>(tensor.data), tensor.bytes,  // nobody writes to it
        [](void* kept) { delete static_cast<std::shared_ptr<const void>*>(kept); }, owner.get());
    static_cast<void>(owner.release());
  }
  grpc::ByteBuffer take() {
    flush();
    return {slices_.data(), slices_.size()};
  }

 private:
  void flush() {
    if (!text.empty() || slices_.empty()) slices_.emplace_back(text);
    text.clear();
  }
  std::vector<grpc::Slice> slices_;
};

}  // namespace

RequestMessage parse_request(grpc::ByteBuffer& bytes) {
  auto message = std::make_shared<inference::ModelInferRequest>();
  bool parsed = false;
  {
    grpc::ProtoBufferReader reader(&bytes);
    parsed = reader.status().ok() && message->ParseFromZeroCopyStream(&reader);
  }
  bytes.Clear();
  if (!parsed) refuse_message("the message is not an inference.ModelInferRequest");
  return message;
}

InferRequest infer_request(const RequestMessage& message) {
  InferRequest request;
  const bool raw = message->raw_input_contents_size() != 0;
  if (raw && message->raw_input_contents_size() != message->inputs_size()) {
    refuse_message("the request has " + std::to_string(message->raw_input_contents_size()) +
                   " raw_input_contents, expected one for each of its " + std::to_string(message->inputs_size()) +
                   " inputs");
  }
  for (int i = 0; i < message->inputs_size(); ++i) {
    const auto& given = message->inputs(i);
    const std::string where = "input '" + given.name().substr(0, 255) + "'";
    InferInput& input = request.inputs.emplace_back();
    input.name = given.name();
    input.datatype = given.datatype();
    input.shape.assign(given.shape().begin(), given.shape().end());
    input.owner = message;
    refuse_shared_memory(given.parameters(), where);
    if (const inference::InferParameter* const lod = find_parameter(given.parameters(), "lod"))
      input.lod = parse_lod(lod->string_param(), where);
    if (!raw) {
      set_contents(input, given.contents(), where);
      continue;
    }
    if (given.has_contents()) refuse_message(where + " has contents, and the request has raw_input_contents too");
    input.data = message->raw_input_contents(i).data();
    input.bytes = message->raw_input_contents(i).size();
  }
  for (const auto& output : message->outputs()) {
    const std::string where = "output '" + output.name().substr(0, 255) + "'";
    if (find_parameter(output.parameters(), "classification") != nullptr)
      throw Failure(Code::kUnsupported, where + ": classification is not supported");
    refuse_shared_memory(output.parameters(), where);
    request.outputs.push_back(output.name());
  }
  request.priority = whole_parameter(message->parameters(), "priority");
  request.timeout_us = whole_parameter(message->parameters(), "timeout");
  return request;
}

grpc::ByteBuffer response_bytes(const InferAnswer& answer, const std::string& id, bool streamed) {
  inference::ModelInferResponse head;
  head.set_model_name(answer.model);
  head.set_model_version(answer.version);
  head.set_id(id);
  uint64_t raw = 0;
  for (const InferOutput& output : answer.outputs) {
    auto* const added = head.add_outputs();
    added->set_name(output.name);
    added->set_datatype(output.datatype);
    for (const int64_t d : output.tensor.dims) added->add_shape(d);
    raw += length_bytes(output.tensor.bytes) + output.tensor.bytes;
  }
  const uint64_t all = head.ByteSizeLong() + raw;
  if (all > std::numeric_limits<int32_t>::max() - kCopied) {
    throw Failure(Code::kUnsupported,
                  "the answer has " + std::to_string(all) + " bytes; messages of gRPC have less than 2 GiB");
  }
  Slices slices;
  if (streamed) put_length(slices.text, inference::ModelStreamInferResponse::kInferResponseFieldNumber, all);
  head.AppendToString(&slices.text);
  for (const InferOutput& output : answer.outputs) {
    put_length(slices.text, inference::ModelInferResponse::kRawOutputContentsFieldNumber, output.tensor.bytes);
    slices.add(output.tensor);
  }
  return slices.take();
}

grpc::ByteBuffer error_bytes(const Failure& failure, const std::string& id) {
  inference::ModelStreamInferResponse response;
  response.set_error_message(field_text(failure.what()));
  response.mutable_infer_response()->set_id(id);
  const grpc::Slice slice(response.SerializeAsString());
  return {&slice, 1};
}

}  // namespace coracle::serve
