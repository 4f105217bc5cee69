// SPDX-License-Identifier: Apache-2.0
// Plug-ins of one engine each, good and bad ones: PLUGIN_NAME is the name, PLUGIN_FAULT what is wrong.
#include <coracle/engine.h>

#include <cstring>
#include <new>
#include <string_view>

namespace {

enum Fault {
  kNone,
  kVersion,
  kMember,
  kSize,
  kNothing,
  kName,
  kMissing,
};
constexpr Fault kFault = PLUGIN_FAULT;

}  // namespace

struct coracle_engine_block {
  size_t count;  ///< of elements of the first input
};
struct coracle_engine_run {
  size_t count;
};

namespace {

const coracle_engine_host* host;

const char* missing() { return kFault == kMissing ? "the \x01 moon" : nullptr; }
const char* library_version() { return "test \x1b[1m 1"; }

coracle_status say(char* text, size_t size, const char* what) {
  if (size > 0) {
    std::strncpy(text, what, size - 1);
    text[size - 1] = 0;
  }
  return CORACLE_UNSUPPORTED;
}

/// Takes negative, and tells what it sees of the attributes of others.
coracle_status refusal(const coracle_block*, const coracle_block_node* node, char* text, size_t size) {
  const std::string_view op = host->node_operator(node);
  if (op == "negative") return CORACLE_OK;
  const coracle_attribute* a = host->find_attribute(node, "epilogue");
  if (a != nullptr && a->kind == CORACLE_ATTRIBUTE_STRINGS && a->size == 2) return say(text, size, a->strings[1]);
  a = host->find_attribute(node, "epsilon");
  if (a != nullptr && a->kind == CORACLE_ATTRIBUTE_DOUBLE && a->number == 0.5)
    return say(text, size, "epsilon is a half");
  a = host->find_attribute(node, "perm");
  if (a != nullptr && a->kind == CORACLE_ATTRIBUTE_INTS && a->size == 2 && a->integers[0] == 1) {
    return say(text, size, "perm begins with 1");
  }
  a = host->find_attribute(node, "data_format");
  if (a != nullptr && a->kind == CORACLE_ATTRIBUTE_STRING) return say(text, size, a->string);
  a = host->find_attribute(node, "keepdim");
  if (a != nullptr && a->kind == CORACLE_ATTRIBUTE_BOOL && a->integer == 1)
    return say(text, size, "it keeps dimensions");
  if (op == "ceil") return CORACLE_RUN_FAILURE;  // and does not say why
  return say(text, size, "only \x07 negative");
}

coracle_status compile(const coracle_block* block, const coracle_engine_options* options,
                       coracle_engine_block** compiled, char* error, size_t size) {
  const int32_t x = host->input(block, 0);
  if (host->input_count(block) != 1 || host->output_count(block) != 1 || host->node_count(block) != 1) {
    return say(error, size, "not one of each");
  }
  if (std::string_view(options->device) == "none") return CORACLE_OK;  // without a block
  *compiled = new (std::nothrow) coracle_engine_block;
  if (*compiled == nullptr) return CORACLE_OUT_OF_MEMORY;
  (*compiled)->count = 1;
  for (int32_t d = 0; d < host->rank(block, x); ++d) (*compiled)->count *= static_cast<size_t>(host->dims(block, x)[d]);
  return CORACLE_OK;
}
size_t bytes(const coracle_engine_block* compiled) { return sizeof(*compiled); }
void free_block(coracle_engine_block* compiled) { delete compiled; }

coracle_status make_run(const coracle_engine_block* compiled, coracle_engine_run** run, char*, size_t) {
  *run = new (std::nothrow) coracle_engine_run;
  if (*run == nullptr) return CORACLE_OUT_OF_MEMORY;
  (*run)->count = compiled->count;
  return CORACLE_OK;
}

coracle_status run(coracle_engine_run* r, const void* const* inputs, void* const* outputs, char* error, size_t size) {
  const auto* x = static_cast<const float*>(inputs[0]);
  auto* y = static_cast<float*>(outputs[0]);
  for (size_t i = 0; i < r->count; ++i) {
    if (x[i] == 13) {
      say(error, size, "thirteen");
      return CORACLE_RUN_FAILURE;
    }
    y[i] = -x[i];
  }
  return CORACLE_OK;
}
void free_run(coracle_engine_run* r) { delete r; }

constexpr coracle_engine kEngine = {
    kFault == kVersion ? 99 : CORACLE_ENGINE_API_VERSION,
    kFault == kSize ? sizeof(coracle_engine) - sizeof(void*) : sizeof(coracle_engine),
    kFault == kName ? "somebody_else" : PLUGIN_NAME,
    missing,
    library_version,
    refusal,
    kFault == kMember ? nullptr : compile,
    bytes,
    free_block,
    make_run,
    run,
    free_run,
};

}  // namespace

const coracle_engine* coracle_engine_get(uint32_t version, const coracle_engine_host* given) {
  if (kFault == kNothing || version != CORACLE_ENGINE_API_VERSION) return nullptr;
  host = given;
  return &kEngine;
}
