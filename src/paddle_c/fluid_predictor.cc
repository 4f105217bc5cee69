// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>
#include <utility>

#include "paddle_c/fluid.h"

namespace coracle::paddle_c {
namespace {

size_t count_of(int size, const char* name) {
  if (size < 0) throw Misuse(std::string("argument '") + name + "' is negative");
  return static_cast<size_t>(size);
}

void* allocated(size_t bytes) {
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* copied_bytes(const void* data, size_t bytes) {
  void* memory = allocated(bytes);
  if (bytes != 0) std::memcpy(memory, data, bytes);
  return memory;
}

/// Makes room where there is too little, and copies.
void fill(PD_Buffer& buffer, const void* data, size_t bytes) {
  if (buffer.data == nullptr || buffer.capacity < bytes) {
    void* grown = allocated(bytes);
    std::free(buffer.data);
    buffer.data = grown;
    buffer.capacity = bytes;
  }
  if (bytes != 0) std::memcpy(buffer.data, data, bytes);
  buffer.length = bytes;
}

/// The predictor of a configuration.
paddle::PaddlePredictor& predictor_of(const PD_AnalysisConfig& config) {
  if (config.predictor == nullptr) config.predictor = paddle::CreatePaddlePredictor(config.config);
  return *config.predictor;
}

/// Outputs as callers of C get them, freed where there is no memory for all of them.
class Outputs {
 public:
  explicit Outputs(size_t count) : all_(static_cast<PD_ZeroCopyData*>(allocated(count * sizeof(PD_ZeroCopyData)))) {}
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;
  ~Outputs() {
    if (all_ == nullptr) return;
    for (size_t i = 0; i < made_; ++i) {
      std::free(all_[i].name);
      std::free(all_[i].data);
      std::free(all_[i].shape);
    }
    std::free(all_);
  }

  void add(const std::string& name, const Output& output) {
    PD_ZeroCopyData& to = all_[made_++] = {};
    to.name = static_cast<char*>(copied_bytes(name.c_str(), name.size() + 1));
    to.data = copied_bytes(output.data, output.bytes);
    to.dtype = output.type;
    to.shape = static_cast<int*>(copied_bytes(output.shape.data(), output.shape.size() * sizeof(int)));
    to.shape_size = static_cast<int>(output.shape.size());
  }
  PD_ZeroCopyData* release() { return std::exchange(all_, nullptr); }

 private:
  PD_ZeroCopyData* all_;
  size_t made_ = 0;
};

template <class T>
void copy_from(paddle::ZeroCopyTensor& tensor, const void* data) {
  tensor.copy_from_cpu(static_cast<const T*>(data));
}

const char* name_at(const char* call, const std::vector<std::string>& names, int index) {
  return guard(call, static_cast<const char*>(nullptr), [&] {
    if (index < 0 || static_cast<size_t>(index) >= names.size()) {
      throw Misuse("there is no number " + std::to_string(index) + " of " + std::to_string(names.size()));
    }
    return names[static_cast<size_t>(index)].c_str();
  });
}

}  // namespace

void set_input(paddle::PaddlePredictor& predictor, const std::string& name, PD_DataType type, const int* shape,
               size_t rank, const void* data, const std::vector<std::vector<size_t>>& lod) {
  const std::unique_ptr<paddle::ZeroCopyTensor> tensor = predictor.GetInputTensor(name);
  if (rank != 0) given(shape, "shape");
  tensor->Reshape(std::vector<int>(shape, shape + rank));
  switch (paddle_type_of(type)) {
    case paddle::PaddleDType::INT32: copy_from<int32_t>(*tensor, data); break;
    case paddle::PaddleDType::INT64: copy_from<int64_t>(*tensor, data); break;
    case paddle::PaddleDType::UINT8: copy_from<uint8_t>(*tensor, data); break;
    default: copy_from<float>(*tensor, data); break;
  }
  tensor->SetLoD(lod);
}

Output output_of(paddle::PaddlePredictor& predictor, const std::string& name) {
  const std::unique_ptr<paddle::ZeroCopyTensor> tensor = predictor.GetOutputTensor(name);
  Output out;
  out.type = fluid_type_of(tensor->type());
  out.shape = tensor->shape();
  out.lod = tensor->lod();
  paddle_infer::PlaceType place = paddle_infer::PlaceType::kUNK;
  int elements = 0;
  switch (out.type) {
    case PD_FLOAT32: out.data = tensor->data<float>(&place, &elements); break;
    case PD_INT32: out.data = tensor->data<int32_t>(&place, &elements); break;
    case PD_INT64: out.data = tensor->data<int64_t>(&place, &elements); break;
    case PD_UINT8: out.data = tensor->data<uint8_t>(&place, &elements); break;
    case PD_UNKDTYPE: throw Misuse("output '" + name + "' has elements of a type that this interface has no name for");
  }
  out.bytes = static_cast<size_t>(elements) * static_cast<size_t>(paddle::PaddleDtypeSize(tensor->type()));
  return out;
}

}  // namespace coracle::paddle_c

using coracle::paddle_c::count_of;
using coracle::paddle_c::fill;
using coracle::paddle_c::given;
using coracle::paddle_c::guard;
using coracle::paddle_c::name_at;
using coracle::paddle_c::output_of;
using coracle::paddle_c::predictor_of;
using coracle::paddle_c::set_input;
using coracle::paddle_c::text;

extern "C" {

bool PD_PredictorRun(const PD_AnalysisConfig* config, PD_Tensor* inputs, int in_size, PD_Tensor** output_data,
                     int* out_size, int batch_size) {
  return guard(__func__, false, [&] {
    std::vector<paddle::PaddleTensor> in;
    const size_t count = count_of(in_size, "in_size");
    if (count != 0) given(inputs, "inputs");
    for (size_t i = 0; i < count; ++i) in.push_back(inputs[i].tensor);
    given(output_data, "output_data");
    given(out_size, "out_size");
    std::vector<paddle::PaddleTensor> out;
    if (!predictor_of(given(config, "config")).Run(in, &out, batch_size)) return false;
    auto results = std::make_unique<PD_Tensor[]>(out.size());
    for (size_t i = 0; i < out.size(); ++i) results[i].tensor = std::move(out[i]);
    *output_data = results.release();
    *out_size = static_cast<int>(out.size());
    return true;
  });
}

bool PD_PredictorZeroCopyRun(const PD_AnalysisConfig* config, PD_ZeroCopyData* inputs, int in_size,
                             PD_ZeroCopyData** output, int* out_size) {
  return guard(__func__, false, [&] {
    paddle::PaddlePredictor& predictor = predictor_of(given(config, "config"));
    given(output, "output");
    given(out_size, "out_size");
    const size_t count = count_of(in_size, "in_size");
    const size_t expected = predictor.GetInputNames().size();
    if (count != expected) {
      throw coracle::paddle_c::Misuse("the model has " + std::to_string(expected) + " inputs, given " +
                                      std::to_string(count));
    }
    if (count != 0) given(inputs, "inputs");
    for (size_t i = 0; i < count; ++i) {
      const PD_ZeroCopyData& each = inputs[i];
      set_input(predictor, text(each.name, "name"), each.dtype, each.shape, count_of(each.shape_size, "shape_size"),
                each.data, {});
    }
    if (!predictor.ZeroCopyRun()) return false;
    const std::vector<std::string> names = predictor.GetOutputNames();
    coracle::paddle_c::Outputs outputs(names.size());
    for (const std::string& name : names) outputs.add(name, output_of(predictor, name));
    *output = outputs.release();
    *out_size = static_cast<int>(names.size());
    return true;
  });
}

PD_Predictor* PD_NewPredictor(const PD_AnalysisConfig* config) {
  return guard(__func__, static_cast<PD_Predictor*>(nullptr),
               [&] { return new PD_Predictor(paddle::CreatePaddlePredictor(given(config, "config").config)); });
}
void PD_DeletePredictor(PD_Predictor* predictor) { delete predictor; }
PD_Predictor* PD_ClonePredictor(const PD_Predictor* predictor) {
  return guard(__func__, static_cast<PD_Predictor*>(nullptr),
               [&] { return new PD_Predictor(given(predictor, "predictor").predictor->Clone()); });
}
int PD_GetInputNum(const PD_Predictor* predictor) {
  return guard(__func__, 0, [&] { return static_cast<int>(given(predictor, "predictor").inputs.size()); });
}
int PD_GetOutputNum(const PD_Predictor* predictor) {
  return guard(__func__, 0, [&] { return static_cast<int>(given(predictor, "predictor").outputs.size()); });
}
const char* PD_GetInputName(const PD_Predictor* predictor, int index) {
  return guard(__func__, static_cast<const char*>(nullptr),
               [&] { return name_at("PD_GetInputName", given(predictor, "predictor").inputs, index); });
}
const char* PD_GetOutputName(const PD_Predictor* predictor, int index) {
  return guard(__func__, static_cast<const char*>(nullptr),
               [&] { return name_at("PD_GetOutputName", given(predictor, "predictor").outputs, index); });
}

void PD_SetZeroCopyInput(PD_Predictor* predictor, const PD_ZeroCopyTensor* tensor) {
  guard(__func__, [&] {
    const PD_ZeroCopyTensor& t = given(tensor, "tensor");
    const auto* offsets = static_cast<const size_t*>(t.lod.data);
    std::vector<std::vector<size_t>> lod;
    if (t.lod.length != 0) lod.emplace_back(offsets, offsets + t.lod.length / sizeof(size_t));
    const auto* shape = static_cast<const int*>(t.shape.data);
    const size_t rank = t.shape.length / sizeof(int);
    set_input(*given(predictor, "predictor").predictor, text(t.name, "name"), t.dtype, shape, rank, t.data.data, lod);
  });
}

void PD_GetZeroCopyOutput(PD_Predictor* predictor, PD_ZeroCopyTensor* tensor) {
  guard(__func__, [&] {
    PD_ZeroCopyTensor& t = given(tensor, "tensor");
    const coracle::paddle_c::Output out = output_of(*given(predictor, "predictor").predictor, text(t.name, "name"));
    t.dtype = out.type;
    fill(t.data, out.data, out.bytes);
    fill(t.shape, out.shape.data(), out.shape.size() * sizeof(int));
    if (out.lod.empty()) {
      t.lod.length = 0;
    } else {
      fill(t.lod, out.lod.front().data(), out.lod.front().size() * sizeof(size_t));
    }
  });
}

void PD_ZeroCopyRun(PD_Predictor* predictor) {
  guard(__func__, [&] { given(predictor, "predictor").predictor->ZeroCopyRun(); });
}

}  // extern "C"
