// SPDX-License-Identifier: Apache-2.0
#include <coracle/engine.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "builder.h"
#include "converters.h"
#include "program.h"
#include "program_run.h"

/// The engine as Coracle gets it: coracle_engine_get and its functions.

struct coracle_engine_run {
  coracle_engine_run(const coracle_xnnpack::Program& program, int threads) : run(program, threads) {}
  coracle_xnnpack::ProgramRun run;
};

struct coracle_engine_block {
  coracle_xnnpack::Program program;
  int threads = 1;
};

namespace coracle_xnnpack {
namespace {

const coracle_engine_host* g_host = nullptr;

void say(char* text, size_t size, const char* what) {
  if (size == 0) return;
  const size_t length = std::min(std::strlen(what), size - 1);
  std::memcpy(text, what, length);
  text[length] = '\0';
}

/// Runs f; what it throws becomes a status and a text.
template <class F>
coracle_status guarded(char* error, size_t size, coracle_status refused, const F& f) {
  try {
    f();
    return CORACLE_OK;
  } catch (const Refused& e) {
    say(error, size, e.what());
    return refused;
  } catch (const std::bad_alloc&) {
    say(error, size, "there is not enough memory");
    return CORACLE_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    say(error, size, e.what());
    return CORACLE_RUN_FAILURE;
  }
}

const char* missing() {
  static const xnn_status status = xnn_initialize(nullptr);
  return status == xnn_status_success ? nullptr : "XNNPACK does not support this processor";
}

const char* library_version() { return "xnnpack " CORACLE_XNNPACK_VERSION; }

coracle_status refusal(const coracle_block* block, const coracle_block_node* node, char* text, size_t size) {
  return guarded(text, size, CORACLE_UNSUPPORTED, [&] { converter_of(Node(*g_host, block, node)); });
}

coracle_status compile(const coracle_block* block, const coracle_engine_options* options,
                       coracle_engine_block** compiled, char* error, size_t size) {
  return guarded(error, size, CORACLE_UNSUPPORTED, [&] {
    require(missing() == nullptr, "XNNPACK does not support this processor");
    const std::string device = options->device;
    require(device.empty() || device == "CPU", "there is no device " + device + ", expected CPU");
    auto made = std::make_unique<coracle_engine_block>();
    made->threads = std::max(options->threads, 1);
    Builder builder(made->program, *g_host, block);
    for (size_t i = 0; i < g_host->node_count(block); ++i) {
      const Node node(*g_host, block, g_host->node(block, i));
      try {
        builder.begin(node);
        converter_of(node).build(builder, node);
      } catch (const Refused& e) {
        throw Refused(node.name() + ": " + e.what());
      }
    }
    builder.add_outputs();
    made->program.finish();
    *compiled = made.release();
  });
}

size_t bytes(const coracle_engine_block* compiled) { return compiled->program.bytes(); }

void free_block(coracle_engine_block* compiled) { delete compiled; }

coracle_status make_run(const coracle_engine_block* compiled, coracle_engine_run** run, char* error, size_t size) {
  return guarded(error, size, CORACLE_RUN_FAILURE,
                 [&] { *run = new coracle_engine_run(compiled->program, compiled->threads); });
}

coracle_status run(coracle_engine_run* run, const void* const* inputs, void* const* outputs, char* error, size_t size) {
  return guarded(error, size, CORACLE_RUN_FAILURE, [&] { run->run.run(inputs, outputs); });
}

void free_run(coracle_engine_run* run) { delete run; }

constexpr coracle_engine kEngine = {
    CORACLE_ENGINE_API_VERSION,
    sizeof(coracle_engine),
    "xnnpack",
    missing,
    library_version,
    refusal,
    compile,
    bytes,
    free_block,
    make_run,
    run,
    free_run,
};

}  // namespace
}  // namespace coracle_xnnpack

const coracle_engine* coracle_engine_get(uint32_t version, const coracle_engine_host* host) {
  if (version == CORACLE_ENGINE_API_VERSION) coracle_xnnpack::g_host = host;
  return &coracle_xnnpack::kEngine;
}
