// SPDX-License-Identifier: Apache-2.0
// The table of errors in docs/performance.md: products by multiply-adds and on matrix tiles (emulated where the machine
// has none) against sums in double, for made-up numbers and for what the layers of a model really multiply.
//   product_errors [MODEL/CASE of the reference folder]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "devices/cpu/gemm_plan.h"
#include "loading/model.h"
#include "run/session.h"
#include "support/reference_cases.h"

namespace coracle::internal::cpu {
namespace {

constexpr int64_t kRows = 48;
constexpr int64_t kColumns = 48;

struct Errors {
  double root_mean_square = 0;
  double largest = 0;
};

/// Relative to the root mean square of the results.
Errors errors_of(const GemmFunctions& f, int64_t depth, const std::vector<float>& a, const std::vector<float>& b) {
  GemmCall call;
  call.shape = {1, depth, kColumns};
  const GemmSource source{
      .data = b.data(), .tap_offsets = nullptr, .inner = depth, .inner_stride = kColumns, .column_stride = 1};
  std::vector<float> packed(static_cast<size_t>(f.packed_floats(call.shape)));
  f.pack(call.shape, source, packed.data(), 0, f.panels(kColumns));
  std::vector<float> c(static_cast<size_t>(kRows * kColumns));
  call.a = a.data();
  call.a_stride = depth;
  call.packed = packed.data();
  call.c = c.data();
  call.c_stride = kColumns;
  f.run(call, 0, kRows, 0, f.panels(kColumns));
  double squares = 0;
  double wanted = 0;
  double largest = 0;
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      sum += static_cast<double>(a[static_cast<size_t>(i / kColumns * depth + k)]) *
             static_cast<double>(b[static_cast<size_t>(k * kColumns + i % kColumns)]);
    }
    const double error = static_cast<double>(c[static_cast<size_t>(i)]) - sum;
    squares += error * error;
    wanted += sum * sum;
    largest = std::max(largest, std::fabs(error));
  }
  const double size = std::sqrt(wanted / static_cast<double>(kRows * kColumns));
  return {std::sqrt(squares / wanted), largest / size};
}

void print_row(const std::string& what, int64_t depth, const std::vector<float>& a, const std::vector<float>& b) {
  std::printf("| %s | %lld |", what.c_str(), static_cast<long long>(depth));
  for (ComputeMode mode : {ComputeMode::kFloat32, ComputeMode::kBf16x6, ComputeMode::kBf16x3, ComputeMode::kBf16}) {
    const Errors e = errors_of(gemm_table(detected_isa(), mode), depth, a, b);
    std::printf(" %.1e / %.1e |", e.root_mean_square, e.largest);
  }
  std::printf("\n");
}

std::vector<float> numbers(int64_t count, const std::function<float()>& next) {
  std::vector<float> all(static_cast<size_t>(count));
  std::generate(all.begin(), all.end(), next);
  return all;
}

/// Pixels of the intermediate images of a model, as rows of a product with weights of a normal distribution.
void print_model(const std::string& name, const std::function<float()>& normal) {
  const size_t slash = name.find('/');
  const test::ReferenceCase c =
      test::read_reference_case(CORACLE_SHARED, CORACLE_FILLED, name.substr(0, slash), name.substr(slash + 1));
  ModelOptions options;
  options.keep_tensors = {"*"};
  Session session(Model::load(ModelSource::on_disk(c.program, c.params), options), {});
  for (size_t i = 0; i < c.inputs.size(); ++i) session.set_input(i, c.inputs[i]);
  session.run();
  int64_t last = 0;
  for (const std::string& variable : session.model().program()->graph().output_names()) {
    const Tensor t = session.kept(variable);
    if (t.dtype() != DType::kFloat32 || t.shape().rank() != 4 || t.shape()[0] != 1 || t.shape()[1] <= last) continue;
    const int64_t pixels = t.shape()[2] * t.shape()[3];
    if (pixels < kRows) continue;
    const int64_t depth = last = t.shape()[1];
    std::vector<float> a(static_cast<size_t>(kRows * depth));
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t k = 0; k < depth; ++k) {
        a[static_cast<size_t>(r * depth + k)] = t.data<float>()[k * pixels + r * pixels / kRows];
      }
    }
    print_row(c.model, depth, a, numbers(depth * kColumns, normal));
  }
}

int run(int argc, char** argv) {
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform(0, 1);
  std::uniform_real_distribution<float> exponent(-30, 30);
  const struct {
    const char* name;
    std::function<float()> next;
  } kinds[] = {
      {"normal", [&] { return normal(engine); }},
      {"uniform in 0 to 1", [&] { return uniform(engine); }},
      {"10^-30 to 10^30", [&] { return std::pow(10.0F, exponent(engine)) * (uniform(engine) < 0.5F ? -1.0F : 1.0F); }}};
  std::printf("| numbers | sum of | float32 | x6 | x3 | bf16 |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
  for (const auto& kind : kinds) {
    for (int64_t depth : {16, 64, 256, 1024, 4096, 8192}) {
      const std::vector<float> a = numbers(kRows * depth, kind.next);
      // Products of two such wide numbers would overflow.
      const bool wide = kind.name[0] == '1';
      print_row(kind.name, depth, a, numbers(depth * kColumns, wide ? kinds[0].next : kind.next));
    }
  }
  if (argc > 1) print_model(argv[1], kinds[0].next);
  return 0;
}

}  // namespace
}  // namespace coracle::internal::cpu

int main(int argc, char** argv) { return coracle::internal::cpu::run(argc, argv); }
