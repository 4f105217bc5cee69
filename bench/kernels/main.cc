// SPDX-License-Identifier: Apache-2.0
// Times kernels one by one. --help lists Google Benchmark's options; --benchmark_filter=REGEX chooses.
#include <benchmark/benchmark.h>

#include "timing.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const coracle::internal::test::ModelCase& model : coracle::internal::test::model_cases())
    coracle::internal::bench::add(model);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
