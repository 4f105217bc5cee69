// SPDX-License-Identifier: Apache-2.0
#include "serve/infer_call.h"

#include <algorithm>
#include <utility>

#include "client/element.h"
#include "client/tensor.h"
#include "serve/model_call.h"

namespace coracle::serve {
namespace {

constexpr size_t kMaxNames = 1024;

[[noreturn]] void refuse_call(const std::string& message) { throw Failure(Code::kInvalidArgument, message); }

size_t index_of(const std::vector<coracle::TensorInfo>& infos, const std::string& name, const char* kind,
                const std::string& model) {
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return i;
  }
  std::string names;
  for (const coracle::TensorInfo& info : infos) names += (names.empty() ? "'" : ", '") + info.name + "'";
  refuse_call("model '" + model + "' has no " + kind + " '" + name.substr(0, 255) + "'; it has " +
              (names.empty() ? "none" : names));
}

Tensor checked_tensor(InferInput&& input) {
  const std::string where = "input '" + input.name.substr(0, 255) + "'";
  const std::optional<coracle_dtype> dtype = client::dtype_of_datatype(input.datatype);
  if (!dtype.has_value()) {
    refuse_call(where + " has the datatype '" + input.datatype.substr(0, 32) + "', expected one of " +
                client::datatype_names());
  }
  if (input.shape.size() > CORACLE_MAX_RANK) {
    refuse_call(where + " has " + std::to_string(input.shape.size()) + " dimensions, at most " +
                std::to_string(CORACLE_MAX_RANK) + " are possible");
  }
  if (std::any_of(input.shape.begin(), input.shape.end(), [](int64_t size) { return size < 0; }))
    refuse_call(where + " has a shape with what is not a size: " + shape_text(input.shape));
  const std::optional<size_t> expected = client::byte_count(*dtype, input.shape);
  if (expected != input.bytes) {
    refuse_call(where + " has " + std::to_string(input.bytes) + " bytes of data, its shape and datatype need " +
                (expected.has_value() ? std::to_string(*expected) : std::string("more than memory has")));
  }
  const auto* const data = static_cast<const std::byte*>(input.data);
  if (*dtype == CORACLE_BOOL &&
      std::any_of(data, data + input.bytes, [](std::byte b) { return std::to_integer<int>(b) > 1; }))
    refuse_call(where + " has a truth value that is neither 0 nor 1");
  return {.dtype = *dtype,
          .dims = std::move(input.shape),
          .lod = std::move(input.lod),
          .owner = std::move(input.owner),
          .data = data,
          .bytes = input.bytes};
}

InferencePtr inference_of(const ServedModel& model, InferRequest&& request) {
  const std::vector<coracle::TensorInfo>& infos = model.inputs();
  if (std::max(request.inputs.size(), request.outputs.size()) > kMaxNames)
    refuse_call("the request has more than " + std::to_string(kMaxNames) + " inputs or outputs");
  std::vector<std::optional<Tensor>> given(infos.size());
  for (InferInput& input : request.inputs) {
    std::optional<Tensor>& own = given[index_of(infos, input.name, "input", model.name())];
    if (own.has_value()) refuse_call("input '" + input.name.substr(0, 255) + "' is given twice");
    own = checked_tensor(std::move(input));
  }
  auto inference = std::make_shared<Inference>();
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].has_value()) refuse_call("input '" + infos[i].name + "' of model '" + model.name() + "' is missing");
    inference->inputs.push_back(std::move(*given[i]));
  }
  constexpr uint64_t kLongest = 86'400'000'000;  // a day, in microseconds
  inference->priority = static_cast<uint32_t>(std::min<uint64_t>(request.priority, UINT32_MAX - 1));
  inference->deadline = request.deadline;
  if (request.timeout_us != 0) {
    const Clock::time_point end = Clock::now() + std::chrono::microseconds(std::min(request.timeout_us, kLongest));
    inference->deadline = std::min(request.deadline.value_or(end), end);
  }
  return inference;
}

/// The outputs that a request names, by their places among the model's.
std::vector<size_t> wanted_outputs(const ServedModel& model, const InferRequest& request) {
  std::vector<size_t> wanted;
  for (const std::string& name : request.outputs)
    wanted.push_back(index_of(model.outputs(), name, "output", model.name()));
  for (size_t i = 0; request.outputs.empty() && i < model.outputs().size(); ++i) wanted.push_back(i);
  return wanted;
}

InferAnswer answer_of(const ServedModel& model, const std::vector<size_t>& wanted, const Answer& answer) {
  InferAnswer given{
      .model = model.name(), .version = std::to_string(model.version()), .outputs = {}, .failure = answer.failure};
  if (answer.failure.has_value()) return given;
  for (const size_t index : wanted) {
    const Tensor& tensor = answer.outputs[index];
    given.outputs.push_back({model.outputs()[index].name, client::datatype_of(tensor.dtype), tensor});
  }
  return given;
}

}  // namespace

Cancel start_inference(const std::shared_ptr<ServedModel>& model, InferRequest request, Clock::time_point received,
                       const Answered& answered) {
  InferencePtr inference;
  std::vector<size_t> wanted;
  const std::shared_ptr<const void> kept = request.kept;
  const std::shared_ptr<RequestRecord> record = request.record;
  try {
    wanted = wanted_outputs(*model, request);
    inference = inference_of(*model, std::move(request));
  } catch (const Failure& failure) {
    model->refused(record.get(), failure.code());
    throw;
  }
  inference->record = record;
  return run_model(model, inference, received,
                   [model, wanted = std::move(wanted), answered, kept](const Answer& answer) {
                     InferAnswer given;
                     try {
                       given = answer_of(*model, wanted, answer);
                     } catch (const std::exception& e) {
                       given.failure = Failure(Code::kUnavailable, e.what());
                     }
                     answered(given);
                   });
}

}  // namespace coracle::serve
