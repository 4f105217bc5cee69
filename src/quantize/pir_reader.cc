// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/printable.h"
#include "quantize/pir_json.h"
#include "quantize/pir_names.h"
#include "quantize/pir_writer.h"

// Reads programs in PIR (inference.json).
namespace coracle::quantize {

using namespace pir;  // NOLINT(google-build-using-namespace): the words of the format

namespace {

bool is_builtin(const std::string& id) { return id.rfind("0.", 0) == 0; }
/// Whether results are named after the operation's number.
bool is_counted(const std::string& id) {
  return id != "p" && !is_builtin(id) && id != "1.data" && id != "1.feed" && id != "1.fetch" && id != "2.yield";
}

bool is_list(const JsonValue& type) { return string_at(type, "#") == "0.t_vec"; }

/// What holds a tensor's values: its element type and dimensions.
void read_type(const JsonValue* type, ProgramVariable& to) {
  if (type == nullptr || string_at(*type, "#") != "0.t_dtensor") return;
  const std::vector<const JsonValue*> data = elements_at(*type, "D");
  if (data.size() < 2) return;
  const std::string element = operation_name(string_at(*data[0], "#"));
  for (const auto& [dtype, name] : kElementTypes) {
    if (name == element) to.dtype = dtype;
  }
  if (!data[1]->IsArray()) return;
  for (const JsonValue& d : data[1]->GetArray()) to.dims.push_back(d.IsInt64() ? d.GetInt64() : -1);
}

class PirReader {
 public:
  PirReader(Program& program, PirWriter& writer) : program_(program), writer_(writer) {}

  /// Takes the operations of the main block.
  void read(const JsonValue& operations) {
    for (const JsonValue& op : operations.GetArray()) {
      const std::string id = string_at(op, "#");
      id == "p" ? parameter(op) : operation(op, id);
    }
    writer_.next = largest_ + 1;
  }

 private:
  void parameter(const JsonValue& op) {
    const std::vector<const JsonValue*> attributes = elements_at(op, "A");
    const JsonValue* result = find(op, "O");
    if (attributes.empty() || !attributes.back()->IsString() || result == nullptr) return;
    ProgramVariable v;
    v.name.assign(attributes.back()->GetString(), attributes.back()->GetStringLength());
    read_type(find(*result, "TT"), v);
    const std::vector<const JsonValue*> flags = elements_at(op, "OA");
    v.persistable = flags.empty() || !flags[0]->IsInt64() || flags[0]->GetInt64() != 0;
    v.is_parameter = v.persistable;
    if (!v.persistable) writer_.unstored.push_back(json_text(op));
    define(id_of(*result), v.name);
    add(std::move(v), v.persistable ? json_text(op) : std::string());
  }

  void operation(const JsonValue& op, const std::string& id) {
    const std::string name = operation_name(id);
    const PirOperation* known = is_builtin(id) ? nullptr : find_pir_operation(name);
    ProgramOperator o;
    o.original = program_.operators.size();
    writer_.operators.push_back(json_text(op));
    o.type = known == nullptr ? name : known->type;
    const auto attributes = std::make_shared<AttributeMap>();
    for (const JsonValue* a : elements_at(op, "A")) attribute(*a, *attributes);
    o.attributes = attributes;
    const std::vector<const JsonValue*> operands = elements_at(op, "I");
    std::vector<std::string> read;
    for (const JsonValue* operand : operands) {
      read.push_back(name_of(id_of(*operand)));
      if (!read.back().empty()) o.inputs[input_slot(known, read.size() - 1)].push_back(read.back());
    }
    const std::string base = o.type == "feed" ? attributes->get<std::string>("name")
                             : is_counted(id) ? text(name, "_", count_++)
                                              : std::string();
    results(op, base, is_builtin(id) ? elements_of(name, read, o) : std::vector<std::string>(), o, known);
    if (id == "0.combine" && !o.outputs.empty()) lists_[o.output("Out")] = read;
    for (const JsonValue* region : elements_at(op, "regions")) nested(*region);
    program_.operators.push_back(std::move(o));
  }

  /// Names of what builtin operations take out of a list.
  std::vector<std::string> elements_of(const std::string& name, const std::vector<std::string>& read,
                                       const ProgramOperator& o) const {
    const auto list = read.empty() ? lists_.end() : lists_.find(read[0]);
    if (list == lists_.end() || (name != "split" && name != "slice")) return {};
    const auto first = static_cast<size_t>(name == "slice" ? std::max<int64_t>(o.integer("index", 0), 0) : 0);
    if (first >= list->second.size()) return {};
    return {list->second.begin() + static_cast<std::ptrdiff_t>(first), list->second.end()};
  }

  void results(const JsonValue& op, const std::string& base, const std::vector<std::string>& taken, ProgramOperator& o,
               const PirOperation* known) {
    size_t number = 0;  // among all elements of the results
    size_t at = 0;
    const auto numbered = [&](size_t n) { return n == 0 ? base : text(base, ".", n); };
    for (const JsonValue* result : elements_at(op, "O")) {
      const int64_t id = id_of(*result);
      const JsonValue* type = find(*result, "TT");
      std::string name = text("#", id);
      if (at < taken.size()) name = taken[at];
      if (type != nullptr && is_list(*type)) {
        for (size_t i = elements_at(*type, "D").size(); i > 0; --i) lists_[name].push_back(numbered(number++));
      } else if (!base.empty()) {
        name = numbered(number++);
      }
      const std::string slot = output_slot(known, at++);
      if (id == 0) continue;
      name = define(id, name);
      o.outputs[slot].push_back(name);
      ProgramVariable v;
      v.name = name;
      read_type(type, v);
      add(std::move(v), {});  // a result stands with its operation
    }
  }

  static void attribute(const JsonValue& a, AttributeMap& to) {
    const JsonValue* node = find(a, "AT");
    const JsonValue* data = node == nullptr ? nullptr : find(*node, "D");
    if (data == nullptr) return;
    const std::string name = programdesc_attribute(string_at(a, "N"));
    if (data->IsBool()) to.set(name, data->GetBool());
    if (data->IsInt64()) to.set(name, data->GetInt64());
    if (data->IsArray()) to.set(name, list(*node));
    if (data->IsString()) to.set(name, std::string(data->GetString(), data->GetStringLength()));
  }

  /// The integers of a list; none where it has others.
  static Ints list(const JsonValue& node) {
    Ints integers;
    for (const JsonValue* element : elements_at(node, "D")) {
      const JsonValue* number = find(*element, "D");
      if (number == nullptr) number = element;
      if (!number->IsInt64()) return {};
      integers.push_back(number->GetInt64());
    }
    return integers;
  }

  /// Counts the operations of a region, and notes what they read.
  void nested(const JsonValue& region) {
    for (const JsonValue* block : elements_at(region, "blocks")) {
      for (const JsonValue* op : elements_at(*block, "ops")) {
        if (is_counted(string_at(*op, "#"))) ++count_;
        for (const JsonValue* operand : elements_at(*op, "I")) {
          const std::string name = name_of(id_of(*operand));
          if (!name.empty()) program_.read_by_others.push_back(name);
        }
        for (const JsonValue* result : elements_at(*op, "O")) largest_ = std::max(largest_, id_of(*result));
        for (const JsonValue* inner : elements_at(*op, "regions")) nested(*inner);
      }
    }
  }

  void add(ProgramVariable v, std::string bytes) {
    v.original = program_.variables.size();
    program_.variables.push_back(std::move(v));
    writer_.variables.push_back(std::move(bytes));
  }

  std::string name_of(int64_t id) const {
    const auto found = names_.find(id);
    return found == names_.end() ? std::string() : found->second;
  }

  /// Calls a value by that name, or by one that no other has. Elements of lists are called as in the list.
  std::string define(int64_t id, std::string name) {
    largest_ = std::max(largest_, id);
    while (!writer_.ids.try_emplace(name, id).second) name += '\'';
    names_[id] = name;
    return name;
  }

  Program& program_;
  PirWriter& writer_;
  std::unordered_map<int64_t, std::string> names_;
  std::unordered_map<std::string, std::vector<std::string>> lists_;
  int64_t count_ = 0;
  int64_t largest_ = 0;
};

/// Writes `value` with the array at a path of keys and first elements empty; returns where that stands.
size_t write_around(JsonWriter& w, const JsonBuffer& buffer, const JsonValue& value,
                    const std::vector<const char*>& path, size_t depth) {
  size_t place = 0;
  const char* key = path[depth];
  w.StartObject();
  for (const auto& member : value.GetObject()) {
    w.Key(member.name.GetString(), member.name.GetStringLength());
    if (&member.value != find(value, key)) {  // of several of one name, the first counts
      member.value.Accept(w);
    } else if (depth + 1 == path.size()) {
      w.StartArray();
      place = buffer.GetSize();
      w.EndArray();
    } else if (member.value.IsObject()) {
      place = write_around(w, buffer, member.value, path, depth + 1);
    } else {
      w.StartArray();
      for (const JsonValue& element : member.value.GetArray()) {
        if (&element == member.value.Begin()) {
          place = write_around(w, buffer, element, path, depth + 1);
        } else {
          element.Accept(w);
        }
      }
      w.EndArray();
    }
  }
  w.EndObject();
  return place;
}

/// Whether values stand so deep in others that writing them takes too much of the stack.
bool too_deep(std::string_view json) {
  constexpr int kMostLevels = 1000;
  int depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text && c == '\\') {
      ++i;  // what is escaped ends no text
      continue;
    }
    if (c == '"') in_text = !in_text;
    if (in_text) continue;
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    if (depth > kMostLevels) return true;
  }
  return false;
}

}  // namespace

Program parse_pir(const FileBytes& file) {
  const std::string_view content(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  require(!too_deep(content), ErrorCode::kInvalidModel, printable(file.name), ": its values are nested too deep");
  JsonDocument d;
  d.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(content.data(), content.size());
  const std::vector<const char*> path{"program", "regions", "blocks", "ops"};
  const JsonValue* at = d.HasParseError() ? nullptr : &d;
  for (const char* key : path) {
    at = at == nullptr ? nullptr : find(*at, key);
    // The main region's only block.
    if (at != nullptr && at->IsArray() && key != path.back()) at = at->Empty() ? nullptr : at->Begin();
  }
  require(at != nullptr && at->IsArray(), ErrorCode::kInvalidModel, printable(file.name),
          ": it is not a whole PIR program");
  auto writer = std::make_shared<PirWriter>();
  JsonBuffer buffer;
  JsonWriter w(buffer);
  const size_t place = write_around(w, buffer, d, path, 0);
  const std::string around(buffer.GetString(), buffer.GetSize());
  writer->head = around.substr(0, place);
  writer->tail = around.substr(place);
  const JsonValue* base = find(d, "base_code");
  const JsonValue* trainable = base == nullptr ? nullptr : find(*base, "trainable");
  writer->trainable = trainable == nullptr || !trainable->IsBool() || trainable->GetBool();
  Program program;
  PirReader(program, *writer).read(*at);
  program.writer = std::move(writer);
  return program;
}

}  // namespace coracle::quantize
