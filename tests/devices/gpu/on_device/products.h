// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/gpu/on_device/library_calls.h"

namespace coracle::internal::test {

/// a [rows, depth] times b [depth, columns], each without gaps.
inline gpu::Product plain(int64_t rows, int64_t columns, int64_t depth) {
  const auto step = [](int64_t size, int64_t value) { return size == 1 ? 0 : value; };
  return {.matrices = {.rows = rows,
                       .columns = columns,
                       .depth = depth,
                       .a_row = step(rows, depth),
                       .a_depth = step(depth, 1),
                       .b_depth = step(depth, columns),
                       .b_column = step(columns, 1),
                       .batch = {}}};
}

/// Products by a library of the device's maker.
template <class Base>
class Products : public LibraryCalls<Base> {
 protected:
  using LibraryCalls<Base>::run;
  std::shared_ptr<const gpu::Function> made(const gpu::Product& product) { return this->gpu().product(product); }
  std::vector<float> run(const gpu::Product& product, int64_t count, const std::vector<std::vector<float>>& operands) {
    return run(made(product), count, operands);
  }
};

}  // namespace coracle::internal::test
