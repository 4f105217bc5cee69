// SPDX-License-Identifier: Apache-2.0
#include "engines/plugin.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "engines/block_view.h"
#include "engines/plugin_engine.h"

namespace coracle::internal {
namespace {

constexpr size_t kTextSize = 1024;
/// What coracle_engine has had from the beginning of this version.
constexpr size_t kLeastSize = offsetof(coracle_engine, free_run) + sizeof(coracle_engine::free_run);

/// What a plug-in says, as it may be shown.
std::string shown(const char* said) { return said == nullptr ? std::string() : printable(said, /*lines=*/true); }

/// The buffer that a function of a plug-in writes its reason into.
class Reason {
 public:
  char* text() { return text_; }
  static constexpr size_t size() { return kTextSize; }
  /// What it says, or `otherwise`.
  std::string said(std::string_view otherwise) {
    text_[kTextSize - 1] = '\0';
    return text_[0] == '\0' ? std::string(otherwise) : shown(text_);
  }

 private:
  char text_[kTextSize] = {};
};

ErrorCode code_of(coracle_status status) {
  switch (status) {
    case CORACLE_INVALID_ARGUMENT: return ErrorCode::kInvalidArgument;
    case CORACLE_INVALID_MODEL: return ErrorCode::kInvalidModel;
    case CORACLE_UNSUPPORTED: return ErrorCode::kUnsupported;
    case CORACLE_IO: return ErrorCode::kIo;
    case CORACLE_OUT_OF_MEMORY: return ErrorCode::kOutOfMemory;
    case CORACLE_CANCELLED: return ErrorCode::kCancelled;
    default: return ErrorCode::kRunFailure;
  }
}

/// Throws Error for a status other than CORACLE_OK.
void check(const coracle_engine& engine, coracle_status status, Reason& reason, const char* doing) {
  if (status == CORACLE_OK) return;
  fail(code_of(status), "engine ", engine.name, " cannot ", doing, ": ", reason.said("it gave no reason"));
}

struct FreeBlock {
  const coracle_engine* engine;
  void operator()(coracle_engine_block* b) const { engine->free_block(b); }
};
struct FreeRun {
  const coracle_engine* engine;
  void operator()(coracle_engine_run* r) const { engine->free_run(r); }
};

using OwnedBlock = std::shared_ptr<coracle_engine_block>;

class PluginRun : public BlockRun {
 public:
  PluginRun(const coracle_engine& engine, OwnedBlock block, coracle_engine_run* run)
      : engine_(engine), block_(std::move(block)), run_(run, FreeRun{&engine}) {}

  void run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    inputs_.clear();
    outputs_.clear();
    for (const Tensor& t : inputs) inputs_.push_back(t.raw());
    for (Tensor& t : outputs) outputs_.push_back(t.raw());
    Reason reason;
    check(engine_, engine_.run(run_.get(), inputs_.data(), outputs_.data(), reason.text(), Reason::size()), reason,
          "run");
  }

 private:
  const coracle_engine& engine_;
  OwnedBlock block_;  ///< outlives the run
  std::unique_ptr<coracle_engine_run, FreeRun> run_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

class PluginBlock : public CompiledBlock {
 public:
  PluginBlock(const coracle_engine& engine, OwnedBlock block) : engine_(engine), block_(std::move(block)) {}

  std::unique_ptr<BlockRun> make_run() const override {
    coracle_engine_run* run = nullptr;
    Reason reason;
    check(engine_, engine_.make_run(block_.get(), &run, reason.text(), Reason::size()), reason, "make a run");
    require(run != nullptr, ErrorCode::kRunFailure, "engine ", engine_.name, " returned no run");
    return std::make_unique<PluginRun>(engine_, block_, run);
  }
  size_t bytes() const override { return engine_.bytes(block_.get()); }

 private:
  const coracle_engine& engine_;
  OwnedBlock block_;
};

}  // namespace

std::string plugin_fault(const coracle_engine* given, std::string_view name) {
  if (given == nullptr) {
    return text("it has no engine for version ", CORACLE_ENGINE_API_VERSION, " of the interface");
  }
  if (given->version != CORACLE_ENGINE_API_VERSION) {
    return text("it was built for version ", given->version, " of the interface, this library has version ",
                CORACLE_ENGINE_API_VERSION, ": build it with this library's coracle/engine.h");
  }
  if (given->struct_size < kLeastSize) {
    return text("its coracle_engine has ", counted(given->struct_size, "byte"), ", expected at least ", kLeastSize,
                ": set struct_size to sizeof(coracle_engine)");
  }
  const std::pair<const char*, bool> members[] = {
      {"name", given->name != nullptr},
      {"missing", given->missing != nullptr},
      {"library_version", given->library_version != nullptr},
      {"refusal", given->refusal != nullptr},
      {"compile", given->compile != nullptr},
      {"bytes", given->bytes != nullptr},
      {"free_block", given->free_block != nullptr},
      {"make_run", given->make_run != nullptr},
      {"run", given->run != nullptr},
      {"free_run", given->free_run != nullptr},
  };
  for (const auto& [member, there] : members) {
    if (!there) return text("its coracle_engine has no ", member);
  }
  if (given->name != name) return text("it is the engine ", in_quotes(given->name), ", not ", in_quotes(name));
  return {};
}

std::string PluginEngine::missing() const { return shown(engine_.missing()); }

std::string PluginEngine::version() const {
  return engine_.missing() == nullptr ? printable(text(engine_.library_version())) : std::string();
}

std::string PluginEngine::refusal(const Graph& graph, const Node& node) const {
  if (!node.regions.empty()) return "it holds graphs of its own";
  const coracle_block block(graph, node);
  Reason reason;
  const coracle_status status = engine_.refusal(&block, &block.nodes.front(), reason.text(), Reason::size());
  return status == CORACLE_OK ? std::string() : reason.said("the engine does not take it");
}

std::shared_ptr<const CompiledBlock> PluginEngine::compile(const BlockToCompile& block) const {
  const coracle_block view(block.graph, block.facts);
  const std::string precision(name_of(block.options.precision));
  coracle_engine_options options{};
  options.struct_size = sizeof(options);
  options.device = block.options.device.c_str();
  options.precision = precision.c_str();
  options.threads = std::max(block.threads, 1);
  coracle_engine_block* compiled = nullptr;
  Reason reason;
  check(engine_, engine_.compile(&view, &options, &compiled, reason.text(), Reason::size()), reason, "compile a block");
  require(compiled != nullptr, ErrorCode::kRunFailure, "engine ", engine_.name, " returned no compiled block");
  return std::make_shared<PluginBlock>(engine_, OwnedBlock(compiled, FreeBlock{&engine_}));
}

}  // namespace coracle::internal
