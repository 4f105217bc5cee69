// SPDX-License-Identifier: Apache-2.0
#include "graph/attributes.h"

#include <limits>
#include <utility>

#include "graph/attribute_reads.h"

namespace coracle::internal {
namespace {

[[noreturn]] void mismatch(std::string_view name, std::string_view expected) {
  fail(ErrorCode::kInvalidModel, "attribute '", name, "' has the wrong kind, expected ", expected);
}

std::optional<int64_t> as_integer(const AttributeValue& v) {
  if (const auto* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  if (const auto* i = std::get_if<int64_t>(&v)) return *i;
  if (const auto* d = std::get_if<double>(&v)) {
    if (*d >= -9.2e18 && *d <= 9.2e18 && *d == static_cast<double>(static_cast<int64_t>(*d))) {
      return static_cast<int64_t>(*d);
    }
  }
  if (const auto* list = std::get_if<Ints>(&v); list != nullptr && list->size() == 1) return list->front();
  return std::nullopt;
}

std::optional<double> as_real(const AttributeValue& v) {
  if (const auto* d = std::get_if<double>(&v)) return *d;
  if (const auto* list = std::get_if<Floats>(&v); list != nullptr && list->size() == 1) return list->front();
  if (auto i = as_integer(v)) return static_cast<double>(*i);
  return std::nullopt;
}

std::optional<DType> as_dtype(const AttributeValue& v) {
  if (const auto* d = std::get_if<DType>(&v)) return *d;
  if (const auto* s = std::get_if<std::string>(&v)) return dtype_of(*s);
  if (auto i = as_integer(v)) return dtype_of_var_type(*i);
  return std::nullopt;
}

/// True for the several ways files say "no type given".
bool is_unset_dtype(const AttributeValue& v) {
  if (const auto* s = std::get_if<std::string>(&v)) return s->empty() || s->starts_with("Undefined");
  const auto i = as_integer(v);
  return i && *i < 0;
}

bool empty_list(const AttributeValue& v) {
  const auto* i = std::get_if<Ints>(&v);
  const auto* f = std::get_if<Floats>(&v);
  const auto* s = std::get_if<Strings>(&v);
  return (i != nullptr && i->empty()) || (f != nullptr && f->empty()) || (s != nullptr && s->empty());
}

struct Convert {
  std::string_view name;
  const AttributeValue& from;

  void operator()(bool* to) const {
    const auto i = as_integer(from);
    if (!i) mismatch(name, "bool");
    *to = *i != 0;
  }
  void operator()(int* to) const {
    int64_t wide = 0;
    (*this)(&wide);
    require(std::in_range<int>(wide), "attribute '", name, "' is ", wide, ", expected an integer from ",
            std::numeric_limits<int>::min(), " to ", std::numeric_limits<int>::max());
    *to = static_cast<int>(wide);
  }
  void operator()(int64_t* to) const {
    const auto i = as_integer(from);
    if (!i) mismatch(name, "an integer");
    *to = *i;
  }
  void operator()(double* to) const {
    const auto d = as_real(from);
    if (!d) mismatch(name, "a real number");
    *to = *d;
  }
  void operator()(std::string* to) const {
    const auto* s = std::get_if<std::string>(&from);
    if (s == nullptr) mismatch(name, "a string");
    *to = *s;
  }
  void operator()(Ints* to) const {
    if (const auto* list = std::get_if<Ints>(&from)) {
      *to = *list;
    } else if (const auto i = as_integer(from)) {
      *to = {*i};
    } else if (empty_list(from)) {
      to->clear();
    } else {
      mismatch(name, "a list of integers");
    }
  }
  void operator()(Floats* to) const {
    if (const auto* list = std::get_if<Floats>(&from)) {
      *to = *list;
    } else if (const auto* ints = std::get_if<Ints>(&from)) {
      to->assign(ints->begin(), ints->end());
    } else if (const auto d = as_real(from)) {
      *to = {*d};
    } else if (empty_list(from)) {
      to->clear();
    } else {
      mismatch(name, "a list of real numbers");
    }
  }
  void operator()(Strings* to) const {
    if (const auto* list = std::get_if<Strings>(&from)) {
      *to = *list;
    } else if (empty_list(from)) {
      to->clear();
    } else {
      mismatch(name, "a list of strings");
    }
  }
  void operator()(DType* to) const {
    if (is_unset_dtype(from)) return;
    const auto d = as_dtype(from);
    if (!d) mismatch(name, "an element type");
    *to = *d;
  }
  void operator()(std::optional<DType>* to) const {
    if (is_unset_dtype(from)) {
      to->reset();
      return;
    }
    const auto d = as_dtype(from);
    if (!d) mismatch(name, "an element type");
    *to = *d;
  }
  void operator()(EnumRef* to) const {
    if (const auto* s = std::get_if<std::string>(&from)) {
      for (size_t i = 0; i < to->names.size(); ++i) {
        if (to->names[i] == *s) {
          to->value = static_cast<int>(i);
          return;
        }
      }
      std::string choices;
      for (std::string_view n : to->names) choices.append(choices.empty() ? "" : ", ").append(n);
      fail(ErrorCode::kUnsupported, "attribute '", name, "' is '", *s, "', expected one of ", choices);
    }
    const auto i = as_integer(from);
    if (!i || *i < 0 || *i >= static_cast<int64_t>(to->names.size())) mismatch(name, "a named choice");
    to->value = static_cast<int>(*i);
  }
};

}  // namespace

void AttributeMap::set(std::string name, AttributeValue value) {
  values_.insert_or_assign(std::move(name), std::move(value));
}

const AttributeValue* AttributeMap::find(std::string_view name) const {
  const auto it = values_.find(name);
  if (it == values_.end()) return nullptr;
  if (listener_.reads != nullptr) listener_.reads->note(it->second);
  return &it->second;
}

void AttributeMap::convert(std::string_view name, const AttributeValue& from, AttributeRef to) {
  std::visit(Convert{name, from}, to);
}

void AttributeReader::visit(std::string_view name, std::string_view legacy, AttributeRef field) {
  const std::string_view key = legacy_ ? legacy : name;
  if (const AttributeValue* value = map_.find(key)) AttributeMap::convert(key, *value, field);
}

}  // namespace coracle::internal
