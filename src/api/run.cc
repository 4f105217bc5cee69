// SPDX-License-Identifier: Apache-2.0
// Runs of a session: their options, their end by others, and who looks on.
#include <algorithm>
#include <atomic>
#include <utility>

#include "api/enumerations.h"
#include "api/guard.h"
#include "api/handles.h"
#include "api/options.h"
#include "base/stack.h"

namespace coracle::internal {
namespace {

RunOptions run_options(const coracle_run_options* given) {
  RunOptions options;
  if (given == nullptr) return options;
  const coracle_run_options c = read_options(*given, coracle_run_options{}, "coracle_run_options");
  options.time_limit_ms = checked_time_limit(c.time_limit_ms);
  options.memory_limit = c.memory_limit;
  options.cancelled = reinterpret_cast<const std::atomic<uint32_t>*>(c.cancelled);
  return options;
}

/// A C function as an observer.
Observer observer_of(coracle_observe_function observe, void* user) {
  if (observe == nullptr) return nullptr;
  return [observe, user](const ObservedValue& seen) {
    coracle_node_value value{};
    value.node = seen.node.name.c_str();
    value.op = seen.node.op.name();
    value.name = seen.name.c_str();
    value.is_result = seen.is_result ? 1 : 0;
    value.is_constant = seen.is_constant ? 1 : 0;
    value.tensor.data = seen.data;
    value.tensor.bytes = seen.fact.bytes();
    value.tensor.dtype = number_of(seen.fact.dtype);
    value.tensor.rank = seen.fact.shape.rank();
    std::copy(seen.fact.shape.begin(), seen.fact.shape.end(), value.tensor.dims);
    value.tensor.lod_levels = seen.fact.lod == nullptr ? 0 : seen.fact.lod->size();
    require(observe(user, &value) == 0, ErrorCode::kRunFailure, "the observer ended the run at operator ", value.op,
            " (", value.node, ")");
  };
}

}  // namespace
}  // namespace coracle::internal

using coracle::internal::guard;
using coracle::internal::require_pointer;

extern "C" {

coracle_status coracle_session_run(coracle_session* session) {
  return guard([&] {
    require_pointer(session, "session");
    coracle::internal::require_stack("a run");
    session->session.run();
  });
}

void coracle_run_options_init(coracle_run_options* options, size_t struct_size) {
  coracle::internal::init_options(options, struct_size, coracle_run_options{});
}

coracle_status coracle_session_run_with(coracle_session* session, const coracle_run_options* options) {
  return guard([&] {
    require_pointer(session, "session");
    const coracle::internal::RunOptions chosen = coracle::internal::run_options(options);
    coracle::internal::require_stack("a run");
    session->session.run(chosen);
  });
}

coracle_status coracle_session_run_async(coracle_session* session, const coracle_run_options* options,
                                         coracle_run_function done, void* user) {
  return guard([&] {
    require_pointer(session, "session");
    const coracle::internal::RunOptions chosen = coracle::internal::run_options(options);
    coracle::internal::Session::Ended ended;
    if (done != nullptr) {
      ended = [done, user](const coracle::internal::Error* failure) {
        done(user, guard([&] {
               if (failure != nullptr) throw coracle::internal::Error(*failure);
             }));
      };
    }
    session->session.run_async(chosen, std::move(ended));
  });
}

coracle_status coracle_session_wait(const coracle_session* session) {
  return guard([&] {
    require_pointer(session, "session");
    session->session.wait();
  });
}

coracle_status coracle_session_cancel(coracle_session* session) {
  return guard([&] {
    require_pointer(session, "session");
    session->session.cancel();
  });
}

coracle_status coracle_session_set_observer(coracle_session* session, coracle_observe_function observe, void* user) {
  return guard([&] {
    require_pointer(session, "session");
    session->session.set_observer(coracle::internal::observer_of(observe, user));
  });
}

}  // extern "C"
