// SPDX-License-Identifier: Apache-2.0
#include "faults/life.h"

#include <cstring>
#include <stdexcept>

namespace coracle::internal::test {
namespace {

void require_ok(coracle_status status) {
  if (status != CORACLE_OK) throw std::runtime_error(coracle_last_error());
}

template <class T>
void append_raw(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

Life::~Life() { free_all(); }

coracle_status Life::load() { return coracle_model_load(subject_.path.c_str(), nullptr, nullptr, &model_); }

coracle_status Life::make_session() {
  coracle_session_options options;
  coracle_session_options_init(&options, sizeof(options));
  options.threads = 2;
  return coracle_session_create(model_, &options, &session_);
}

coracle_status Life::set_inputs(coracle_session* session) const {
  for (size_t i = 0; i < subject_.inputs.size(); ++i) {
    const Tensor& t = subject_.inputs[i];
    coracle_status status = coracle_session_set_input(session, i, static_cast<coracle_dtype>(t.dtype()),
                                                      t.shape().rank(), t.shape().begin(), t.raw());
    const Lod& lod = t.lod();
    if (status == CORACLE_OK && lod.size() == 1) {
      const size_t size = lod[0].size();
      status = coracle_session_set_input_lod(session, i, 1, &size, lod[0].data());
    }
    if (status != CORACLE_OK) return status;
  }
  return CORACLE_OK;
}

coracle_status Life::set_inputs() { return set_inputs(session_); }
coracle_status Life::run() { return coracle_session_run(session_); }
coracle_status Life::run_async() {
  const coracle_status status = coracle_session_run_async(session_, nullptr, nullptr, nullptr);
  return status == CORACLE_OK ? coracle_session_wait(session_) : status;
}
coracle_status Life::make_clone() { return coracle_session_clone(session_, &clone_); }
coracle_status Life::set_inputs_of_clone() { return set_inputs(clone_); }
coracle_status Life::run_clone() { return coracle_session_run(clone_); }

coracle_status Life::write_texts() {
  char* graph = nullptr;
  char* description = nullptr;
  const char* kernels = nullptr;
  const char* times = nullptr;
  coracle_status status = coracle_model_graph_text(model_, &graph);
  if (status == CORACLE_OK) status = coracle_inspect(subject_.path.c_str(), nullptr, &description);
  if (status == CORACLE_OK) status = coracle_session_explain(session_, &kernels);
  if (status == CORACLE_OK) status = coracle_session_set_profiling(session_, 1);
  if (status == CORACLE_OK) status = coracle_session_run(session_);
  if (status == CORACLE_OK) status = coracle_session_profile(session_, &times);
  coracle_string_free(graph);
  coracle_string_free(description);
  return status;
}

coracle_status Life::release() {
  const coracle_status status = coracle_session_release_memory(session_, nullptr);
  return status == CORACLE_OK ? coracle_session_run(session_) : status;
}

coracle_status Life::free_all() {
  coracle_model_free(model_);
  coracle_session_free(session_);
  coracle_session_free(clone_);
  model_ = nullptr;
  session_ = clone_ = nullptr;
  return CORACLE_OK;
}

std::string Life::answers(bool of_clone) const {
  const coracle_session* session = of_clone ? clone_ : session_;
  std::string all;
  for (size_t i = 0; i < coracle_model_output_count(model_); ++i) {
    coracle_tensor_view view;
    require_ok(coracle_session_output(session, i, &view));
    append_raw(all, view.dtype);
    append_raw(all, view.rank);
    append_raw(all, view.dims);
    for (size_t level = 0; level < view.lod_levels; ++level) {
      const size_t* offsets = nullptr;
      size_t size = 0;
      require_ok(coracle_session_output_lod(session, i, level, &offsets, &size));
      all.append(reinterpret_cast<const char*>(offsets), size * sizeof(size_t));
    }
    all.append(static_cast<const char*>(view.data), view.bytes);
  }
  return all;
}

std::span<const Step> steps() {
  static constexpr Step kSteps[] = {
      {"load", &Life::load},
      {"session", &Life::make_session},
      {"inputs", &Life::set_inputs},
      {"first run", &Life::run, Step::Runs::kSession},
      {"run", &Life::run, Step::Runs::kSession},
      {"asynchronous run", &Life::run_async, Step::Runs::kSession},
      {"clone", &Life::make_clone},
      {"clone's inputs", &Life::set_inputs_of_clone},
      {"clone's run", &Life::run_clone, Step::Runs::kClone},
      {"texts", &Life::write_texts, Step::Runs::kSession},
      {"release, run", &Life::release, Step::Runs::kSession},
      {"free", &Life::free_all},
  };
  return kSteps;
}

Subject with_inputs(Subject subject, int64_t size) {
  coracle_model* model = nullptr;
  require_ok(coracle_model_load(subject.path.c_str(), nullptr, nullptr, &model));
  for (size_t i = subject.inputs.size(); i < coracle_model_input_count(model); ++i) {
    coracle_tensor_info info;
    require_ok(coracle_model_input(model, i, &info));
    Shape shape;
    for (int d = 0; d < info.rank; ++d) shape.push_back(info.dims[d] >= 0 ? info.dims[d] : d == 0 ? 1 : size);
    Tensor t = Tensor::make(static_cast<DType>(info.dtype), shape);
    std::vector<double> values(static_cast<size_t>(t.count()));
    for (size_t k = 0; k < values.size(); ++k) values[k] = is_float(t.dtype()) ? static_cast<double>(k % 17) / 16 : 1;
    t.assign(std::span<const double>(values));
    if (info.lod_levels == 1) t.set_lod({{0, static_cast<size_t>(shape[0])}});
    subject.inputs.push_back(std::move(t));
  }
  coracle_model_free(model);
  return subject;
}

}  // namespace coracle::internal::test
