// SPDX-License-Identifier: Apache-2.0
#include "model/pir_write.h"

#include "base/error.h"
#include "base/json.h"
#include "base/shortest.h"

namespace coracle::internal::pir {
namespace {

/// Goes over the text of JSON that was parsed before.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  size_t at() const { return at_; }

  /// From an object to the value of its first member of that name.
  void enter(std::string_view name) {
    expect('{');
    while (!ends('}')) {
      const std::string_view key = value();
      expect(':');
      if (key.size() == name.size() + 2 && key.substr(1, name.size()) == name) return;
      value();
      ends(',');
    }
    damaged();
  }
  /// From an array to its first element.
  void enter_array() { expect('['); }
  /// Behind an array's last element, or an object's last member.
  bool ends(char end) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != end) return false;
    ++at_;
    return true;
  }
  /// The text of the value that begins here; behind it afterwards.
  std::string_view value() {
    skip_space();
    const size_t begin = at_;
    size_t depth = 0;
    do {
      if (at_ >= text_.size()) damaged();
      const char c = text_[at_++];
      if (c == '"') {
        skip_string();
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0) damaged();
        --depth;
      } else if (depth == 0) {
        at_ = std::min(text_.find_first_of(" \t\r\n,:]}", at_), text_.size());
      }
    } while (depth > 0);
    return text_.substr(begin, at_ - begin);
  }

 private:
  [[noreturn]] static void damaged() { fail(ErrorCode::kInvalidModel, "the program's text is not as it was parsed"); }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  void skip_string() {
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
    ++at_;
  }
  void expect(char c) {
    if (!ends(c)) damaged();
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::string json_string(std::string_view text) {
  return json_text([&](JsonWriter& w) { w.text(text); });
}

void add(std::string& list, std::string_view item) { list.append(list.empty() ? "" : ",").append(item); }

std::string type_text(const NewVariable& v) {
  std::string dims;
  for (int64_t d : v.dims) add(dims, std::to_string(d));
  return text(R"({"#":"0.t_dtensor","D":[{"#":"0.)", element_name(v.dtype), R"("},[)", dims, R"(],"NCHW",[],0]})");
}

std::string attribute_text(const std::string& name, const AttributeToWrite& value) {
  std::string node;
  if (const auto* truth = std::get_if<bool>(&value)) {
    node = text(R"("0.a_bool","D":)", *truth);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    node = text(R"("0.a_i32","D":)", *integer);
  } else if (const auto* real = std::get_if<float>(&value)) {
    node = text(R"("0.a_f32","D":)", shortest(*real));
  } else if (const auto* dtype = std::get_if<DType>(&value)) {
    node = text(R"("1.a_dtype","D":")", *dtype, '"');
  } else if (const auto* wide = std::get_if<LongInteger>(&value)) {
    node = text(R"("0.a_i64","D":)", wide->value);
  } else if (const auto* several = std::get_if<Ints>(&value)) {
    std::string list;
    for (int64_t i : *several) add(list, text(R"({"#":"0.a_i64","D":)", i, '}'));
    node = text(R"("0.a_array","D":[)", list, ']');
  } else if (std::holds_alternative<CpuPlace>(value)) {
    node = R"("1.a_place","D":[1,0,""])";
  } else {
    node = text(R"("0.a_str","D":)", json_string(std::get<std::string>(value)));
  }
  return text(R"({"AT":{"#":)", node, R"(},"N":)", json_string(name), '}');
}

}  // namespace

FileText file_text(std::string_view file) {
  Scanner s(file);
  s.enter("program");
  s.enter("regions");
  s.enter_array();
  s.enter("blocks");
  s.enter_array();
  s.enter("ops");
  s.enter_array();
  FileText text;
  text.head = file.substr(0, s.at());
  size_t end = s.at();
  while (!s.ends(']')) {
    text.operations.push_back(s.value());
    end = s.at();
    s.ends(',');
  }
  text.tail = file.substr(end);
  return text;
}

std::string parameter_text(const NewVariable& v, int64_t id, bool trainable) {
  return text(R"({"#":"p","A":[0,1,1,)", json_string(v.name), R"(],"DA":[],"O":{"%":)", id, R"(,"TT":)", type_text(v),
              '}', trainable ? R"(,"OA":[1,1,0])" : "", R"(,"QA":[]})");
}

std::string operation_text(const NewOperator& o, std::span<const int64_t> operands, std::span<const NewResult> results,
                           bool trainable) {
  std::string in;
  std::string out;
  std::string attributes;
  std::string flags;
  for (int64_t id : operands) add(in, text(R"({"%":)", id, '}'));
  for (const NewResult& r : results) {
    add(out, text(R"({"%":)", r.id, R"(,"TT":)", type_text(r.variable), '}'));
    add(flags, R"({"#":"0.a_bool","D":true})");
  }
  for (const auto& [name, value] : o.attributes) add(attributes, attribute_text(name, value));
  const std::string of_results =
      trainable ? text(R"(,"OA":[{"AT":{"#":"0.a_array","D":[)", flags, R"(]},"N":"stop_gradient"}])") : "";
  return text(R"({"#":"1.)", o.type, R"(","A":[)", attributes, R"(],"I":[)", in, R"(],"O":[)", out, ']', of_results,
              '}');
}

std::string with_operands(std::string_view operation, const std::function<std::optional<int64_t>(size_t)>& other) {
  Scanner s(operation);
  s.enter("I");
  s.enter_array();
  std::string changed;
  size_t written = 0;
  for (size_t i = 0; !s.ends(']'); ++i) {
    const std::string_view operand = s.value();
    const size_t begin = s.at() - operand.size();
    s.ends(',');
    const std::optional<int64_t> id = other(i);
    if (!id) continue;
    Scanner of_operand(operand);
    of_operand.enter("%");
    const std::string_view number = of_operand.value();
    const size_t at = begin + of_operand.at() - number.size();
    changed.append(operation, written, at - written).append(std::to_string(*id));
    written = at + number.size();
  }
  return changed.append(operation.substr(written));
}

std::string file_with(const FileText& file, std::span<const std::string_view> operations) {
  std::string out(file.head);
  for (size_t i = 0; i < operations.size(); ++i) out.append(i == 0 ? "" : ",").append(operations[i]);
  return out.append(file.tail);
}

}  // namespace coracle::internal::pir
