// SPDX-License-Identifier: Apache-2.0
#include "vision/description_parts.h"

#include <algorithm>

namespace coracle::vision {

[[noreturn]] void unsupported(const Yaml& node, const std::string& what) {
  try {
    node.fail(what);
  } catch (const Error& e) {
    throw Error(Problem::kUnsupported, e.what());
  }
}

int side(const Yaml& node) {
  const std::int64_t value = node.integer();
  if (value < 1 || value > kMaxSide) {
    node.fail("expected a length from 1 to " + std::to_string(kMaxSide) + ", found " + node.text());
  }
  return static_cast<int>(value);
}

std::array<int, 2> sides(const Yaml& node) {
  if (node.kind() == Yaml::Kind::kScalar) return {side(node), side(node)};
  if (node.items().size() != 2) node.fail("expected two lengths, found " + std::to_string(node.items().size()));
  return {side(*node.items()[0]), side(*node.items()[1])};
}

std::array<double, 3> triple(const Yaml* node, const std::array<double, 3>& otherwise) {
  if (node == nullptr) return otherwise;
  if (node->kind() == Yaml::Kind::kScalar) return {node->number(), node->number(), node->number()};
  if (node->items().size() != 3)
    node->fail("expected three numbers, one for each channel, found " + std::to_string(node->items().size()));
  return {node->items()[0]->number(), node->items()[1]->number(), node->items()[2]->number()};
}

bool flag(const Yaml& node, std::string_view name, bool otherwise) {
  const Yaml* found = node.find(name);
  return found == nullptr ? otherwise : found->boolean();
}

double number(const Yaml& node, std::string_view name, double otherwise) {
  const Yaml* found = node.find(name);
  return found == nullptr ? otherwise : found->number();
}

void check_known(const Yaml& arguments, const std::string& step, const std::set<std::string_view>& known) {
  if (arguments.is_null()) return;
  for (const auto& [name, value] : arguments.members()) {
    if (known.count(name) != 0 || value->is_null()) continue;
    std::string all;
    for (const std::string_view k : known) all.append(all.empty() ? "" : ", ").append(k);
    unsupported(*value, "step " + step + " has '" + name + "', which is not known; " +
                            (all.empty() ? "it takes nothing" : "known are: " + all));
  }
}

std::vector<std::string> names(const Yaml& list) {
  std::vector<std::string> all;
  for (const Yaml::Pointer& item : list.items()) all.push_back(item->text());
  return all;
}

Interpolation interpolation(const Yaml* node, Interpolation otherwise) {
  if (node == nullptr) return otherwise;
  std::string name = node->text();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  if (name == "0" || name == "NEAREST") return Interpolation::kNearest;
  if (name == "1" || name == "LINEAR" || name == "BILINEAR") return Interpolation::kLinear;
  if (name == "2" || name == "CUBIC" || name == "BICUBIC") return Interpolation::kCubic;
  if (name == "3" || name == "AREA") return Interpolation::kArea;
  if (name == "4" || name == "LANCZOS" || name == "LANCZOS4") return Interpolation::kLanczos;
  unsupported(*node, "interpolation '" + node->text() +
                         "' is not known; known are: NEAREST (0), LINEAR (1), CUBIC (2), AREA (3), LANCZOS (4)");
}

std::optional<std::string> paddlex_model(const Yaml& root) {
  const Yaml* global = root.find("Global");
  const Yaml* name = global != nullptr ? global->find("model_name") : nullptr;
  return name != nullptr ? std::optional(name->text()) : std::nullopt;
}

void normalise_last(Description& description) {
  const auto sizes = [](const Step& s) {
    return std::holds_alternative<Resize>(s) || std::holds_alternative<TextResize>(s) ||
           std::holds_alternative<CentreCrop>(s);
  };
  const auto last = std::find_if(description.steps.rbegin(), description.steps.rend(), sizes).base();
  std::stable_partition(description.steps.begin(), last,
                        [](const Step& s) { return !std::holds_alternative<Normalise>(s); });
}

void read_step(std::span<const NamedReader> known, const Yaml& at, const std::string& name, const Yaml& arguments,
               Description& description) {
  std::string all;
  for (const NamedReader& k : known) {
    if (name == k.name) return k.read(arguments, description);
    all.append(all.empty() ? "" : ", ").append(k.name);
  }
  unsupported(at, "step '" + name + "' is not known; known are: " + all);
}

}  // namespace coracle::vision
