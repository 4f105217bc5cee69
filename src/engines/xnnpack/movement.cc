// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "converters.h"
#include "window.h"

namespace coracle_xnnpack {
namespace {

void build_reshape(Builder& b, const Node& node) {
  b.set_result(node, b.reshape(b.operand(node, "x"), node.dims(node.out())));
}

void build_assign(Builder& b, const Node& node) { b.set_result(node, b.operand(node, "x")); }

/// The axis that an operand gives; 0 where it is absent.
size_t given_axis(const Node& node, size_t rank) { return axis_of(whole(node.number("axis", 0)), rank); }

void build_concat(Builder& b, const Node& node) {
  const Dims out = node.dims(node.out());
  const size_t axis = given_axis(node, out.size());
  const ValueNumber y = b.make_like(b.operand(node, "x"), out);
  int64_t begin = 0;
  for (size_t i = 0; i < node.count("x"); ++i) {
    const ValueNumber x = b.operand(node, node.in("x", i));
    require(b.dims(x).size() == out.size(), "its operands differ in rank");
    Value part = b.program().value(y);
    const int64_t step = part.strides()[axis];
    const Dims steps = part.strides();
    StridedCopy copy = whole_copy(b.program().value(x), b.program().value(x));
    for (size_t d = 0; d < out.size(); ++d) copy.axes[d].to = steps[d];
    copy.to_start = begin * step;
    begin += b.dims(x)[axis];
    b.copy(x, y, copy);
  }
  require(begin == out[axis], "its operands do not make up its result");
  b.set_result(node, y);
}

/// The part of x from `starts` on that a value of shape `part` (of the same rank) holds.
ValueNumber cut(Builder& b, ValueNumber x, const Dims& starts, const Dims& part) {
  const ValueNumber y = b.make_like(x, part);
  const Dims read = b.program().value(x).strides();
  StridedCopy copy = whole_copy(b.program().value(y), b.program().value(y));
  for (size_t d = 0; d < part.size(); ++d) {
    require(starts[d] >= 0 && starts[d] + part[d] <= b.dims(x)[d], "a part lies outside of x");
    copy.axes[d].from = read[d];
    copy.from_start += starts[d] * read[d];
  }
  b.copy(x, y, copy);
  return y;
}

void build_split(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "x");
  const size_t axis = given_axis(node, b.dims(x).size());
  Dims starts(b.dims(x).size(), 0);
  for (size_t i = 0; i < node.result_count(); ++i) {
    const Dims part = node.dims(node.out(i));
    b.set_result(node, cut(b, x, starts, part), i);
    starts[axis] += part[axis];
  }
}

void build_slice(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "input");
  const Dims& shape = b.dims(x);
  const Dims axes = node.list("axes");
  const Dims from = node.integers("starts");
  const Dims to = node.integers("ends");
  require(from.size() == axes.size() && to.size() == axes.size(), "it has no start and end for each axis");
  Dims starts(shape.size(), 0);
  Dims part = shape;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = axis_of(axes[i], shape.size());
    const auto place = [&](int64_t p) { return std::clamp<int64_t>(p < 0 ? p + shape[axis] : p, 0, shape[axis]); };
    starts[axis] = place(from[i]);
    part[axis] = place(to[i]) - starts[axis];
  }
  // What decrease_axis drops has one element.
  b.set_result(node, b.reshape(cut(b, x, starts, part), node.dims(node.out())));
}

void build_transpose(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "x");
  Dims order = node.list("perm");
  for (int64_t& axis : order) axis = static_cast<int64_t>(axis_of(axis, b.dims(x).size()));
  const ValueNumber y = b.make_like(x, node.dims(node.out()));
  b.copy(x, y, whole_copy(b.program().value(x), b.program().value(y), order));
  b.set_result(node, y);
}

void build_stack(Builder& b, const Node& node) {
  const Dims out = node.dims(node.out());
  const size_t axis = axis_of(node.integer("axis", 0), out.size());
  const ValueNumber y = b.make_like(b.operand(node, "x"), out);
  const Dims write = b.program().value(y).strides();
  for (size_t i = 0; i < node.count("x"); ++i) {
    const ValueNumber x = b.operand(node, node.in("x", i));
    StridedCopy copy = whole_copy(b.program().value(x), b.program().value(x));
    for (size_t d = 0; d < copy.axes.size(); ++d) copy.axes[d].to = write[d < axis ? d : d + 1];
    copy.to_start = static_cast<int64_t>(i) * write[axis];
    b.copy(x, y, copy);
  }
  b.set_result(node, y);
}

void check_shuffle(const Node& node) {
  require(node.rank(node.in("x")) == 4, "x is not an image");
  require_channels_first(node);
}

void build_pixel_shuffle(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "x");
  const ValueNumber y = b.make_like(x, node.dims(node.out()));
  const int64_t r = node.integer("upscale_factor", 1);
  const Dims read = b.program().value(x).strides();
  const Dims write = b.program().value(y).strides();
  const Dims& in = b.dims(x);
  StridedCopy copy;
  copy.axes = {{in[0], read[0], write[0]},     {in[1] / (r * r), r * r * read[1], write[1]},
               {r, r * read[1], write[2]},     {r, read[1], write[3]},
               {in[2], read[2], r * write[2]}, {in[3], read[3], r * write[3]}};
  b.copy(x, y, copy);
  b.set_result(node, y);
}

void build_channel_shuffle(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "x");
  const ValueNumber y = b.make_like(x, node.dims(node.out()));
  const int64_t groups = node.integer("groups", 1);
  const Dims read = b.program().value(x).strides();
  const Dims write = b.program().value(y).strides();
  const Dims& in = b.dims(x);
  const int64_t members = in[1] / groups;
  StridedCopy copy;
  copy.axes = {{in[0], read[0], write[0]},
               {groups, members * read[1], write[1]},
               {members, read[1], groups * write[1]},
               {in[2], read[2], write[2]},
               {in[3], read[3], write[3]}};
  b.copy(x, y, copy);
  b.set_result(node, y);
}

/// Elements before and behind each dimension, those of the shape.
using Amounts = std::vector<std::pair<int64_t, int64_t>>;

Amounts amounts_of(const Node& node) {
  const auto rank = static_cast<size_t>(node.rank(node.in("x")));
  if (node.op() == "pad") {
    const Dims p = node.list("paddings");
    require(p.size() == 2 * rank, "it has no two paddings for each dimension");
    Amounts amounts;
    for (size_t d = 0; d < rank; ++d) amounts.emplace_back(p[2 * d], p[2 * d + 1]);
    return amounts;
  }
  const size_t spatial = node.op() == "pad2d" ? 2 : 3;
  Dims p = node.integers("paddings");
  if (p.empty()) p.assign(2 * spatial, 0);
  require(rank == spatial + 2 && p.size() == 2 * spatial, "its paddings do not fit x");
  const bool last = !node.word("data_format").empty() && node.word("data_format").back() == 'C';
  Amounts amounts(rank);
  for (size_t i = 0; i < spatial; ++i) {
    // pad2d has the height first, pad3d the width.
    const size_t from = spatial == 2 ? i : spatial - 1 - i;
    amounts[i + (last ? 1 : 2)] = {p[2 * from], p[2 * from + 1]};
  }
  return amounts;
}

void check_pad(const Node& node) {
  require(node.word("mode").empty() || node.word("mode") == "constant", "its mode is " + node.word("mode"));
  for (const auto& [before, after] : amounts_of(node)) require(before >= 0 && after >= 0, "a padding is negative");
}

void build_pad(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "x");
  Amounts amounts = amounts_of(node);
  if (amounts.empty()) return b.set_result(node, x);
  if (amounts.size() == 4) std::rotate(amounts.begin() + 1, amounts.begin() + 2, amounts.end());
  std::vector<size_t> before;
  std::vector<size_t> after;
  for (const auto& [front, behind] : amounts) {
    before.push_back(narrow(front));
    after.push_back(narrow(behind));
  }
  const auto value = static_cast<float>(node.op() == "pad" ? node.number("pad_value", 0) : node.real("pad_value", 0));
  b.set_result(node, b.pad(x, node.dims(node.out()), std::move(before), std::move(after), value));
}

constexpr Types kEither = Types::kEither;

constexpr Converter kMovementConverters[] = {
    {"reshape", "x", "", "", "shape", nullptr, build_reshape, kEither},
    {"flatten", "x", "", "", "", nullptr, build_reshape, kEither},
    {"flatten2", "x", "", "", "", nullptr, build_reshape, kEither},
    {"squeeze", "x", "", "", "axis", nullptr, build_reshape, kEither},
    {"unsqueeze", "x", "", "", "axis", nullptr, build_reshape, kEither},
    {"assign", "x", "", "", "", nullptr, build_assign, kEither},
    {"concat", "x", "", "axis", "", nullptr, build_concat, kEither},
    {"split", "x", "", "axis", "sections", nullptr, build_split, kEither, true},
    {"split_with_num", "x", "", "axis", "", nullptr, build_split, kEither, true},
    {"slice", "input", "", "starts ends", "", nullptr, build_slice, kEither},
    {"transpose", "x", "", "", "", nullptr, build_transpose, kEither},
    {"stack", "x", "", "", "", nullptr, build_stack, kEither},
    {"pixel_shuffle", "x", "", "", "", check_shuffle, build_pixel_shuffle, kEither},
    {"channel_shuffle", "x", "", "", "", check_shuffle, build_channel_shuffle, kEither},
    {"pad", "x", "", "pad_value", "", check_pad, build_pad},
    {"pad2d", "x", "", "paddings", "", check_pad, build_pad},
    {"pad3d", "x", "", "paddings", "", check_pad, build_pad},
};

}  // namespace

std::span<const Converter> movement_converters() { return kMovementConverters; }

}  // namespace coracle_xnnpack
