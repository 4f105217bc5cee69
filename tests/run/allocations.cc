// SPDX-License-Identifier: Apache-2.0
// A loop whose inputs have one size, with inputs and outputs in memory of the caller's, allocates nothing from the
// second run on: this program counts. Ten times a second runs look which processors they may use, and take memory for
// that: the least of several counts is what runs do.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "coracle/coracle.hpp"
#include "support/small_models.h"

namespace {

std::atomic<long> allocations{0};

coracle::Span<const std::byte> span_over(const std::string& s) {
  return {reinterpret_cast<const std::byte*>(s.data()), s.size()};
}

/// How often ten runs like the ones before allocate.
long allocations_of(const coracle::internal::test::ModelBytes& bytes, int threads) {
  const coracle::Model model(span_over(bytes.program), span_over(bytes.params));
  coracle::Session session(model, {.threads = threads});
  const auto set_inputs = [&] {
    for (size_t i = 0; i < bytes.inputs.size(); ++i) {
      const coracle::internal::Tensor& x = bytes.inputs[i];
      coracle::check(coracle_session_borrow_input(session.handle(), i, static_cast<coracle_dtype>(x.dtype()),
                                                  x.shape().rank(), x.shape().begin(), x.raw()));
    }
  };
  set_inputs();
  session.run();
  std::vector<std::vector<char>> memory;
  for (size_t i = 0; i < model.outputs().size(); ++i) memory.emplace_back(session.output(i).bytes());
  for (size_t i = 0; i < memory.size(); ++i) session.bind_output(i, memory[i].data(), memory[i].size());
  session.run();
  long least = std::numeric_limits<long>::max();
  for (int count = 0; count < 5; ++count) {
    const long before = allocations;
    for (int run = 0; run < 10; ++run) {
      set_inputs();
      session.run();
      coracle_tensor_view view;
      for (size_t i = 0; i < memory.size(); ++i) coracle::check(coracle_session_output(session.handle(), i, &view));
    }
    least = std::min(least, allocations - before);
  }
  return least;
}

}  // namespace

/// Counts, for the whole program.
extern "C" void* malloc(size_t bytes) {
  static void* (*const kMalloc)(size_t) = reinterpret_cast<void* (*)(size_t)>(::dlsym(RTLD_NEXT, "malloc"));
  ++allocations;
  return kMalloc(bytes);
}

int main() {
  using coracle::internal::test::ModelBytes;
  int failed = 0;
  std::vector<ModelBytes> models = {coracle::internal::test::product_model()};
  models.front().inputs = {
      coracle::internal::Tensor::of<float>(coracle::internal::Shape{3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6})};
  for (const ModelBytes& bytes : coracle::internal::test::small_pir_models()) {
    if (bytes.name.find("convolution") != std::string::npos || bytes.name.find("quantised") != std::string::npos) {
      models.push_back(bytes);
    }
  }
  for (const ModelBytes& bytes : models) {
    for (const int threads : {1, 2}) {
      const long count = allocations_of(bytes, threads);
      std::printf("%s, %d threads: %ld allocations in 10 runs, expected 0\n", bytes.name.c_str(), threads, count);
      failed += count == 0 ? 0 : 1;
    }
  }
  std::printf("%zu models, %d failed\n", models.size(), failed);
  return models.size() < 2 || allocations == 0 || failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
