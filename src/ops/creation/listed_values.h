// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>

#include "base/convert.h"
#include "graph/lowering.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// The elements that a file lists in the first of the attributes `names` that has some; nothing if none has. Complex
/// numbers are listed as their real and imaginary parts in turn.
inline std::optional<Tensor> listed_values(const AttributeMap& attributes, std::initializer_list<const char*> names,
                                           DType dtype, const Shape& shape) {
  for (const char* name : names) {
    const AttributeValue* list = attributes.find(name);
    if (list == nullptr) continue;
    const auto* integers = is_complex(dtype) ? nullptr : std::get_if<Ints>(list);
    const Floats reals = integers == nullptr ? attributes.get<Floats>(name) : Floats{};
    const size_t count = integers != nullptr ? integers->size() : reals.size();
    if (count == 0) continue;
    Tensor values = Tensor::make(dtype, shape);
    const int64_t parts = is_complex(dtype) ? 2 : 1;
    require(static_cast<int64_t>(count) == checked_multiply(values.count(), parts), name, " has ", count,
            parts == 2 ? " real and imaginary parts" : " elements", " for shape ", shape);
    visit_number(dtype, [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      for (size_t i = 0; i < static_cast<size_t>(values.count()); ++i) {
        if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
          values.data<T>()[i] = T(std::complex<double>(reals[2 * i], reals[2 * i + 1]));
        } else {
          values.data<T>()[i] = integers != nullptr ? convert<T>((*integers)[i]) : convert<T>(reals[i]);
        }
      }
    });
    return values;
  }
  return std::nullopt;
}

}  // namespace coracle::internal
