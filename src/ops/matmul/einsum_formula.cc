// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/einsum_formula.h"

#include <algorithm>
#include <map>

#include "base/convert.h"
#include "base/counted.h"
#include "base/long_loop.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {
namespace {

constexpr char kEllipsis = '.';

/// One term with each "..." as one dot, without spaces.
std::string letters_of(std::string_view term) {
  std::string letters;
  for (size_t i = 0; i < term.size(); ++i) {
    const char c = term[i];
    if (c == ' ') continue;
    if (c == '.') {
      require(term.substr(i, 3) == "..." && letters.find(kEllipsis) == std::string::npos, "'", term, "' is not a term");
      i += 2;
    } else {
      require((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), "'", term, "' has the character '", c, "'");
    }
    letters.push_back(c);
  }
  return letters;
}

std::vector<std::string> terms_of(std::string_view list) {
  std::vector<std::string> terms;
  while (true) {
    const size_t comma = list.find(',');
    terms.push_back(letters_of(list.substr(0, comma)));
    if (comma == std::string_view::npos) return terms;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

EinsumPlan plan_einsum(std::string_view equation, const std::vector<int>& ranks) {
  const size_t arrow = equation.find("->");
  const std::vector<std::string> terms = terms_of(equation.substr(0, arrow));
  require(terms.size() == ranks.size(), "equation '", equation, "' has ", counted(terms.size(), "operand"), ", given ",
          ranks.size());
  // The dimensions of "...": label k is the k-th of the longest one.
  int wide = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const bool dots = terms[i].find(kEllipsis) != std::string::npos;
    const int named = static_cast<int>(terms[i].size()) - (dots ? 1 : 0);
    require(dots ? ranks[i] >= named : ranks[i] == named, "operand ", i, " has ", counted(ranks[i], "dimension"),
            ", but '", terms[i], "' in '", equation, "'");
    if (dots) wide = std::max(wide, ranks[i] - named);
  }
  EinsumPlan plan;
  plan.labels = wide;
  std::map<char, int> label;
  std::map<char, int> uses;
  for (size_t i = 0; i < terms.size(); ++i) {
    std::vector<int> labels;
    for (char c : terms[i]) {
      if (c == kEllipsis) {
        const int count = ranks[i] - static_cast<int>(terms[i].size()) + 1;
        for (int k = 0; k < count; ++k) labels.push_back(wide - count + k);
        continue;
      }
      if (label.find(c) == label.end()) label[c] = plan.labels++;
      ++uses[c];
      labels.push_back(label[c]);
    }
    plan.operands.push_back(std::move(labels));
  }
  std::string result;
  if (arrow != std::string_view::npos) {
    result = letters_of(equation.substr(arrow + 2));
  } else {
    if (wide > 0) result.push_back(kEllipsis);
    for (const auto& [c, n] : uses) {
      if (n == 1) result.push_back(c);
    }
  }
  for (char c : result) {
    if (c == kEllipsis) {
      for (int k = 0; k < wide; ++k) plan.result.push_back(k);
      continue;
    }
    require(label.find(c) != label.end(), "'", equation, "' has '", c, "' in its result only");
    require(std::find(plan.result.begin(), plan.result.end(), label[c]) == plan.result.end(), "'", equation, "' has '",
            c, "' twice in its result");
    plan.result.push_back(label[c]);
  }
  return plan;
}

bool first_operand_leads(const EinsumPlan& plan) {
  const std::vector<int>& x = plan.operands[0];
  const std::vector<int>& result = plan.result;
  if (plan.operands.size() == 1) return x == result;
  if (plan.operands.size() != 2) return false;
  const auto has = [](const std::vector<int>& labels, int l) {
    return std::find(labels.begin(), labels.end(), l) != labels.end();
  };
  // Dimensions of x: of both operands and the result (0), of x and the result (1), summed with y (2).
  std::vector<int> wanted;
  int last = 0;
  for (int l : x) {
    const bool kept = has(result, l);
    const bool in_y = has(plan.operands[1], l);
    if (!kept && !in_y) return false;  // summed beforehand
    const int kind = kept ? (in_y ? 0 : 1) : 2;
    if (kind < last) return false;
    last = kind;
    if (kept) wanted.push_back(l);
  }
  for (int l : plan.operands[1]) {
    if (has(result, l) && !has(x, l)) wanted.push_back(l);
  }
  return wanted == result;
}

std::vector<int64_t> einsum_sizes(const EinsumPlan& plan, const std::vector<Shape>& shapes) {
  std::vector<int64_t> sizes(static_cast<size_t>(plan.labels), 1);
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t d = 0; d < plan.operands[i].size(); ++d) {
      int64_t& size = sizes[static_cast<size_t>(plan.operands[i][d])];
      const int64_t dim = shapes[i][static_cast<int>(d)];
      if (dim == 1) continue;
      if (size == 1 || size < 0) {
        if (dim >= 0 || size == 1) size = dim;
      } else {
        require(dim < 0 || dim == size, "operand ", i, " ", shapes[i], " has ", dim, " where another has ", size);
      }
    }
  }
  return sizes;
}

void reference_einsum(const RunContext& context, const EinsumPlan& plan, const std::vector<Tensor>& operands,
                      Tensor& out) {
  std::vector<Shape> shapes;
  for (const Tensor& t : operands) shapes.push_back(t.shape());
  const std::vector<int64_t> sizes = einsum_sizes(plan, shapes);
  // Labels of the result come first and vary slowest, then those that are summed.
  std::vector<int> order = plan.result;
  for (int l = 0; l < plan.labels; ++l) {
    if (std::find(order.begin(), order.end(), l) == order.end()) order.push_back(l);
  }
  const size_t count = operands.size();
  const size_t depth = order.size();
  std::vector<int64_t> steps(depth * count, 0);  // by place in `order`, then operand
  int64_t summed = 1;
  for (size_t k = plan.result.size(); k < depth; ++k)
    summed = checked_multiply(summed, sizes[static_cast<size_t>(order[k])]);
  for (size_t i = 0; i < count; ++i) {
    int64_t step = 1;
    for (int d = shapes[i].rank() - 1; d >= 0; --d) {
      const auto at = static_cast<size_t>(
          std::find(order.begin(), order.end(), plan.operands[i][static_cast<size_t>(d)]) - order.begin());
      if (shapes[i][d] != 1) steps[at * count + i] += step;
      step *= shapes[i][d];
    }
  }
  std::vector<int64_t> at(depth, 0);
  std::vector<int64_t> position(count, 0);
  const auto advance = [&] {
    for (size_t k = depth; k-- > 0;) {
      const int64_t size = sizes[static_cast<size_t>(order[k])];
      for (size_t i = 0; i < count; ++i) position[i] += steps[k * count + i];
      if (++at[k] < size) return;
      for (size_t i = 0; i < count; ++i) position[i] -= steps[k * count + i] * size;
      at[k] = 0;
    }
  };
  const auto add_up = [&]<class T, class Sum>(T* to, Sum) {
    LoopCheck check(context);
    for (int64_t r = 0, n = out.count(); r < n; ++r) {
      check.step(4 * summed);
      Sum sum = 0;
      for (int64_t s = 0; s < summed; ++s) {
        Sum product = 1;
        for (size_t i = 0; i < count; ++i) product *= static_cast<Sum>(operands[i].data<T>()[position[i]]);
        sum += product;
        advance();
      }
      to[r] = convert<T>(sum);
    }
  };
  if (is_complex(out.dtype())) {
    return visit_complex(out.dtype(), [&](auto* p) {
      add_up(out.data<std::complex<std::remove_pointer_t<decltype(p)>>>(), std::complex<double>());
    });
  }
  visit_real(out.dtype(), [&](auto* p) { add_up(out.data<std::remove_pointer_t<decltype(p)>>(), double{}); });
}

}  // namespace coracle::internal
