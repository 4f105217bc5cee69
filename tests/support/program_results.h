// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "model/load.h"
#include "support/memory_file.h"
#include "support/program_writer.h"

/// Runs of small programs that say what an operator must be equal to.
namespace coracle::internal::test {

struct Input {
  std::string name;
  Dims dims;
  std::vector<int64_t> integers = {};  ///< the values of an integer tensor; else real ones are made
};

inline Tensor tensor_of(const Input& input, size_t number) {
  const Shape shape(input.dims);
  if (!input.integers.empty()) return Tensor::of<int64_t>(shape, input.integers);
  std::vector<float> values(static_cast<size_t>(shape.count()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(static_cast<float>(i) * 1.7F + static_cast<float>(number) * 0.9F);
  }
  return Tensor::of<float>(shape, values);
}

/// What a program of these operators gives for variable "y".
inline std::vector<double> run(const std::vector<Input>& inputs, const std::vector<OpWriter>& operators) {
  BlockWriter block;
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int type = inputs[i].integers.empty() ? kFloat32 : kInt64;
    add_feed(block, inputs[i].name, type, inputs[i].dims, static_cast<int>(i));
    tensors.push_back(tensor_of(inputs[i], i));
  }
  for (const OpWriter& op : operators) block.operators.push_back(op);
  add_fetch(block, "y", 0);
  const std::string program = program_file({block});
  const LoadedModel model = load_model(ModelSource::in_memory(memory_file(program), memory_file("")));
  return evaluate_graph(model.graph, tensors).front().doubles();
}

inline void expect_same(const std::vector<Input>& inputs, const OpWriter& fused, const std::vector<OpWriter>& plain) {
  const std::vector<double> got = run(inputs, {fused});
  const std::vector<double> expected = run(inputs, plain);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 2e-5) << "element " << i;
}

}  // namespace coracle::internal::test
