// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fuzz/run_model.h"
#include "graph/text.h"
#include "support/graph_model.h"

// Any bytes as the text form of a graph: a graph, which its own text describes too and which is run, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::internal;
  constexpr int64_t kMaxConstantBytes = int64_t{1} << 20U;
  try {
    Graph graph = parse({reinterpret_cast<const char*>(data), size}, kMaxConstantBytes);
    const std::string printed = print(graph);
    // Elements that print leaves out may have decided the type of a result: then there is an Error.
    if (print(parse(printed, kMaxConstantBytes)) != printed) std::abort();
    test::run_within_limits(test::model_of(std::move(graph), test::kFuzzModelOptions));
  } catch (const Error&) {
  }
  return 0;
}
