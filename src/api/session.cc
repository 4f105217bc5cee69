// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>

#include "api/given_type.h"
#include "api/guard.h"
#include "api/handles.h"
#include "api/options.h"
#include "base/counted.h"
#include "base/cpus.h"
#include "base/memory_ledger.h"
#include "base/printable.h"
#include "base/stack.h"
#include "base/system/memory.h"

namespace coracle::internal {
namespace {

constexpr int32_t kMostThreads = 1024;

coracle_session_options default_session_options() {
  coracle_session_options options{};
  options.cache_bytes = SessionOptions{}.cache_bytes;
  options.parallel_engines = SessionOptions{}.parallel_engines;
  return options;
}

SessionOptions session_options(const coracle_session_options* given) {
  SessionOptions options;
  if (given == nullptr) return options;
  const coracle_session_options c = read_options(*given, default_session_options(), "coracle_session_options");
  require(c.threads >= 0 && c.threads <= kMostThreads, ErrorCode::kInvalidArgument, "threads is ", c.threads,
          ", expected 0 to ", kMostThreads);
  options.threads = c.threads;
  if (c.pool != nullptr) options.workers = c.pool->workers;
  if (c.cpus != nullptr) {
    require(c.pool == nullptr, ErrorCode::kInvalidArgument, "cpus is ", in_quotes(c.cpus),
            ", but the threads of a pool already have processors: give either cpus or a pool");
    options.cpus = cpu_numbers(c.cpus);
  }
  options.cache_bytes = c.cache_bytes;
  options.memory_limit = c.memory_limit;
  options.time_limit_ms = checked_time_limit(c.time_limit_ms);
  require(c.parallel_engines >= 1 && c.parallel_engines <= kMostThreads, ErrorCode::kInvalidArgument,
          "parallel_engines is ", c.parallel_engines, ", expected 1 to ", kMostThreads);
  options.parallel_engines = c.parallel_engines;
  if (c.padding != nullptr) options.padding = c.padding;
  return options;
}

/// The caller's elements as input `index`, which must exist.
Tensor given_tensor(const Session& session, size_t index, coracle_dtype dtype, int32_t rank, const int64_t* dims,
                    const void* data) {
  const Fact type = given_type(text("input '", session.input_info(index).name, "'"), dtype, rank, dims);
  if (type.bytes() != 0) require_pointer(data, "data");
  return Tensor::borrow(type.dtype, type.shape, data);
}

/// A pool whose helpers run on `cpus`, anywhere if there are none. 0 threads: one for each of them.
coracle_pool* make_pool(int32_t threads, std::vector<int> cpus) {
  require(threads >= 0 && threads <= kMostThreads, ErrorCode::kInvalidArgument, "threads is ", threads,
          ", expected 0 to ", kMostThreads);
  if (threads == 0) {
    threads = cpus.empty() ? coracle_default_threads() : std::min(static_cast<int32_t>(cpus.size()), kMostThreads);
  }
  return new coracle_pool{std::make_shared<Workers>(threads, std::move(cpus))};
}

}  // namespace
}  // namespace coracle::internal

using coracle::internal::guard;
using coracle::internal::require_pointer;

extern "C" {

void coracle_session_options_init(coracle_session_options* options, size_t struct_size) {
  coracle::internal::init_options(options, struct_size, coracle::internal::default_session_options());
}

coracle_status coracle_session_create(const coracle_model* model, const coracle_session_options* options,
                                      coracle_session** session) {
  return guard([&] {
    require_pointer(model, "model");
    require_pointer(session, "session");
    *session = new coracle_session(model->model, coracle::internal::session_options(options));
  });
}

coracle_status coracle_session_clone(const coracle_session* session, coracle_session** clone) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(clone, "clone");
    *clone = new coracle_session(session->session.shared_model(), session->session.options());
  });
}

void coracle_session_free(coracle_session* session) {
  if (session == nullptr) return;
  if (session->session.claim_for_free()) {
    delete session;
  } else {
    coracle::internal::set_last_error(
        "the session was not freed: a call is using it, or was when this process was forked");
  }
}

int32_t coracle_default_threads(void) {
  return std::min(coracle::internal::usable_cpus(), coracle::internal::kMostThreads);
}

coracle_status coracle_pool_create(int32_t threads, coracle_pool** pool) {
  return guard([&] {
    require_pointer(pool, "pool");
    *pool = coracle::internal::make_pool(threads, {});
  });
}

coracle_status coracle_pool_create_on(const char* cpus, int32_t threads, coracle_pool** pool) {
  return guard([&] {
    require_pointer(cpus, "cpus");
    require_pointer(pool, "pool");
    *pool = coracle::internal::make_pool(threads, coracle::internal::cpu_numbers(cpus));
  });
}

coracle_status coracle_bind_thread(const char* cpus) {
  return guard([&] {
    require_pointer(cpus, "cpus");
    coracle::internal::bind_thread(cpus);
  });
}

int32_t coracle_pool_threads(const coracle_pool* pool) { return pool == nullptr ? 0 : pool->workers->threads(); }

void coracle_pool_free(coracle_pool* pool) { delete pool; }

coracle_status coracle_session_set_input(coracle_session* session, size_t index, coracle_dtype dtype, int32_t rank,
                                         const int64_t* dims, const void* data) {
  return guard([&] {
    require_pointer(session, "session");
    session->session.copy_input(index,
                                coracle::internal::given_tensor(session->session, index, dtype, rank, dims, data));
  });
}

coracle_status coracle_session_borrow_input(coracle_session* session, size_t index, coracle_dtype dtype, int32_t rank,
                                            const int64_t* dims, const void* data) {
  return guard([&] {
    require_pointer(session, "session");
    coracle::internal::Tensor tensor =
        coracle::internal::given_tensor(session->session, index, dtype, rank, dims, data);
    if (tensor.bytes() == 0) tensor = tensor.clone();
    session->session.set_input(index, std::move(tensor));
  });
}

coracle_status coracle_session_set_input_lod(coracle_session* session, size_t index, size_t levels, const size_t* sizes,
                                             const size_t* offsets) {
  return guard([&] {
    require_pointer(session, "session");
    if (levels != 0) {
      require_pointer(sizes, "sizes");
      require_pointer(offsets, "offsets");
    }
    coracle::internal::Lod lod;
    for (size_t level = 0; level < levels; ++level) {
      lod.emplace_back(offsets, offsets + sizes[level]);
      offsets += sizes[level];
    }
    session->session.set_input_lod(index, std::move(lod));
  });
}

coracle_status coracle_session_bind_output(coracle_session* session, size_t index, void* data, size_t bytes) {
  return guard([&] {
    require_pointer(session, "session");
    session->session.bind_output(index, data, bytes);
  });
}

coracle_status coracle_session_select_outputs(coracle_session* session, const char* const* names, size_t count) {
  return guard([&] {
    require_pointer(session, "session");
    if (count > 0) require_pointer(names, "names");
    std::vector<std::string_view> list;
    for (const char* name : std::span(names, count)) {
      require_pointer(name, "name");
      list.emplace_back(name);
    }
    session->session.select_outputs(list);
  });
}

coracle_status coracle_session_output(const coracle_session* session, size_t index, coracle_tensor_view* view) {
  return guard([&] {
    require_pointer(session, "session");
    const coracle::internal::Tensor t = session->session.output(index);
    coracle::internal::require(
        t.is_on_host(), coracle::internal::ErrorCode::kInvalidArgument, "output ", index,
        " stays on a device: see coracle_session_output_on_device and coracle_session_copy_output");
    coracle::internal::fill_view(t, view);
  });
}

coracle_status coracle_session_copy_output(const coracle_session* session, size_t index, void* data, size_t bytes) {
  return guard([&] {
    require_pointer(session, "session");
    const coracle::internal::Tensor t =
        session->session.output(index);  // shared: a run meanwhile would make another one
    coracle::internal::copy_tensor(t, coracle::internal::text("output ", index), data, bytes);
  });
}

coracle_status coracle_session_output_lod(const coracle_session* session, size_t index, size_t level,
                                          const size_t** offsets, size_t* size) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(offsets, "offsets");
    require_pointer(size, "size");
    const coracle::internal::Tensor t = session->session.output(index);
    const coracle::internal::Lod& lod = t.lod();
    coracle::internal::require(level < lod.size(), coracle::internal::ErrorCode::kInvalidArgument, "output ", index,
                               " has ", coracle::internal::counted(lod.size(), "level"),
                               " of sequence offsets, there is no level ", level);
    *offsets = lod[level].data();
    *size = lod[level].size();
  });
}

coracle_status coracle_session_planned_memory(coracle_session* session, size_t* bytes) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(bytes, "bytes");
    coracle::internal::require_stack("planning a run");
    const std::shared_ptr<const coracle::internal::Steps> planned = session->session.explain();
    const coracle::internal::Steps& steps = *planned;
    *bytes = steps.arena_bytes;
    for (const coracle::internal::DeviceNeeds& needs : steps.devices) {
      *bytes += needs.staging;
      for (size_t block : needs.allocations) *bytes += block;
    }
    for (const coracle::internal::LiveOut& out : steps.live_out) {
      const coracle::internal::SegmentBuffer& buffer = steps.buffers[static_cast<size_t>(out.buffer)];
      if (buffer.slot.kind != coracle::internal::Slot::Kind::kConstant) *bytes += buffer.fact.bytes();
    }
  });
}

coracle_status coracle_session_memory(const coracle_session* session, coracle_memory* memory) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(memory, "memory");
    const coracle::internal::Session::Memory held = session->session.memory();
    *memory = {held.arena, held.plans};
  });
}

coracle_status coracle_session_device_memory(const coracle_session* session, size_t* bytes) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(bytes, "bytes");
    *bytes = session->session.memory().device;
  });
}

coracle_status coracle_session_release_memory(coracle_session* session, size_t* bytes) {
  return guard([&] {
    require_pointer(session, "session");
    const size_t released = session->session.release_memory();
    coracle::internal::give_back_freed();
    if (bytes != nullptr) *bytes = released;
  });
}

size_t coracle_memory_total(void) { return coracle::internal::MemoryLedger::process_bytes(); }

}  // extern "C"
