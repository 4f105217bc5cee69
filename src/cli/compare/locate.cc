// SPDX-License-Identifier: Apache-2.0
#include "cli/compare/locate.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/json.h"

namespace coracle::cli {
namespace {

/// Values of side a are held for comparing up to so many bytes; more are compared in several runs.
constexpr size_t kHeldBytes = size_t{1} << 30U;

std::vector<SeenValue> list(Side& side, const std::vector<NamedInput>& inputs) {
  std::vector<SeenValue> values;
  side.observe(inputs, nullptr, [&](const SeenValue& v, const client::Tensor*) { values.push_back(v); });
  return values;
}

std::map<std::string, size_t> count_names(const std::vector<SeenValue>& values) {
  std::map<std::string, size_t> counts;
  for (const SeenValue& v : values) ++counts[v.name];
  return counts;
}

/// Keys of values that both have, in the order of a.
std::vector<std::string> common_keys(const std::vector<SeenValue>& a, const std::vector<SeenValue>& b) {
  const std::map<std::string, size_t> in_a = count_names(a);
  const std::map<std::string, size_t> in_b = count_names(b);
  std::vector<std::string> keys;
  for (const SeenValue& v : a) {
    const auto other = in_b.find(v.name);
    if (other != in_b.end() && other->second == in_a.at(v.name)) keys.push_back(v.key);
  }
  return keys;
}

struct Held {
  SeenValue value;
  client::Tensor array;
};

/// Values of `side` with the keys from `begin` on, as many as may be held, at least one.
std::map<std::string, Held> hold(Side& side, const std::vector<NamedInput>& inputs,
                                 const std::vector<std::string>& keys, size_t begin) {
  const std::set<std::string> wanted(keys.begin() + static_cast<std::ptrdiff_t>(begin), keys.end());
  std::map<std::string, Held> held;
  size_t bytes = 0;
  side.observe(inputs, &wanted, [&](const SeenValue& v, const client::Tensor* array) {
    if (bytes > kHeldBytes) return;
    bytes += array->bytes.size();
    held.emplace(v.key, Held{v, *array});
  });
  return held;
}

int64_t rewrites_of(const coracle::Model& model, std::string* last_pass) {
  internal::JsonDocument d;
  d.Parse(model.description().c_str());
  int64_t total = 0;
  for (const internal::JsonValue& r : d["rewrites"].GetArray()) {
    total += r["count"].GetInt64();
    if (last_pass != nullptr) *last_pass = r["pass"].GetString();
  }
  return total;
}

/// A line of a graph's text without the numbers of values (%12, @c3), which shift with each node that comes or goes.
std::string unnumbered(const std::string& named) {
  const std::string line = named.substr(0, named.rfind("  # \""));  // names of nodes count, too
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    out.push_back(line[i]);
    if (line[i] != '%' && line[i] != '@') continue;
    while (i + 1 < line.size() && std::isalpha(static_cast<unsigned char>(line[i + 1])) != 0) ++i;
    while (i + 1 < line.size() && std::isdigit(static_cast<unsigned char>(line[i + 1])) != 0) ++i;
  }
  return out;
}

/// The lines of a graph's text that define nodes.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    start = std::min(text.find_first_not_of(' ', start), end);
    if (start != end && text[start] != '@') lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

/// Lines of `text` that `other` has not, or not so often.
std::vector<std::string> only_in(const std::string& text, const std::string& other) {
  std::map<std::string, int> known;
  for (const std::string& line : lines_of(other)) ++known[unnumbered(line)];
  std::vector<std::string> out;
  for (const std::string& line : lines_of(text)) {
    if (--known[unnumbered(line)] < 0) out.push_back(line);
  }
  return out;
}

}  // namespace

ValueComparison compare_values(Side& a, Side& b, const std::vector<NamedInput>& inputs, const Tolerance& tolerance,
                               bool all, const std::function<void(const ValuePair&)>& tell) {
  const std::vector<std::string> keys = common_keys(list(a, inputs), list(b, inputs));
  ValueComparison result;
  result.common = keys.size();
  while (result.compared < keys.size() && (all || !result.first)) {
    const std::map<std::string, Held> held = hold(a, inputs, keys, result.compared);
    std::set<std::string> wanted;
    for (const auto& entry : held) wanted.insert(entry.first);
    std::map<std::string, ValuePair> pairs;  // b may compute in another order
    b.observe(inputs, &wanted, [&](const SeenValue& v, const client::Tensor* array) {
      const Held& h = held.at(v.key);
      pairs[v.key] = {h.value, v, client::type_text(h.array.dtype, h.array.dims),
                      difference(h.array, *array, tolerance)};
    });
    const size_t end = result.compared + std::max<size_t>(held.size(), 1);
    for (; result.compared < end && (all || !result.first); ++result.compared) {
      const auto pair = pairs.find(keys[result.compared]);
      if (pair == pairs.end()) continue;
      if (tell) tell(pair->second);
      if (result.first) continue;
      if (pair->second.difference.agrees()) {
        result.before = pair->second.a.name;
      } else {
        result.first = pair->second;
      }
    }
  }
  return result;
}

RewriteSearch find_rewrite(const ModelSide& side, const std::vector<NamedInput>& inputs, const Agrees& agrees) {
  RewriteSearch result;
  result.total = rewrites_of(side.model(), nullptr);
  if (result.total == 0) return result;
  coracle::ModelOptions options = side.arguments().options;
  const auto with = [&](int64_t rewrites) {
    options.max_rewrites = rewrites;
    return side.with(options);
  };
  if (!agrees(with(0)->run(inputs, 0))) return result;
  result.responsible = true;
  int64_t good = 0;
  int64_t bad = result.total;
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    (agrees(with(middle)->run(inputs, 0)) ? good : bad) = middle;
  }
  result.number = bad;
  const std::unique_ptr<ModelSide> before = with(good);
  const std::unique_ptr<ModelSide> after = with(bad);
  rewrites_of(after->model(), &result.pass);
  result.before = only_in(before->model().graph_text(), after->model().graph_text());
  result.after = only_in(after->model().graph_text(), before->model().graph_text());
  options = side.arguments().options;
  options.disable_passes += (options.disable_passes.empty() ? "" : ",") + result.pass;
  result.alone = agrees(side.with(options)->run(inputs, 0));
  return result;
}

bool agrees_without_kernels(const ModelSide& side, const std::string& kernels, const std::vector<NamedInput>& inputs,
                            const Agrees& agrees) {
  coracle::ModelOptions options = side.arguments().options;
  options.disable_kernels += (options.disable_kernels.empty() ? "" : ",") + kernels;
  return agrees(side.with(options)->run(inputs, 0));
}

}  // namespace coracle::cli
