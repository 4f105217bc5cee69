// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "base/counted.h"
#include "base/printable.h"
#include "blocks/choice.h"

namespace coracle::internal {
namespace {

/// "1x3x48x320"; nothing where it is something else.
std::optional<std::vector<int64_t>> parse_sizes(std::string_view text) {
  std::vector<int64_t> sizes;
  for (const char *at = text.data(), *end = at + text.size();; ++at) {
    int64_t size = 0;
    const auto [behind, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 0) return std::nullopt;
    sizes.push_back(size);
    if (behind == end) return sizes;
    if (*behind != 'x') return std::nullopt;
    at = behind;
  }
}

}  // namespace

ShapeRange parse_shape_range(std::string_view text) {
  const size_t name_end = text.rfind('=');
  const size_t first = std::min(text.find("..", name_end == std::string_view::npos ? 0 : name_end), text.size());
  const size_t second = std::min(text.find("..", std::min(first + 2, text.size())), text.size());
  ShapeRange range;
  bool good = name_end != std::string_view::npos && name_end > 0 && second < text.size();
  if (good) {
    const auto min = parse_sizes(text.substr(name_end + 1, first - name_end - 1));
    const auto opt = parse_sizes(text.substr(first + 2, second - first - 2));
    const auto max = parse_sizes(text.substr(second + 2));
    good = min && opt && max;
    if (good) range = {std::string(text.substr(0, name_end)), *min, *opt, *max};
  }
  require(good, ErrorCode::kInvalidArgument, "the shape range ", in_quotes(text),
          " is malformed, expected INPUT=LEAST..USUAL..MOST, for example 'x=1x3x48x32..1x3x48x320..8x3x48x3200'");
  return range;
}

void check_shape_ranges(const Graph& graph, std::span<const ShapeRange> ranges) {
  for (const ShapeRange& range : ranges) {
    const auto is_it = [&](ValueId v) { return graph.value(v).name == range.input; };
    const auto input = std::find_if(graph.inputs().begin(), graph.inputs().end(), is_it);
    if (input == graph.inputs().end()) {
      std::string names;
      for (ValueId v : graph.inputs()) names.append(names.empty() ? "" : ", ").append(graph.value(v).name);
      fail(ErrorCode::kInvalidArgument, "shapes names the input ", in_quotes(range.input),
           ", which the model does not have; it has: ", names);
    }
    const auto same_name = [&](const ShapeRange& r) { return r.input == range.input; };
    require(std::count_if(ranges.begin(), ranges.end(), same_name) == 1, ErrorCode::kInvalidArgument,
            "shapes names the input ", in_quotes(range.input), " twice");
    const Shape& declared = graph.value(*input).fact.shape;
    const size_t rank = range.min.size();
    require(range.opt.size() == rank && range.max.size() == rank && rank <= Shape::kMaxRank &&
                (!declared.rank_known() || static_cast<size_t>(declared.rank()) == rank),
            ErrorCode::kInvalidArgument, "shapes gives the input ", in_quotes(range.input), ' ', rank, ", ",
            range.opt.size(), " and ", counted(range.max.size(), "dimension"),
            ", expected as many as it has: ", declared);
    for (size_t d = 0; d < rank; ++d) {
      require(range.min[d] >= 0 && range.min[d] <= range.opt[d] && range.opt[d] <= range.max[d],
              ErrorCode::kInvalidArgument, "shapes gives dimension ", d, " of the input ", in_quotes(range.input),
              " the range ", range.min[d], "..", range.opt[d], "..", range.max[d],
              ", expected 0 <= least <= usual <= most");
    }
  }
}

}  // namespace coracle::internal
