// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "graph/lowering.h"
#include "ops/common/operands.h"
#include "ops/common/sharing_lod.h"
#include "ops/movement/split_with_num.h"

namespace coracle::internal {

/// Parts of `sections` elements on `axis` (0 where absent); one section may be -1: the rest.
struct Split {
  static constexpr const char* kName = "split";
  static constexpr const char* kLegacy[] = {"split"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("sections", "sections", "", "SectionsTensorList"),
                                     shape_in("axis", "axis", "AxisTensor")};
  static constexpr Port kOutputs[] = {list_out("out", "Out")};
  friend bool operator==(const Split&, const Split&) = default;
  static void lower(Lowering& l);
};

/// The sections with -1 replaced; Error unless they add up to `dim`.
inline Ints split_sections(Ints sections, int64_t dim) {
  int64_t sum = 0;
  int64_t* rest = nullptr;
  for (int64_t& s : sections) {
    require(s >= 0 || (s == -1 && rest == nullptr), "sections ", Shape(sections), " are not valid");
    if (s < 0) {
      rest = &s;
    } else {
      sum = checked_add(sum, s);
    }
  }
  require(rest != nullptr ? sum <= dim : sum == dim, "sections of ", sum, " elements in all do not fit a dimension of ",
          dim);
  if (rest != nullptr) *rest = dim - sum;
  return sections;
}

inline void infer(const Split&, InferArgs& a) {
  require_operand(a, 1, "sections");
  const Shape& x = a.shape(0);
  const std::optional<Ints> sections = a.ints(1);
  const std::optional<double> axis_value = a.has(2) ? a.number(2) : 0.0;
  const int outputs = a.out_count(0);
  require(!sections || static_cast<int>(sections->size()) == outputs, "split has ", sections ? sections->size() : 0,
          " sections and ", outputs, " results");
  if (!x.rank_known() || !axis_value) {
    const Shape y = x.rank_known() ? Shape::filled(x.rank(), Shape::kUnknown) : x;
    for (int i = 0; i < outputs; ++i) a.set(0, a.dtype(0), y, i);
    return;
  }
  const int axis = normalize_axis(position(*axis_value), x.rank());
  Ints sizes(static_cast<size_t>(outputs), Shape::kUnknown);
  if (sections) sizes = x[axis] < 0 ? *sections : split_sections(*sections, x[axis]);
  for (int i = 0; i < outputs; ++i) {
    Shape y = x;
    y[axis] = sizes[static_cast<size_t>(i)];
    a.set(0, a.dtype(0), y, i);
    if (axis != 0) share_lod(a, 0, 0, i);
  }
}

inline void reference(const Split&, ReferenceArgs& a) {
  const Around x(a.shape(0), normalize_axis(a.has(2) ? a.in(2).integer(0) : 0, a.shape(0).rank()));
  const Ints sections = split_sections(a.in(1).integers(a.context()), x.dim);
  int64_t begin = 0;
  for (int i = 0; i < a.out_count(0); ++i) {
    const int64_t row = sections[static_cast<size_t>(i)] * x.inner;
    copy_rows_out(a.context(), a.in(0), a.out(0, i), x.outer, row, x.dim * x.inner, begin);
    begin += row;
  }
}

inline std::optional<StridedView> view_of_result(const Split&, const NodeFacts& f, const StridedView& x, int result) {
  return view_of_section(f, x, f.value(2), result);
}

/// ProgramDesc's split may have a number of equal parts instead.
inline void Split::lower(Lowering& l) {
  const bool by_number = !l.is_pir() && l.attribute<int64_t>("num") > 0;
  l.lower_by_ports(by_number ? kOpSchema<SplitWithNum> : kOpSchema<Split>);
}

inline constexpr const OpSchema* split_op = &kOpSchema<Split>;

}  // namespace coracle::internal
