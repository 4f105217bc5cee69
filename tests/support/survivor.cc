// SPDX-License-Identifier: Apache-2.0
#include "support/survivor.h"

#include <cstring>
#include <stdexcept>

#include "loading/model.h"
#include "run/session.h"
#include "support/memory_file.h"

namespace coracle::internal::test {
namespace {

constexpr size_t kMostMemory = size_t{64} << 20U;
constexpr int64_t kMaxResult = 1 << 16;

/// Zeros, unknown dimensions being `free`.
Tensor zeros(const TensorInfo& info, int64_t free) {
  Shape shape = info.shape.rank_known() ? info.shape : Shape{1};
  int64_t count = 1;
  for (int64_t& d : shape) {
    if (d < 0) d = free;
    if (count * d > kMaxResult) d = 1;
    count *= d;
  }
  Tensor t = Tensor::make(info.dtype, shape);
  if (t.bytes() != 0) std::memset(t.raw(), 0, t.bytes());
  return t;
}

void run_sample(const std::string& program, const std::string& params, const std::vector<Tensor>& inputs,
                int64_t time_limit_ms) {
  const ModelSource source = ModelSource::in_memory(memory_file(program), memory_file(params));
  Session session(Model::load(source, {}), {.threads = 1, .memory_limit = kMostMemory, .time_limit_ms = time_limit_ms});
  const std::vector<TensorInfo>& infos = session.model().info().inputs;
  for (size_t i = 0; i < infos.size(); ++i) {
    const bool fits = i < inputs.size() && inputs[i].dtype() == infos[i].dtype &&
                      (!infos[i].shape.rank_known() || infos[i].shape.rank() == inputs[i].shape().rank());
    constexpr int64_t kFree = 2;
    session.set_input(i, fits ? inputs[i] : zeros(infos[i], kFree));
    if (fits && !inputs[i].lod().empty()) session.set_input_lod(i, inputs[i].lod());
  }
  session.run();
}

}  // namespace

Fate load_and_run(const std::string& program, const std::string& params, const std::vector<Tensor>& inputs,
                  int64_t time_limit_ms) {
  try {
    run_sample(program, params, inputs, time_limit_ms);
    return Fate::kRan;
  } catch (const Error& e) {
    if (e.text().empty()) throw std::logic_error("an Error without a text");
    return Fate::kRefused;
  }
}

}  // namespace coracle::internal::test
