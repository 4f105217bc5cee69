// SPDX-License-Identifier: Apache-2.0
#include "run/input_padding.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <set>

#include "base/copy_bytes.h"
#include "base/counted.h"
#include "base/printable.h"
#include "ops/common/binary.h"

namespace coracle::internal {
namespace {

constexpr size_t kMostKnown = 4096;  // shapes that are remembered

[[noreturn]] void refuse_padding(std::string_view text, const std::string& why) {
  fail(ErrorCode::kInvalidArgument, "padding ", in_quotes(text), ": ", why);
}

/// A whole number that is the whole text.
std::optional<int64_t> number_in(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// The pieces of a text between separators.
std::vector<std::string_view> split_text(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (size_t end = text.find(separator); end != text.npos; end = text.find(separator)) {
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  pieces.push_back(text);
  return pieces;
}

/// Copies the rows that two tensors of one rank have in common, the front part of each dimension.
void copy_common(const Tensor& from, Tensor& to) {
  const int rank = from.shape().rank();
  Shape common;
  for (int d = 0; d < rank; ++d) common.push_back(std::min(from.shape()[d], to.shape()[d]));
  if (common.count() == 0) return;
  const size_t element = size_of(from.dtype());
  const auto* source = static_cast<const std::byte*>(from.raw());
  auto* target = static_cast<std::byte*>(to.raw());
  const size_t row = static_cast<size_t>(rank == 0 ? 1 : common[rank - 1]) * element;
  const int64_t rows = common.count() / (rank == 0 ? 1 : common[rank - 1]);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t rest = r;
    int64_t at_source = 0;
    int64_t at_target = 0;
    for (int d = rank - 2; d >= 0; --d) {
      const int64_t index = rest % common[d];
      rest /= common[d];
      at_source += index * from.shape().count(d + 1, rank);
      at_target += index * to.shape().count(d + 1, rank);
    }
    copy_bytes(target + static_cast<size_t>(at_target) * element, source + static_cast<size_t>(at_source) * element,
               row);
  }
}

/// A tensor of `shape` with the elements of a smaller one in front, and `value` elsewhere.
Tensor with_padding(const Tensor& x, const Shape& shape, int64_t value) {
  Tensor padded = Tensor::make(x.dtype(), shape);
  const Tensor one = converted(kNoRun, Tensor::scalar(value), x.dtype());
  auto* at = static_cast<std::byte*>(padded.raw());
  const size_t bytes = padded.bytes();
  size_t filled = std::min(one.bytes(), bytes);
  if (filled != 0) std::memcpy(at, one.raw(), filled);
  for (size_t more = 0; filled < bytes; filled += more) {
    more = std::min(filled, bytes - filled);
    std::memcpy(at + filled, at, more);
  }
  copy_common(x, padded);
  return padded;
}

std::vector<Shape> shapes_of(const std::vector<Tensor>& tensors) {
  std::vector<Shape> shapes;
  for (const Tensor& t : tensors) shapes.push_back(t.shape());
  return shapes;
}

}  // namespace

int64_t InputPadding::Sizes::padded(int64_t size) const {
  if (text.empty() || size > last) return size;
  return size <= first ? first : first + (size - first + step - 1) / step * step;
}

InputPadding::InputPadding(std::string_view text, const std::vector<TensorInfo>& inputs,
                           const std::vector<TensorInfo>& outputs)
    : inputs_(inputs), outputs_(outputs) {
  if (text.empty()) return;
  for (const std::string_view rule : split_text(text, ',')) add_rule(rule);
}

void InputPadding::add_rule(std::string_view text) {
  Rule rule;
  const size_t equals = text.rfind('=');
  if (equals == text.npos) refuse_padding(text, "expected INPUT=SHAPE or INPUT=SHAPE:VALUE, as in ids=?x32..128/32");
  const std::string_view name = text.substr(0, equals);
  const auto input = std::find_if(inputs_.begin(), inputs_.end(), [&](const TensorInfo& i) { return i.name == name; });
  if (input == inputs_.end()) refuse_padding(text, "the model has no input of that name");
  rule.input = static_cast<size_t>(input - inputs_.begin());
  const auto is_padded = [&](const Rule& r) { return r.input == rule.input; };
  if (std::any_of(rules_.begin(), rules_.end(), is_padded)) refuse_padding(text, "the input is named twice");
  std::string_view shape = text.substr(equals + 1);
  if (const size_t colon = shape.find(':'); colon != shape.npos) {
    const std::optional<int64_t> value = number_in(shape.substr(colon + 1));
    if (!value) refuse_padding(text, "expected a whole number behind the colon");
    rule.value = *value;
    shape = shape.substr(0, colon);
  }
  for (const std::string_view size : split_text(shape, 'x')) {
    Sizes& sizes = rule.sizes.emplace_back();
    if (size == "?" || number_in(size)) continue;
    const size_t dots = size.find("..");
    const size_t slash = size.find('/');
    std::optional<int64_t> first;
    std::optional<int64_t> last;
    std::optional<int64_t> step = 1;
    if (dots != size.npos) {
      first = number_in(size.substr(0, dots));
      last = number_in(size.substr(dots + 2, slash == size.npos ? size.npos : slash - dots - 2));
      if (slash != size.npos) step = number_in(size.substr(slash + 1));
    }
    if (!first || !last || !step || *first < 0 || *first > *last || *step < 1) {
      refuse_padding(text, "'" + printable(size) +
                               "' is neither a number, ? nor sizes FIRST..LAST or FIRST..LAST/STEP, as in 32..128/32");
    }
    if (const int64_t beyond = (*last - *first) % *step; beyond != 0) {
      refuse_padding(text, coracle::internal::text("'", printable(size), "' does not end with its last size: steps of ",
                                                   *step, " from ", *first, " on lead to ", *last - beyond));
    }
    sizes = {std::string(size), *first, *last, *step};
  }
  const Shape& declared = input->shape;
  if (declared.rank_known() && declared.rank() != static_cast<int>(rule.sizes.size())) {
    refuse_padding(
        text, coracle::internal::text("expected sizes of ", counted(static_cast<size_t>(declared.rank()), "dimension"),
                                      ", as the input has the shape ", declared, ", found ", rule.sizes.size()));
  }
  rules_.push_back(std::move(rule));
}

std::vector<Shape> InputPadding::padded(const std::vector<Shape>& inputs, std::string_view text) const {
  std::vector<Shape> shapes = inputs;
  for (const Rule& rule : rules_) {
    Shape& shape = shapes[rule.input];
    require(shape.rank() == static_cast<int>(rule.sizes.size()), ErrorCode::kInvalidArgument, "input '",
            inputs_[rule.input].name, "' has shape ", shape, ", but its padding is given for ", rule.sizes.size(),
            " dimensions");
    for (int d = 0; d < shape.rank(); ++d) {
      const Sizes& sizes = rule.sizes[static_cast<size_t>(d)];
      if (text.empty() || sizes.text == text) shape[d] = sizes.padded(shape[d]);
    }
  }
  return shapes;
}

std::vector<Tensor> InputPadding::padded(const std::vector<Tensor>& inputs) const {
  std::vector<Tensor> all = inputs;
  const std::vector<Shape> shapes = padded(shapes_of(inputs), {});
  for (const Rule& rule : rules_) {
    Tensor& x = all[rule.input];
    if (shapes[rule.input] == x.shape()) continue;
    const std::string name = text("input '", inputs_[rule.input].name, "'");
    require(x.is_on_host(), ErrorCode::kInvalidArgument, name, " is on a device and cannot be padded: give it in ",
            shapes[rule.input]);
    require(x.lod().empty(), ErrorCode::kInvalidArgument, name, " has sequence offsets and cannot be padded");
    x = with_padding(x, shapes[rule.input], rule.value);
  }
  return all;
}

std::vector<Shape> InputPadding::with_more_rows(const std::vector<Shape>& inputs, size_t input, int axis) const {
  const auto may_choose = [&](size_t i) {
    const Shape& declared = inputs_[i].shape;
    return inputs[i].rank() > axis && (!declared.rank_known() || declared[axis] < 0);
  };
  if (!may_choose(input)) return {};
  const int64_t size = inputs[input][axis];
  std::vector<Shape> shapes = inputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (may_choose(i) && shapes[i][axis] == size) shapes[i][axis] = 2 * size;
  }
  return shapes;
}

std::vector<Shape> InputPadding::found_shapes(const std::vector<Shape>& inputs,
                                              const ResultShapes& result_shapes) const {
  std::vector<Shape> own = result_shapes(inputs);
  const auto refuse = [&](size_t output, const char* why) {
    const std::string name = output < outputs_.size() ? outputs_[output].name : std::to_string(output);
    fail(ErrorCode::kInvalidArgument, "output '", printable(name),
         "' cannot be cut back to what was not padded: ", why);
  };
  for (size_t o = 0; o < own.size(); ++o) {
    if (!own[o].known()) refuse(o, "its size depends on data");
  }
  std::set<std::pair<size_t, int>> changed;  // outputs and their dimensions
  std::set<std::string> texts;
  for (const Rule& rule : rules_) {
    for (const Sizes& sizes : rule.sizes) texts.insert(sizes.text);
  }
  texts.erase("");
  for (const std::string& text : texts) {
    const std::vector<Shape> larger = padded(inputs, text);
    if (larger == inputs) continue;
    const std::vector<Shape> with = result_shapes(larger);
    std::set<std::pair<size_t, int>> of_these;
    for (size_t o = 0; o < own.size(); ++o) {
      if (with[o].rank() != own[o].rank()) refuse(o, "its number of dimensions depends on sizes of inputs");
      for (int d = 0; d < own[o].rank(); ++d) {
        if (with[o][d] != own[o][d]) of_these.emplace(o, d);
      }
    }
    for (const auto& place : of_these) {
      if (!changed.insert(place).second) refuse(place.first, "one of its dimensions depends on two that are padded");
    }
    // A dimension that depends on an outer one, too, holds rows with padding between them.
    for (const Rule& rule : rules_) {
      for (int axis = 1; axis < static_cast<int>(rule.sizes.size()); ++axis) {
        if (rule.sizes[static_cast<size_t>(axis)].text != text) continue;
        for (int outer = 0; outer < axis; ++outer) {
          const std::vector<Shape> more = with_more_rows(inputs, rule.input, outer);
          if (more.empty()) continue;
          std::vector<Shape> found;
          try {
            found = result_shapes(more);
          } catch (const Error&) {
            continue;  // the model does not take other sizes there
          }
          for (const auto& [o, d] : of_these) {
            if (found[o].rank() != own[o].rank() || found[o][d] != own[o][d]) {
              refuse(o, "one of its dimensions holds several rows that are padded each");
            }
          }
        }
      }
    }
  }
  return own;
}

std::vector<Shape> InputPadding::own_shapes(const std::vector<Tensor>& inputs, const ResultShapes& result_shapes) {
  if (rules_.empty()) return {};
  const std::vector<Shape> shapes = shapes_of(inputs);
  if (padded(shapes, {}) == shapes) return {};
  std::string key;
  for (const Shape& shape : shapes) key += text(shape);
  if (const auto known = found_.find(key); known != found_.end()) return known->second;
  std::vector<Shape> found = found_shapes(shapes, result_shapes);
  if (found_.size() >= kMostKnown) found_.clear();
  return found_.emplace(std::move(key), std::move(found)).first->second;
}

Tensor front_part(const Tensor& result, const Shape& shape) {
  bool fits = result.shape().rank() == shape.rank();
  for (int d = 0; fits && d < shape.rank(); ++d) fits = shape[d] <= result.shape()[d];
  require(fits, ErrorCode::kRunFailure, "a result of padded inputs has shape ", result.shape(), ", expected more than ",
          shape);
  Tensor part = Tensor::make(result.dtype(), shape);
  copy_common(result, part);
  return part;
}

}  // namespace coracle::internal
