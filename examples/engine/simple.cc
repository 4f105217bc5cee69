// SPDX-License-Identifier: Apache-2.0
// The engine "simple": relu, and sums and products of tensors of one shape, in float32. It shows all that an engine
// has to have; what takes the place of run_step() in a real one is a library.
#include <coracle/engine.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

const coracle_engine_host* host = nullptr;

enum class Kind { kRelu, kAdd, kMultiply };

/// One node. Tensors are numbered: first the block's inputs, then its constants, then what steps make.
struct Step {
  Kind kind;
  size_t x;
  size_t y;  ///< the same as x for relu
  size_t result;
  size_t count;  ///< of elements
};

}  // namespace

/// What is compiled: nothing in it changes, so that any number of threads may use it.
struct coracle_engine_block {
  std::vector<Step> steps;
  std::vector<std::pair<size_t, const float*>> constants;  ///< the elements are Coracle's, and stay
  std::vector<std::pair<size_t, size_t>> outputs;          ///< tensor and number of elements
  std::vector<std::pair<size_t, size_t>> made;             ///< the same of what steps make
  size_t tensors = 0;
};

/// What one user needs: memory for what lies between the steps.
struct coracle_engine_run {
  const coracle_engine_block* block;
  std::vector<std::vector<float>> memory;
  std::vector<const float*> read;  ///< by tensor
  std::vector<float*> written;
};

namespace {

/// Nothing may be thrown at Coracle: a status and a text instead.
template <class F>
coracle_status guarded(char* text, size_t size, const F& f) {
  try {
    f();
    return CORACLE_OK;
  } catch (const std::bad_alloc&) {
    std::snprintf(text, size, "there is not enough memory");
    return CORACLE_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    std::snprintf(text, size, "%s", e.what());
    return CORACLE_UNSUPPORTED;
  }
}

Kind kind_of(const coracle_block_node* node) {
  const std::string op = host->node_operator(node);
  if (op == "relu") return Kind::kRelu;
  if (op == "add") return Kind::kAdd;
  if (op == "multiply") return Kind::kMultiply;
  throw std::runtime_error("only relu, add and multiply are taken");
}

/// False where they differ, or might: -1 is a size that is not known.
bool same_shape(const coracle_block* block, int32_t x, int32_t y) {
  const int32_t rank = host->rank(block, x);
  if (rank < 0 || rank != host->rank(block, y)) return false;
  const int64_t* a = host->dims(block, x);
  return std::equal(a, a + rank, host->dims(block, y)) && std::find(a, a + rank, -1) == a + rank;
}

/// What both `refusal` and `compile` ask. `certain`: sizes are known.
void check(const coracle_block* block, const coracle_block_node* node, bool certain) {
  const Kind kind = kind_of(node);
  for (size_t i = 0; i < host->all_operand_count(node); ++i) {
    if (host->dtype(block, host->all_operands(node, i)) != CORACLE_FLOAT32) {
      throw std::runtime_error("an operand is not float32");
    }
  }
  if (kind == Kind::kRelu || !certain) return;
  if (!same_shape(block, host->operand(node, "x", 0), host->operand(node, "y", 0))) {
    throw std::runtime_error("the operands differ in shape");
  }
}

const char* missing() { return nullptr; }
const char* library_version() { return "simple 1.0"; }

coracle_status refusal(const coracle_block* block, const coracle_block_node* node, char* text, size_t size) {
  return guarded(text, size, [&] { check(block, node, false); });
}

size_t count_of(const coracle_block* block, int32_t value) {
  size_t count = 1;
  for (int32_t d = 0; d < host->rank(block, value); ++d) count *= static_cast<size_t>(host->dims(block, value)[d]);
  return count;
}

/// Gives values of a block their tensors.
class Compiler {
 public:
  Compiler(const coracle_block* block, coracle_engine_block& to) : block_(block), to_(to) {
    for (size_t i = 0; i < host->input_count(block); ++i) tensors_.emplace(host->input(block, i), to_.tensors++);
  }
  void add(const coracle_block_node* node) {
    check(block_, node, true);
    const Kind kind = kind_of(node);
    const size_t x = tensor(host->operand(node, "x", 0));
    const size_t y = kind == Kind::kRelu ? x : tensor(host->operand(node, "y", 0));
    const int32_t out = host->result(node, "out", 0);
    const size_t count = count_of(block_, out);
    to_.made.emplace_back(to_.tensors, count);
    tensors_.emplace(out, to_.tensors);
    to_.steps.push_back({kind, x, y, to_.tensors++, count});
  }
  void finish() {
    for (size_t i = 0; i < host->output_count(block_); ++i) {
      const int32_t value = host->output(block_, i);
      if (host->dtype(block_, value) != CORACLE_FLOAT32) throw std::runtime_error("an output is not float32");
      to_.outputs.emplace_back(tensor(value), count_of(block_, value));
    }
  }

 private:
  size_t tensor(int32_t value) {
    const auto found = tensors_.find(value);
    if (found != tensors_.end()) return found->second;
    if (!host->is_constant(block_, value)) throw std::runtime_error("an operand comes from nowhere");
    to_.constants.emplace_back(to_.tensors, static_cast<const float*>(host->elements(block_, value)));
    tensors_.emplace(value, to_.tensors);
    return to_.tensors++;
  }

  const coracle_block* block_;
  coracle_engine_block& to_;
  std::unordered_map<int32_t, size_t> tensors_;
};

coracle_status compile(const coracle_block* block, const coracle_engine_options*, coracle_engine_block** compiled,
                       char* error, size_t size) {
  return guarded(error, size, [&] {
    auto made = std::make_unique<coracle_engine_block>();
    Compiler compiler(block, *made);
    for (size_t i = 0; i < host->node_count(block); ++i) compiler.add(host->node(block, i));
    compiler.finish();
    *compiled = made.release();
  });
}

size_t bytes(const coracle_engine_block* compiled) { return compiled->steps.size() * sizeof(Step); }
void free_block(coracle_engine_block* compiled) { delete compiled; }

coracle_status make_run(const coracle_engine_block* compiled, coracle_engine_run** run, char* error, size_t size) {
  return guarded(error, size, [&] {
    auto made = std::make_unique<coracle_engine_run>();
    made->block = compiled;
    made->read.resize(compiled->tensors);
    made->written.resize(compiled->tensors);
    for (const auto& [tensor, elements] : compiled->constants) made->read[tensor] = elements;
    for (const auto& [tensor, count] : compiled->made) {
      made->memory.emplace_back(count);
      made->read[tensor] = made->written[tensor] = made->memory.back().data();
    }
    *run = made.release();
  });
}

void run_step(const Step& s, const float* x, const float* y, float* to) {
  for (size_t i = 0; i < s.count; ++i) {
    switch (s.kind) {
      case Kind::kRelu: to[i] = x[i] > 0 ? x[i] : 0; break;
      case Kind::kAdd: to[i] = x[i] + y[i]; break;
      case Kind::kMultiply: to[i] = x[i] * y[i]; break;
    }
  }
}

coracle_status run(coracle_engine_run* run, const void* const* inputs, void* const* outputs, char* error, size_t size) {
  return guarded(error, size, [&] {
    const coracle_engine_block& block = *run->block;
    const size_t input_count = block.tensors - block.constants.size() - block.made.size();
    for (size_t i = 0; i < input_count; ++i) run->read[i] = static_cast<const float*>(inputs[i]);
    for (const Step& s : block.steps) run_step(s, run->read[s.x], run->read[s.y], run->written[s.result]);
    for (size_t i = 0; i < block.outputs.size(); ++i) {
      const auto& [tensor, count] = block.outputs[i];
      std::copy_n(run->read[tensor], count, static_cast<float*>(outputs[i]));
    }
  });
}

void free_run(coracle_engine_run* run) { delete run; }

constexpr coracle_engine kEngine = {
    CORACLE_ENGINE_API_VERSION,
    sizeof(coracle_engine),
    "simple",
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

const coracle_engine* coracle_engine_get(uint32_t version, const coracle_engine_host* given) {
  if (version == CORACLE_ENGINE_API_VERSION) host = given;
  return &kEngine;
}
