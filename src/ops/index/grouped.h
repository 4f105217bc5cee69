// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "base/buffer.h"
#include "ops/common/binary.h"
#include "ops/common/indices.h"
#include "ops/index/gathering.h"

/// Rows that are gathered in groups: the operators of graph networks.
namespace coracle::internal {

enum class GroupReduction : uint8_t { kSum, kMean, kMax, kMin };

inline std::span<const std::string_view> names_of(GroupReduction) {
  static constexpr std::string_view kNames[] = {"SUM", "MEAN", "MAX", "MIN"};
  return kNames;
}

/// What passes along an edge, of the element of its source and that of the edge (or of its target).
enum class EdgeMessage : uint8_t { kAdd, kMultiply };

inline std::span<const std::string_view> names_of(EdgeMessage) {
  static constexpr std::string_view kNames[] = {"ADD", "MUL"};
  return kNames;
}

inline double message_of(EdgeMessage kind, double x, double y) { return kind == EdgeMessage::kAdd ? x + y : x * y; }

/// Groups of rows of `width` numbers; a group that nothing joins is 0. Tensors: files may ask for more groups than
/// there is memory for.
class RowGroups {
 public:
  RowGroups(const RunContext& context, GroupReduction kind, int64_t groups, int64_t width)
      : kind_(kind),
        width_(width),
        values_(Tensor::make(context, DType::kFloat64, {groups, width})),
        counts_(Tensor::make(context, DType::kInt64, {groups})) {
    std::fill_n(values_.data<double>(), values_.count(), 0.0);
    std::fill_n(counts_.data<int64_t>(), counts_.count(), 0);
  }

  void add(int64_t group, const double* row) {
    double* to = values_.data<double>() + group * width_;
    const bool first = counts_.data<int64_t>()[group]++ == 0;
    for (int64_t i = 0; i < width_; ++i) {
      if (kind_ == GroupReduction::kMax || kind_ == GroupReduction::kMin) {
        to[i] = first ? row[i] : kind_ == GroupReduction::kMax ? std::max(to[i], row[i]) : std::min(to[i], row[i]);
      } else {
        to[i] += row[i];
      }
    }
  }
  /// The finished rows; no more can be added.
  std::span<const double> finish() {
    double* values = values_.data<double>();
    const auto size = static_cast<size_t>(values_.count());
    for (size_t i = 0; kind_ == GroupReduction::kMean && i < size; ++i) {
      values[i] /= std::max<double>(static_cast<double>(counts()[i / static_cast<size_t>(width_)]), 1.0);
    }
    return {values, size};
  }
  std::span<const int64_t> counts() const { return {counts_.data<int64_t>(), static_cast<size_t>(counts_.count())}; }

 private:
  GroupReduction kind_;
  int64_t width_;
  Tensor values_;
  Tensor counts_;
};

/// Checks the ends of edges at ports `source` and `target`: integers, as many.
inline void check_edges(const InferArgs& a, int source, int target) {
  for (int port : {source, target}) {
    require(is_integer(a.dtype(port)), "the ends of edges are ", a.dtype(port), ", expected integers");
  }
  require(compatible(a.shape(source), a.shape(target)), "edges have ", a.shape(source), " sources and ",
          a.shape(target), " targets");
}

/// Shape of the messages between rows of x and y: their rows broadcast, `edges` of them.
inline Shape message_shape(Shape x, Shape y, int64_t edges) {
  if (!x.rank_known() || !y.rank_known()) return Shape::unknown_rank();
  require(x.rank() > 0 && y.rank() > 0, "x is ", x, " and y ", y, ", expected rows");
  x.erase(0);
  y.erase(0);
  Shape rows = broadcast(x, y);
  rows.insert(0, edges);
  return rows;
}

/// f(edge, message row) for each edge from row sources[e] of x to row y_rows[e] of y; messages call the latter
/// `y_rows_are`.
template <class F>
void each_message(const RunContext& context, const Tensor& x, const Tensor& y, EdgeMessage kind,
                  std::span<const int64_t> sources, std::span<const int64_t> y_rows, const char* y_rows_are,
                  const F& f) {
  const Shape s = message_shape(x.shape(), y.shape(), 1);
  Shape of_x = x.shape();
  Shape of_y = y.shape();
  of_x[0] = of_y[0] = 1;
  const int64_t x_width = of_x.count();
  const int64_t y_width = of_y.count();
  // Both rows with the rank of the message.
  while (of_x.rank() < s.rank()) of_x.insert(0, 1);
  while (of_y.rank() < s.rank()) of_y.insert(0, 1);
  std::vector<std::pair<int64_t, int64_t>> places(static_cast<size_t>(s.count()));
  BroadcastWalk(s, of_x, of_y).each(context, [&](int64_t i, int64_t p, int64_t q) {
    places[static_cast<size_t>(i)] = {p, q};
  });
  const Buffer<double> xs = doubles_of(context, x);
  const Buffer<double> ys = doubles_of(context, y);
  Buffer<double> row(places.size(), context);
  for (size_t e = 0; e < sources.size(); ++e) {
    const auto edge = static_cast<int64_t>(e);
    const double* from = xs.data() + index_from_front(sources[e], x.shape()[0], "Src_index", edge) * x_width;
    const double* with = ys.data() + index_from_front(y_rows[e], y.shape()[0], y_rows_are, edge) * y_width;
    for (size_t i = 0; i < row.size(); ++i) row[i] = message_of(kind, from[places[i].first], with[places[i].second]);
    f(e, row.data());
  }
}

/// Rows of the result of gathering at targets: out_size where it is positive, else as many as x has.
inline int64_t gathered_rows(const ReferenceArgs& a, int port) {
  const int64_t given = a.has(port) && a.in(port).count() > 0 ? a.in(port).integer(0) : 0;
  return given > 0 ? given : a.shape(0)[0];
}

}  // namespace coracle::internal
