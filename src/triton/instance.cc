// SPDX-License-Identifier: Apache-2.0
#include "triton/instance.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "triton/datatype.h"
#include "triton/failure.h"

namespace coracle::triton {
namespace {

uint64_t now_ns() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

/// Throws a Failure for memory that the processor cannot read.
void check_memory(TRITONSERVER_MemoryType memory, const std::string& what) {
  if (memory == TRITONSERVER_MEMORY_GPU)
    throw Failure(TRITONSERVER_ERROR_UNSUPPORTED,
                  what + " is in memory of a GPU, expected the CPU's: send and take it without CUDA's shared memory");
}

void append(TRITONBACKEND_Request* request, const TensorInfo& info, const InputHead& head,
            std::vector<std::byte>& bytes) {
  TRITONBACKEND_Input* input = nullptr;
  check(TRITONBACKEND_RequestInput(request, info.name.c_str(), &input));
  uint32_t buffers = 0;
  check(TRITONBACKEND_InputProperties(input, nullptr, nullptr, nullptr, nullptr, nullptr, &buffers));
  const size_t begin = bytes.size();
  for (uint32_t i = 0; i < buffers; ++i) {
    const void* data = nullptr;
    uint64_t size = 0;
    TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
    int64_t memory_id = 0;
    check(TRITONBACKEND_InputBuffer(input, i, &data, &size, &memory, &memory_id));
    check_memory(memory, "input '" + info.name + "'");
    const auto* first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
  size_t expected = coracle_dtype_size(head.dtype);
  for (const int64_t d : head.dims) expected *= static_cast<size_t>(d);
  if (bytes.size() - begin != expected)
    throw Failure(TRITONSERVER_ERROR_INVALID_ARG, "input '" + info.name + "' has " +
                                                      std::to_string(bytes.size() - begin) + " bytes, expected " +
                                                      std::to_string(expected) + " for its shape");
  if (head.dtype != CORACLE_BOOL) return;
  for (size_t i = begin; i < bytes.size(); ++i) bytes[i] = bytes[i] == std::byte{0} ? std::byte{0} : std::byte{1};
}

std::vector<std::string> wanted_outputs(TRITONBACKEND_Request* request) {
  uint32_t count = 0;
  check(TRITONBACKEND_RequestOutputCount(request, &count));
  std::vector<std::string> names;
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    check(TRITONBACKEND_RequestOutputName(request, i, &name));
    names.emplace_back(name);
  }
  return names;
}

void send(TRITONBACKEND_Response* response, TRITONSERVER_Error* error) {
  log_failure(TRITONBACKEND_ResponseSend(response, kResponseFinal, error));
  if (error != nullptr) TRITONSERVER_ErrorDelete(error);
}

void add_output(TRITONBACKEND_Response* response, const std::string& name, const View& view, int64_t row, int64_t rows,
                bool alone) {
  Dims dims = view.dims();
  size_t bytes = view.bytes();
  const auto* data = static_cast<const std::byte*>(view.raw());
  if (!alone) {
    const size_t row_bytes = bytes / static_cast<size_t>(std::max<int64_t>(dims[0], 1));
    data += row_bytes * static_cast<size_t>(row);
    bytes = row_bytes * static_cast<size_t>(rows);
    dims[0] = rows;
  }
  TRITONBACKEND_Output* output = nullptr;
  check(TRITONBACKEND_ResponseOutput(response, &output, name.c_str(), datatype_of(view.dtype(), name).type, dims.data(),
                                     static_cast<uint32_t>(dims.size())));
  void* target = nullptr;
  TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
  int64_t memory_id = 0;
  check(TRITONBACKEND_OutputBuffer(output, &target, bytes, &memory, &memory_id));
  check_memory(memory, "output '" + name + "'");
  if (bytes != 0) std::memcpy(target, data, bytes);
}

}  // namespace

Instance::Instance(TRITONBACKEND_ModelInstance* handle, const ModelState& model)
    : handle_(handle), model_(model), session_(model.model, model.session), bytes_(model.inputs.size()) {}

Instance::Waiting Instance::read(TRITONBACKEND_Request* request) const {
  Waiting waiting{.request = request};
  for (size_t i = 0; i < model_.inputs.size(); ++i) {
    const std::string& name = model_.inputs[i].name;
    TRITONBACKEND_Input* input = nullptr;
    check(TRITONBACKEND_RequestInput(request, name.c_str(), &input));
    TRITONSERVER_DataType type = TRITONSERVER_TYPE_INVALID;
    const int64_t* dims = nullptr;
    uint32_t rank = 0;
    check(TRITONBACKEND_InputProperties(input, nullptr, &type, &dims, &rank, nullptr, nullptr));
    waiting.inputs.push_back({datatype_of(type, name).dtype, Dims(dims, dims + rank)});
    if (!model_.batched) continue;
    const int64_t rows = rank == 0 ? 0 : dims[0];
    if (rank == 0 || (i > 0 && rows != waiting.rows))
      throw Failure(TRITONSERVER_ERROR_INVALID_ARG, "input '" + name + "' has " + std::to_string(rows) +
                                                        " rows, expected " + std::to_string(waiting.rows) +
                                                        " as the first input has");
    waiting.rows = rows;
  }
  return waiting;
}

bool Instance::together(const Waiting& a, const Waiting& b) const {
  return model_.batched &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), [](const InputHead& x, const InputHead& y) {
           return x.dtype == y.dtype && x.dims.size() == y.dims.size() &&
                  std::equal(x.dims.begin() + 1, x.dims.end(), y.dims.begin() + 1);
         });
}

void Instance::gather(const std::vector<Waiting>& batch, size_t input, std::vector<std::byte>& bytes) const {
  bytes.clear();
  for (const Waiting& waiting : batch) append(waiting.request, model_.inputs[input], waiting.inputs[input], bytes);
}

Instance::Times Instance::compute(const std::vector<Waiting>& batch, int64_t rows) {
  Times times{.begin = now_ns()};
  for (size_t i = 0; i < model_.inputs.size(); ++i) {
    gather(batch, i, bytes_[i]);
    InputHead head = batch.front().inputs[i];
    if (model_.batched) head.dims[0] = rows;
    check(coracle_session_borrow_input(session_.handle(), i, head.dtype, static_cast<int32_t>(head.dims.size()),
                                       head.dims.data(), bytes_[i].data()));
  }
  times.compute_begin = now_ns();
  session_.run();
  times.compute_end = now_ns();
  for (size_t i = 0; batch.size() > 1 && i < model_.outputs.size(); ++i) {
    const Dims dims = session_.output(i).dims();
    if (dims.empty() || dims[0] != rows)
      throw Failure(TRITONSERVER_ERROR_INTERNAL,
                    "output '" + model_.outputs[i].name + "' does not have the rows of its batch");
  }
  return times;
}

bool Instance::answer(const Waiting& waiting, int64_t row, bool alone) const {
  const std::vector<std::string> wanted = wanted_outputs(waiting.request);
  TRITONBACKEND_Response* response = nullptr;
  check(TRITONBACKEND_ResponseNew(&response, waiting.request));
  std::optional<Failure> failure;
  try {
    for (size_t i = 0; i < model_.outputs.size(); ++i) {
      const std::string& name = model_.outputs[i].name;
      if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
      add_output(response, name, session_.output(i), row, waiting.rows, alone);
    }
  } catch (...) {
    failure = current_failure();
  }
  send(response, failure ? error_of(*failure) : nullptr);
  return !failure.has_value();
}

void Instance::finish(TRITONBACKEND_Request* request, bool succeeded, const Times& times) const {
  log_failure(TRITONBACKEND_ModelInstanceReportStatistics(handle_, request, succeeded, times.begin, times.compute_begin,
                                                          times.compute_end, now_ns()));
  log_failure(TRITONBACKEND_RequestRelease(request, kReleaseAll));
}

void Instance::refuse(TRITONBACKEND_Request* request) const {
  const Failure failure = current_failure();
  TRITONBACKEND_Response* response = nullptr;
  TRITONSERVER_Error* error = TRITONBACKEND_ResponseNew(&response, request);
  if (error == nullptr) send(response, error_of(failure));
  log_failure(error);
  finish(request, false, {});
}

bool Instance::run(const std::vector<Waiting>& batch) {
  int64_t rows = 0;
  for (const Waiting& waiting : batch) rows += waiting.rows;
  Times times;
  try {
    times = compute(batch, rows);
  } catch (...) {
    if (batch.size() > 1) return false;
    refuse(batch.front().request);
    return true;
  }
  int64_t row = 0;
  for (const Waiting& waiting : batch) {
    try {
      const bool succeeded = answer(waiting, row, batch.size() == 1);
      finish(waiting.request, succeeded, times);
    } catch (...) {
      refuse(waiting.request);
    }
    row += waiting.rows;
  }
  log_failure(
      TRITONBACKEND_ModelInstanceReportBatchStatistics(handle_, static_cast<uint64_t>(std::max<int64_t>(rows, 1)),
                                                       times.begin, times.compute_begin, times.compute_end, now_ns()));
  return true;
}

void Instance::execute(const std::vector<TRITONBACKEND_Request*>& requests) {
  std::vector<std::vector<Waiting>> batches;
  for (TRITONBACKEND_Request* request : requests) {
    try {
      Waiting waiting = read(request);
      const auto mates = std::find_if(batches.begin(), batches.end(),
                                      [&](const auto& batch) { return together(batch.front(), waiting); });
      if (mates != batches.end()) {
        mates->push_back(std::move(waiting));
      } else {
        batches.push_back({std::move(waiting)});
      }
    } catch (...) {
      refuse(request);
    }
  }
  for (const std::vector<Waiting>& batch : batches) {
    if (run(batch)) continue;
    for (const Waiting& waiting : batch) run({waiting});
  }
}

}  // namespace coracle::triton
