// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/contraction.h"

#include <algorithm>
#include <map>

#include "base/size.h"

namespace coracle::internal::cpu {
namespace {

/// Rows of a part that a thread takes.
constexpr int64_t kRowTile = 12;
/// With fewer rows, or with a right matrix that stays in the level-1 cache, packing does not pay; with more rows, tiles
/// of packed matrices do less.
constexpr int64_t kFewRows = 8;
constexpr int64_t kManyRows = 256;
constexpr int64_t kSmallMatrix = 4096;
constexpr int64_t kLevel1Matrix = 8192;

using Labels = std::vector<ContractionLabel>;

bool is_batch(const ContractionLabel& l) { return l.a != 0 && l.b != 0 && l.c != 0; }
bool is_row(const ContractionLabel& l) { return l.a != 0 && l.b == 0; }
bool is_column(const ContractionLabel& l) { return l.a == 0; }
bool is_depth(const ContractionLabel& l) { return l.c == 0; }

template <class F>
Labels those(const Labels& labels, F matches) {
  Labels chosen;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(chosen), matches);
  return chosen;
}

/// The labels that follow each other as one dimension from `first` on, innermost first: taken out of `labels`.
template <class Joins>
Labels take_run(Labels& labels, size_t first, const Joins& joins) {
  Labels run{labels[first]};
  labels.erase(labels.begin() + static_cast<int64_t>(first));
  for (;;) {
    const auto next =
        std::find_if(labels.begin(), labels.end(), [&](const ContractionLabel& l) { return joins(run.back(), l); });
    if (next == labels.end()) return run;
    run.push_back(*next);
    labels.erase(next);
  }
}

int64_t size_of_run(const Labels& run) {
  int64_t n = 1;
  for (const ContractionLabel& l : run) n *= l.size;
  return n;
}

/// The longest run.
template <class Joins>
Labels take_longest_run(Labels& labels, const Joins& joins) {
  size_t best = 0;
  int64_t longest = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    Labels rest = labels;
    const int64_t n = size_of_run(take_run(rest, i, joins));
    if (n > longest) {
      longest = n;
      best = i;
    }
  }
  return labels.empty() ? Labels{} : take_run(labels, best, joins);
}

bool joins_rows(const ContractionLabel& inner, const ContractionLabel& outer) {
  return outer.a == inner.a * inner.size && outer.c == inner.c * inner.size;
}
bool joins_columns(const ContractionLabel& inner, const ContractionLabel& outer) {
  return outer.b == inner.b * inner.size && outer.c == inner.c * inner.size;
}

void swap_operands(Labels& labels) {
  for (ContractionLabel& l : labels) std::swap(l.a, l.b);
}

/// The summed labels, outermost first, neighbours joined.
Labels joined_depth(Labels depth) {
  std::stable_sort(depth.begin(), depth.end(),
                   [](const ContractionLabel& x, const ContractionLabel& y) { return x.a > y.a; });
  Labels joined;
  for (const ContractionLabel& l : depth) {
    if (!joined.empty() && joined.back().a == l.a * l.size && joined.back().b == l.b * l.size) {
      joined.back().size *= l.size;
      joined.back().a = l.a;
      joined.back().b = l.b;
    } else {
      joined.push_back(l);
    }
  }
  return joined;
}

/// The step of dimensions, outermost first, that follow each other as one; 0 where they do not.
int64_t common_step(const Labels& labels, int64_t ContractionLabel::*step) {
  if (labels.empty()) return 1;
  for (size_t i = 0; i + 1 < labels.size(); ++i) {
    if (labels[i].*step != labels[i + 1].size * (labels[i + 1].*step)) return 0;
  }
  return labels.back().*step;
}

int64_t largest_step(const ContractionLabel& l) { return l.c; }

/// Offsets numbered in the order in which they come.
class Numbering {
 public:
  int64_t number(int64_t offset) {
    const auto [at, added] = numbers_.try_emplace(offset, static_cast<int64_t>(offsets_.size()));
    if (added) offsets_.push_back(offset);
    return at->second;
  }
  std::vector<int64_t> offsets() && { return std::move(offsets_); }

 private:
  std::map<int64_t, int64_t> numbers_;
  std::vector<int64_t> offsets_;
};

/// Room for so many elements, on a line of the cache; gives where.
size_t take_room(size_t& total, Size count, size_t element) {
  const size_t at = total;
  total = (total + (count * element).rounded_up(64)).bytes();
  return at;
}

}  // namespace

RejectionReason Contraction::rejection(const Labels& labels) {
  int64_t copies = 1;
  bool matrix = false;
  for (const ContractionLabel& l : labels) {
    if (l.size == 0) return "no elements";
    if (l.size == 1) continue;
    if (l.a == 0 && l.b == 0) return "a dimension of the result is in no operand";
    if (l.c == 0 && (l.a == 0 || l.b == 0)) return "a dimension of one operand alone is summed";
    matrix = matrix || !is_batch(l);
    if (is_batch(l)) copies *= l.size;
  }
  if (!matrix && copies > 1) return "no matrices";
  int summed = 0;
  for (const ContractionLabel& l : labels) summed += l.size > 1 && is_depth(l) ? 1 : 0;
  return static_cast<int>(labels.size()) >= Permutation::kMaxRank || summed + 1 >= Permutation::kMaxRank
             ? "too many dimensions"
             : nullptr;
}

Contraction::Contraction(Labels labels, Isa isa, ComputeMode mode, DType dtype, bool rows_may_be_a_batch)
    : gemm_(&gemm_table(isa, mode)),
      direct_(&product_table(isa)),
      moves_(&transpose_table(isa)),
      element_(coracle::internal::size_of(dtype)) {
  labels = those(labels, [](const ContractionLabel& l) { return l.size > 1; });
  Labels depth = joined_depth(those(labels, is_depth));
  const Labels kept = those(labels, [](const ContractionLabel& l) { return !is_depth(l); });
  Labels outer = those(kept, is_batch);
  Labels rows = those(kept, is_row);
  Labels columns = those(kept, is_column);
  const auto swap = [&] {
    swapped_ = !swapped_;
    std::swap(rows, columns);
    for (Labels* l : {&depth, &outer, &rows, &columns}) swap_operands(*l);
  };
  const auto innermost = [](const Labels& from) {
    return std::find_if(from.begin(), from.end(), [](const ContractionLabel& l) { return l.c == 1; });
  };
  const bool unit_depth =
      common_step(depth, &ContractionLabel::a) == 1 && common_step(depth, &ContractionLabel::b) == 1;
  // One row or one column is what vectors run along: the depth if that is adjacent, else the other dimension.
  const bool may_be_swapped = !rows_may_be_a_batch;
  if (columns.empty() && !rows.empty() && !unit_depth && may_be_swapped) swap();
  if (rows.empty() && !columns.empty() && unit_depth && may_be_swapped) swap();
  if (columns.empty() && unit_depth) {
    method_ = Method::kDots;
  } else if (!columns.empty() && innermost(columns) == columns.end()) {
    if (innermost(rows) != rows.end()) {
      swap();
    } else {
      moves_result_ = true;
    }
  }
  if (moves_result_) {
    // The result as batch, rows, columns; moved afterwards.
    Labels order;
    for (Labels* part : {&outer, &rows, &columns}) {
      std::stable_sort(part->begin(), part->end(),
                       [](const ContractionLabel& x, const ContractionLabel& y) { return x.c > y.c; });
    }
    std::vector<std::pair<int64_t, std::pair<int64_t, int64_t>>> moves;  // step of c, size, step of what is moved
    int64_t step = 1;
    for (Labels* part : {&columns, &rows, &outer}) {
      for (size_t i = part->size(); i-- > 0;) {
        moves.push_back({(*part)[i].c, {(*part)[i].size, step}});
        (*part)[i].c = step;
        step *= (*part)[i].size;
      }
    }
    std::sort(moves.begin(), moves.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
    for (const auto& [c, move] : moves) {
      result_.dims[result_.rank] = move.first;
      result_.strides[result_.rank++] = move.second;
    }
    result_at_ = take_room(workspace_, step, element_);
  }
  Labels row_run = take_longest_run(rows, joins_rows);
  Labels column_run;
  if (!columns.empty()) {
    column_run = take_run(columns, static_cast<size_t>(innermost(columns) - columns.begin()), joins_columns);
  }
  outer.insert(outer.end(), rows.begin(), rows.end());
  outer.insert(outer.end(), columns.begin(), columns.end());
  rows_ = size_of_run(row_run);
  columns_ = size_of_run(column_run);
  depth_ = size_of_run(depth);
  a_row_ = row_run.empty() ? 0 : row_run.front().a;
  c_row_ = row_run.empty() ? columns_ : row_run.front().c;
  const int64_t b_column = column_run.empty() ? 1 : column_run.front().b;
  a_depth_ = common_step(depth, &ContractionLabel::a);
  b_depth_ = common_step(depth, &ContractionLabel::b);

  // A small matrix is also quickly copied to where its columns are adjacent.
  const bool small = depth_ * columns_ <= (rows_ < kManyRows ? kLevel1Matrix : kSmallMatrix);
  const bool direct = small || (rows_ <= kFewRows && b_column == 1);
  if (dtype == DType::kFloat64 ||
      (method_ == Method::kGemm && mode == ComputeMode::kFloat32 && !rows_may_be_a_batch && direct)) {
    if (method_ != Method::kDots) method_ = Method::kDirect;
  }
  row_tile_ = mode == ComputeMode::kFloat32 ? kRowTile : gemm_->tile_rows(columns_);
  if (method_ == Method::kGemm) {
    copies_left_ = a_depth_ != 1;
    copies_right_ = depth.size() > 2;
  } else if (method_ == Method::kDirect) {
    copies_left_ = a_depth_ == 0;
    copies_right_ = b_depth_ == 0 || b_column != 1;
  }
  if (copies_left_) {
    left_copy_.dims[left_copy_.rank] = rows_;
    left_copy_.strides[left_copy_.rank++] = a_row_;
    for (const ContractionLabel& l : depth) {
      left_copy_.dims[left_copy_.rank] = l.size;
      left_copy_.strides[left_copy_.rank++] = l.a;
    }
    a_row_ = depth_;
    a_depth_ = 1;
  }
  const bool packs = method_ == Method::kGemm;
  if (copies_right_) {
    const auto add = [&](int64_t size, int64_t step) {
      right_copy_.dims[right_copy_.rank] = size;
      right_copy_.strides[right_copy_.rank++] = step;
    };
    if (packs) add(columns_, b_column);
    for (const ContractionLabel& l : depth) add(l.size, l.b);
    if (!packs) add(columns_, b_column);
    b_depth_ = packs ? 1 : columns_;
  }
  if (packs) {
    call_.shape = {1, depth_, columns_};
    call_.a_stride = a_row_;
    call_.c_stride = c_row_;
    packed_floats_ = gemm_->packed_floats(call_.shape);
    const bool joined = !copies_right_ && depth.size() == 2;
    source_.inner = joined ? depth[1].size : depth_;
    source_.join_stride = joined ? depth[0].b : 0;
    source_.inner_stride = copies_right_ || depth.empty() ? 1 : depth.back().b;
    source_.column_stride = copies_right_ ? depth_ : b_column;
  }

  // One product for each place of the other dimensions.
  std::stable_sort(outer.begin(), outer.end(), [](const ContractionLabel& x, const ContractionLabel& y) {
    return largest_step(x) > largest_step(y);
  });
  Numbering left;
  Numbering right;
  std::vector<int64_t> at(outer.size(), 0);
  Product product;
  for (bool more = true; more;) {
    product.left = left.number(product.a);
    product.right = right.number(product.b);
    products_.push_back(product);
    more = false;
    for (size_t i = outer.size(); i-- > 0;) {
      const ContractionLabel& l = outer[i];
      product.a += l.a;
      product.b += l.b;
      product.c += l.c;
      if (++at[i] < l.size) {
        more = true;
        break;
      }
      product.a -= l.a * l.size;
      product.b -= l.b * l.size;
      product.c -= l.c * l.size;
      at[i] = 0;
    }
  }
  left_ = std::move(left).offsets();
  right_ = std::move(right).offsets();
  if (copies_left_) left_at_ = take_room(workspace_, Size(left_.size()) * rows_ * depth_, element_);
  if (copies_right_) {
    right_at_ = take_room(workspace_, Size(right_.size()) * columns_ * depth_, element_);
  }
  if (packs) {
    packed_at_ = take_room(workspace_, Size(right_.size()) * packed_floats_, sizeof(float));
  }
}

}  // namespace coracle::internal::cpu
