// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/input/inputs.h"
#include "cli/model_options.h"

namespace coracle::cli {

struct NamedInput {
  std::string name;
  Input input;
};

struct Output {
  std::string name;
  client::Tensor array;
};

/// A result of an operator. A name that is computed several times (in loops, or in place) counts up: the k-th has the
/// key "name#k".
struct SeenValue {
  std::string key;
  std::string name;
  std::string node;  ///< the operator's place in the model, where the engine tells
  std::string op;
};

/// What is compared: a model under certain options, another engine, or files.
class Side {
 public:
  /// `array` is null where no values were asked for.
  using See = std::function<void(const SeenValue& value, const client::Tensor* array)>;

  Side() = default;
  virtual ~Side() = default;
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  /// What it is, in a line.
  virtual std::string text() const = 0;
  /// `set` is the number of the inputs, for stored results. Output names are empty where they are not known.
  virtual std::vector<Output> run(const std::vector<NamedInput>& inputs, size_t set) = 0;
  /// Whether it shows results of operators.
  virtual bool shows_values() const { return false; }
  /// Shows results of operators that have a name, in the order they are computed: those with the keys `wanted` with
  /// their content, or without `wanted` all of them without.
  virtual void observe(const std::vector<NamedInput>& /*inputs*/, const std::set<std::string>* /*wanted*/,
                       const See& /*see*/) {}
};

/// A model in this library.
class ModelSide : public Side {
 public:
  ModelSide(std::string label, ModelArguments arguments, coracle::SessionOptions session);

  std::string text() const override { return label_; }
  std::vector<Output> run(const std::vector<NamedInput>& inputs, size_t set) override;
  bool shows_values() const override { return true; }
  void observe(const std::vector<NamedInput>& inputs, const std::set<std::string>* wanted, const See& see) override;

  const coracle::Model& model() const { return model_; }
  const ModelArguments& arguments() const { return arguments_; }
  /// The same with other options of the model.
  std::unique_ptr<ModelSide> with(const coracle::ModelOptions& options) const;
  /// The kernel of a node for these inputs; empty if it has none of its own.
  std::string kernel_of(const std::string& node, const std::vector<NamedInput>& inputs) const;

 private:
  coracle::Session session(const std::vector<NamedInput>& inputs) const;

  std::string label_;
  ModelArguments arguments_;
  coracle::SessionOptions session_options_;
  coracle::Model model_;
};

/// Sets one "KEY=VALUE" of --a or --b (`option`): an option of the model, as "isa=avx2", "passes=off" or "threads=2".
/// Throws Failure that names all keys.
void set_side_option(const std::string& option, const std::string& entry, ModelArguments& model,
                     coracle::SessionOptions& session);

/// Stored results: for each set of inputs a folder with 0.npy, 1.npy, ... or NAME.npy, or files as NAME=FILE.npy.
/// Throws Failure unless each set has at least one of `outputs`.
std::unique_ptr<Side> stored_side(const std::vector<std::string>& expected,
                                  const std::vector<coracle::TensorInfo>& outputs, size_t sets);

}  // namespace coracle::cli
