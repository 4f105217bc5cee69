// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/binary.h"

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

constexpr BinaryKind kKinds[] = {BinaryKind::kAdd,    BinaryKind::kSubtract, BinaryKind::kMultiply,
                                 BinaryKind::kDivide, BinaryKind::kMaximum,  BinaryKind::kMinimum,
                                 BinaryKind::kPow,    BinaryKind::kPrelu};

double expected(BinaryKind kind, double a, double b) {
  switch (kind) {
    case BinaryKind::kAdd: return a + b;
    case BinaryKind::kSubtract: return a - b;
    case BinaryKind::kMultiply: return a * b;
    case BinaryKind::kDivide: return a / b;
    case BinaryKind::kMaximum: return a > b ? a : b;
    case BinaryKind::kMinimum: return a < b ? a : b;
    case BinaryKind::kPow: return std::pow(a, b);
    case BinaryKind::kPrelu: return a > 0 ? a : b * a;
  }
  return 0;
}

class Check {
 public:
  Check(Isa isa, BinaryKind kind, const char* form) : title_(std::string(name_of(isa)) + ' ' + form), kind_(kind) {}
  void operator()(float actual, double a, double b) {
    if (near(actual, expected(kind_, a, b), 1.2e-7, 1) || ++bad_ > 3) return;
    ADD_FAILURE() << title_ << " kind " << static_cast<int>(kind_) << ": " << a << " op " << b << " gave " << actual;
  }

 private:
  std::string title_;
  BinaryKind kind_;
  int bad_ = 0;
};

TEST(BinaryKernels, SameAndScalar) {
  for (Isa isa : tested_isas()) {
    const BinaryFunctions& table = binary_table(isa);
    for (BinaryKind kind : kKinds) {
      for (size_t size : tested_sizes()) {
        const std::vector<float> a = random_floats(size, 1), b = random_floats(size, 2);
        std::vector<float> y(size + 1, 77.0f);
        Check same(isa, kind, "same"), right(isa, kind, "scalar right"), left(isa, kind, "scalar left");
        table.same(kind, a.data(), b.data(), y.data(), size, {});
        for (size_t i = 0; i < size; ++i) same(y[i], a[i], b[i]);
        table.scalar_right(kind, a.data(), 1.25f, y.data(), size, {});
        for (size_t i = 0; i < size; ++i) right(y[i], a[i], 1.25);
        table.scalar_left(kind, 1.25f, b.data(), y.data(), size, {});
        for (size_t i = 0; i < size; ++i) left(y[i], 1.25, b[i]);
        EXPECT_EQ(y.back(), 77.0f);
      }
    }
  }
}

TEST(BinaryKernels, RowsAndColumns) {
  for (Isa isa : tested_isas()) {
    const BinaryFunctions& table = binary_table(isa);
    for (BinaryKind kind : kKinds) {
      for (size_t rows : {0, 1, 2, 5, 200}) {
        for (size_t columns : {0, 1, 2, 3, 8, 13, 16, 63, 64, 65, 200}) {
          const std::vector<float> x = random_floats(rows * columns, 3), row = random_floats(columns, 4),
                                   column = random_floats(rows, 5);
          std::vector<float> y(rows * columns + 1, 77.0f);
          Check rr(isa, kind, "row right"), rl(isa, kind, "row left"), cr(isa, kind, "column right"),
              cl(isa, kind, "column left");
          table.row_right(kind, x.data(), row.data(), y.data(), rows, columns, {});
          for (size_t i = 0; i < rows * columns; ++i) rr(y[i], x[i], row[i % columns]);
          table.row_left(kind, row.data(), x.data(), y.data(), rows, columns, {});
          for (size_t i = 0; i < rows * columns; ++i) rl(y[i], row[i % columns], x[i]);
          table.column_right(kind, x.data(), column.data(), y.data(), rows, columns, {});
          for (size_t i = 0; i < rows * columns; ++i) cr(y[i], x[i], column[i / columns]);
          table.column_left(kind, column.data(), x.data(), y.data(), rows, columns, {});
          for (size_t i = 0; i < rows * columns; ++i) cl(y[i], column[i / columns], x[i]);
          EXPECT_EQ(y.back(), 77.0f);
        }
      }
    }
  }
}

TEST(BinaryKernels, StepsAfter) {
  const UnaryStep steps[] = {{UnaryKind::kRelu}, {UnaryKind::kScaleShift, 2, 1}};
  for (Isa isa : tested_isas()) {
    for (size_t size : tested_sizes()) {
      std::vector<float> a = random_floats(size, 6);
      const std::vector<float> b = random_floats(size, 7);
      std::vector<float> y(size);
      binary_table(isa).same(BinaryKind::kAdd, a.data(), b.data(), y.data(), size, {steps, 2});
      for (size_t i = 0; i < size; ++i) EXPECT_TRUE(near(y[i], 2 * std::max(double{a[i]} + b[i], 0.0) + 1, 2e-7, 1));
      binary_table(isa).same(BinaryKind::kAdd, a.data(), b.data(), a.data(), size, {steps, 2});
      EXPECT_EQ(a, y);
    }
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
