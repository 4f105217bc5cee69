// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "devices/cpu/isa.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {

/// Options that leave out kernels (or what the planner does) of that name.
inline ModelOptions without_kernels(const char* name, cpu::Isa isa = cpu::detected_isa()) {
  ModelOptions options;
  options.kernels.capability = isa;
  options.kernels.disabled = {name};
  return options;
}

/// A graph of one input must give the same bits with and without kernels of that name, on every instruction set, with
/// 1, 2 and 3 threads.
inline void expect_same_bits_without(const char* name, std::string_view graph, const std::vector<Shape>& shapes) {
  for (cpu::Isa isa : {cpu::Isa::kAvx512, cpu::Isa::kAvx2, cpu::Isa::kSse2}) {
    ModelOptions options;
    options.kernels.capability = isa;
    const auto with = model_of(graph, options);
    const auto without = model_of(graph, without_kernels(name, isa));
    for (const Shape& shape : shapes) {
      const Tensor x = random_tensor(shape, 1);
      const std::vector<Tensor> expected = run_fresh(without, {x}, {.threads = 1});
      for (int threads : {1, 2, 3}) {
        EXPECT_TRUE(same_bits(run_fresh(with, {x}, {.threads = threads}), expected))
            << text(name_of(isa), ", ", shape, ", ", threads, " threads");
      }
    }
  }
}

}  // namespace coracle::internal::test
