// SPDX-License-Identifier: Apache-2.0
#include "serve/served_model.h"

#include <utility>

#include "client/element.h"
#include "serve/request_record.h"

namespace coracle::serve {

void ServedModel::describe(ModelConfig config, std::vector<coracle::TensorInfo> inputs,
                           std::vector<coracle::TensorInfo> outputs, int64_t most_rows) {
  config_ = std::move(config);
  inputs_ = std::move(inputs);
  outputs_ = std::move(outputs);
  most_rows_ = most_rows;
}

void ServedModel::check(const Inference& request) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const coracle::TensorInfo& info = inputs_[i];
    const Tensor& tensor = request.inputs[i];
    if (tensor.dtype != info.dtype) {
      throw Failure(Code::kInvalidArgument, "input '" + info.name + "' of model '" + name_ + "' has the datatype " +
                                                client::datatype_of(info.dtype) + ", the request says " +
                                                client::datatype_of(tensor.dtype));
    }
    bool fits = !info.rank_known || tensor.dims.size() == info.dims.size();
    for (size_t d = 0; fits && info.rank_known && d < info.dims.size(); ++d)
      fits = info.dims[d] < 0 || info.dims[d] == tensor.dims[d];
    if (!fits) {
      throw Failure(Code::kInvalidArgument, "input '" + info.name + "' of model '" + name_ + "' has the shape " +
                                                shape_text(info.dims) + " (-1: any size), the request says " +
                                                shape_text(tensor.dims));
    }
  }
  if (most_rows_ == 0) return;
  const std::optional<int64_t> rows = rows_of(request);
  if (rows.has_value() && *rows > most_rows_) {
    throw Failure(Code::kInvalidArgument, "the request has " + std::to_string(*rows) + " rows, model '" + name_ +
                                              "' takes " + std::to_string(most_rows_) + " (max_batch_size)");
  }
}

void ServedModel::infer(InferencePtr request) {
  const std::shared_ptr<RequestRecord> record = request->record;
  try {
    check(*request);
    submit(std::move(request));
  } catch (const Failure& failure) {
    refused(record.get(), failure.code());
    throw;
  }
}

void ServedModel::refused(RequestRecord* record, Code code) {
  statistics_.add_failure(code);
  if (record != nullptr) add_run(*record, {}, true);
}

void ServedModel::add_run(RequestRecord& record, const Timeline& times, bool failed) const {
  record.add({.model = name_, .version = version_, .times = times, .failed = failed});
}

}  // namespace coracle::serve
