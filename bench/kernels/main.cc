// SPDX-License-Identifier: Apache-2.0
// Times kernels one by one. --help lists Google Benchmark's options; --benchmark_filter=REGEX chooses.
#include <benchmark/benchmark.h>

#include "families.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  coracle::bench::add_conv2d();
  coracle::bench::add_depthwise_conv2d();
  coracle::bench::add_conv2d_transpose();
  coracle::bench::add_linear();
  coracle::bench::add_matmul();
  coracle::bench::add_norm();
  coracle::bench::add_rnn();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
