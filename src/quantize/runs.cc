// SPDX-License-Identifier: Apache-2.0
#include "quantize/runs.h"

#include <atomic>

#include "quantize/error.h"

namespace coracle::internal::quantize {
namespace {

void check(coracle_status status, const InputSet& set) {
  if (status != CORACLE_OK) coracle::fail(status, set.name + ": " + coracle_last_error());
}

void set_inputs(coracle_session* session, const InputSet& set) {
  for (size_t i = 0; i < set.values.size(); ++i) {
    const InputValue& value = set.values[i];
    check(coracle_session_set_input(session, i, value.dtype, static_cast<int32_t>(value.dims.size()), value.dims.data(),
                                    value.bytes.data()),
          set);
    if (value.lod.empty()) continue;
    std::vector<size_t> sizes;
    std::vector<size_t> offsets;
    for (const std::vector<size_t>& level : value.lod) {
      sizes.push_back(level.size());
      offsets.insert(offsets.end(), level.begin(), level.end());
    }
    check(coracle_session_set_input_lod(session, i, sizes.size(), sizes.data(), offsets.data()), set);
  }
}

}  // namespace

void Runs::require_wanted() const {
  if (cancelled == nullptr) return;
  const uint32_t state = reinterpret_cast<const std::atomic<uint32_t>*>(cancelled)->load(std::memory_order_relaxed);
  require(state % 2 == 0, ErrorCode::kCancelled, "quantising was cancelled");
}

coracle::ModelOptions Runs::options() const {
  coracle::ModelOptions options;
  options.cancelled = reinterpret_cast<const std::atomic<uint32_t>*>(cancelled);
  return options;
}

coracle::Model Runs::load(const std::string& model, const std::string& params) const {
  return coracle::Model(model, params, options());
}

coracle::Model Runs::load_as_in_the_file(const std::string& model, const std::string& params) const {
  coracle::ModelOptions plain = options();
  plain.disable_passes = "all";
  plain.disable_kernels = "row_tiles,strided";
  return coracle::Model(model, params, plain);
}

coracle::Model Runs::load(const ModelBytes& model) const {
  const auto bytes = [](const std::string& s) {
    return coracle::Span<const std::byte>(reinterpret_cast<const std::byte*>(s.data()), s.size());
  };
  return {bytes(model.program), bytes(model.parameters), options()};
}

SessionHandle Runs::session_of(const coracle::Model& model) const {
  coracle_session* made = nullptr;
  coracle::check(coracle_session_create(model.handle(), session, &made));
  return {made, coracle_session_free};
}

void Runs::run(coracle_session* running, const InputSet& set) const {
  require_wanted();
  set_inputs(running, set);
  coracle_run_options of_run;
  coracle_run_options_init(&of_run, sizeof(of_run));
  of_run.cancelled = cancelled;
  check(coracle_session_run_with(running, &of_run), set);
}

}  // namespace coracle::internal::quantize
