// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <optional>

#include "base/copy_bytes.h"
#include "base/size.h"
#include "graph/op.h"

namespace coracle::internal {

/// Tensors one after the other in the memory of one: output i has the shape of input i, fused_output has all of their
/// elements, each followed by zeros up to the next multiple of align_size bytes (use_align). With set_constant and
/// without copy_data all elements are `constant`. With neither Paddle leaves them as they are in memory; here they are
/// copied.
struct CoalesceTensor {
  static constexpr const char* kName = "coalesce_tensor";
  static constexpr const char* kLegacy[] = {"coalesce_tensor"};
  static constexpr Port kInputs[] = {list_in("input", "Input")};
  static constexpr Port kOutputs[] = {list_out("output", "Output"), out("fused_output", "FusedOutput")};
  std::optional<DType> dtype;
  bool copy_data = false;
  bool set_constant = false;
  float constant = 0;
  bool use_align = true;
  int64_t align_size = -1;  ///< below 1: as Paddle aligns on CPUs
  int64_t size_of_dtype = -1;
  Ints concated_shapes;
  Ints concated_ranks;
  void attributes(AttributeVisitor& visit) {
    visit("dtype", dtype);
    visit("copy_data", copy_data);
    visit("set_constant", set_constant);
    visit("constant", constant);
    visit("use_align", use_align);
    visit("align_size", align_size);
    visit("size_of_dtype", size_of_dtype, "user_defined_size_of_dtype");
    visit("concated_shapes", concated_shapes);
    visit("concated_ranks", concated_ranks);
  }
  friend bool operator==(const CoalesceTensor&, const CoalesceTensor&) = default;
};

/// Elements that a tensor of `count` takes in the fused one.
inline int64_t coalesced_count(const CoalesceTensor& op, DType dtype, int64_t count) {
  constexpr int64_t kAlignment = 4096;
  const int64_t size = op.size_of_dtype > 0 ? op.size_of_dtype : static_cast<int64_t>(size_of(dtype));
  if (!op.use_align) return count;
  return (Size(count) * size).rounded_up(op.align_size > 0 ? op.align_size : kAlignment).count() / size;
}

inline void infer(const CoalesceTensor& op, InferArgs& a) {
  require(a.count(0) > 0 && a.count(0) == a.out_count(0), "there are ", a.count(0), " inputs and ", a.out_count(0),
          " outputs, expected as many of both, and one at least");
  const DType dtype = op.dtype.value_or(a.dtype(0));
  require(op.align_size < int64_t{1} << 40 && op.size_of_dtype <= 16, "align_size is ", op.align_size,
          " and size_of_dtype ", op.size_of_dtype, ", expected at most 2^40 and 16");
  require(op.concated_ranks.empty() || static_cast<int>(op.concated_ranks.size()) == a.count(0), "concated_ranks has ",
          op.concated_ranks.size(), " elements, but there are ", a.count(0), " inputs");
  Size all = 0;
  bool known = true;
  size_t at = 0;
  for (int i = 0; i < a.count(0); ++i) {
    require(a.dtype(0, i) == dtype, "input ", i, " is ", a.dtype(0, i), ", expected ", dtype);
    Shape y = a.shape(0, i);
    if (!op.concated_shapes.empty() && !op.concated_ranks.empty()) {
      const int64_t rank = op.concated_ranks[static_cast<size_t>(i)];
      require(rank >= 0 && rank <= Shape::kMaxRank && static_cast<size_t>(rank) <= op.concated_shapes.size() - at,
              "concated_ranks are ", Shape(op.concated_ranks), ", but concated_shapes has ", op.concated_shapes.size(),
              " elements");
      Ints dims(op.concated_shapes.begin() + static_cast<std::ptrdiff_t>(at),
                op.concated_shapes.begin() + static_cast<std::ptrdiff_t>(at + static_cast<size_t>(rank)));
      at += static_cast<size_t>(rank);
      const Shape given{dims};
      require(given.known() && (!y.known() || y.count() == given.count()), "input ", i, " is ", y,
              ", but its part of concated_shapes ", given);
      y = given;
    }
    a.set(0, dtype, y, i);
    known = known && y.known();
    if (known) all += coalesced_count(op, dtype, y.count());
  }
  a.set(1, dtype, Shape{known ? all.count() : Shape::kUnknown});
}

inline void reference(const CoalesceTensor& op, ReferenceArgs& a) {
  const DType dtype = a.in(0).dtype();
  const bool filled = op.set_constant && !op.copy_data;
  Size all = 0;
  for (int i = 0; i < a.count(0); ++i) all += coalesced_count(op, dtype, a.in(0, i).count());
  if (a.out(1).empty_handle()) a.out(1) = a.make(dtype, Shape{all.count()});
  if (a.out(1).bytes() != 0) std::memset(a.out(1).raw(), 0, a.out(1).bytes());
  if (filled) {
    visit_real(dtype, [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      std::fill_n(a.out(1).data<T>(), a.out(1).count(), static_cast<T>(op.constant));
    });
  }
  size_t at = 0;
  for (int i = 0; i < a.count(0); ++i) {
    const Tensor& x = a.in(0, i);
    if (a.out(0, i).empty_handle()) a.out(0, i) = a.make(dtype, x.shape());
    char* part = a.out(1).data<char>() + at;
    if (x.bytes() != 0) {
      if (!filled) copy_bytes(part, x.raw(), x.bytes());
      copy_bytes(a.out(0, i).raw(), part, x.bytes());
    }
    at += static_cast<size_t>(coalesced_count(op, dtype, x.count())) * size_of(dtype);
  }
}

inline constexpr const OpSchema* coalesce_tensor_op = &kOpSchema<CoalesceTensor>;

}  // namespace coracle::internal
