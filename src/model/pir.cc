// SPDX-License-Identifier: Apache-2.0
#include "model/pir.h"

#include <rapidjson/error/en.h>

#include <limits>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/json.h"
#include "base/printable.h"

namespace coracle::internal::pir {
namespace {

using Json = JsonValue;

[[noreturn]] void damaged(std::string_view what) { fail(ErrorCode::kInvalidModel, what); }

/// The member of an object, or null.
const Json* find(const Json& object, const char* key) {
  if (!object.IsObject()) return nullptr;
  const auto it = object.FindMember(key);
  return it == object.MemberEnd() ? nullptr : &it->value;
}

std::string_view string_of(const Json& json) { return {json.GetString(), json.GetStringLength()}; }

/// The string at a key, or an empty one.
std::string_view string_at(const Json& object, const char* key) {
  const Json* json = find(object, key);
  return json != nullptr && json->IsString() ? string_of(*json) : std::string_view();
}

/// The array at a key; null where there is none.
const Json* array_at(const Json& object, const char* key) {
  const Json* json = find(object, key);
  if (json == nullptr || json->IsNull()) return nullptr;
  if (!json->IsArray()) damaged(text("'", key, "' is not an array"));
  return json;
}

std::optional<int64_t> json_integer(const Json& json) {
  if (json.IsInt64()) return json.GetInt64();
  if (json.IsUint64()) return static_cast<int64_t>(json.GetUint64());
  if (json.IsBool()) return json.GetBool() ? 1 : 0;
  return std::nullopt;
}

int64_t id_of(const Json& json, const char* key) {
  const Json* id = find(json, key);
  const std::optional<int64_t> value = id == nullptr ? std::nullopt : json_integer(*id);
  if (!value) damaged("a value without an id");
  return *value;
}

/// "0.t_f32" -> "t_f32"; a type without a dialect number stays as it is.
std::string_view without_dialect(std::string_view id) {
  const size_t dot = id.find('.');
  return dot == std::string_view::npos ? id : id.substr(dot + 1);
}

std::optional<DType> element_type(std::string_view id) { return dtype_of_pir(without_dialect(id)); }

void check_depth(int depth) {
  if (depth > kMaxDepth) fail(ErrorCode::kUnsupported, "nested deeper than ", counted(kMaxDepth, "level"));
}

Type type_of(const Json* json, int depth) {
  check_depth(depth);
  Type type;
  if (json == nullptr) return type;
  const std::string_view kind = without_dialect(string_at(*json, "#"));
  const Json* data = find(*json, "D");
  if (data == nullptr || !data->IsArray()) return type;
  if (kind == "t_vec") {
    type.kind = Type::Kind::kList;
    type.elements.reserve(data->Size());
    for (const Json& element : data->GetArray()) type.elements.push_back(type_of(&element, depth + 1));
  } else if (kind == "t_dtensor" || kind == "t_dense_tensor_array") {
    type.kind = kind == "t_dtensor" ? Type::Kind::kTensor : Type::Kind::kArray;
    if (data->Size() > 0) type.dtype = element_type(string_at((*data)[0], "#"));
    if (data->Size() > 1 && (*data)[1].IsArray()) {
      for (const Json& d : (*data)[1].GetArray()) type.dims.push_back(json_integer(d).value_or(-1));
    }
    if (data->Size() > 3 && (*data)[3].IsArray()) type.lod_levels = static_cast<int>((*data)[3].Size());
  }
  return type;
}

/// The number of an attribute node {"#", "D"} or, for what JSON cannot write, {"#", "VD"}.
std::optional<double> json_real(const Json* data, const Json& node) {
  if (data != nullptr) {
    if (data->IsNumber()) return data->GetDouble();
    if (data->IsBool()) return data->GetBool() ? 1.0 : 0.0;
    return std::nullopt;
  }
  const std::string_view name = string_at(node, "VD");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (name == "NaN" || name == "NAN" || name == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (name == "INF" || name == "inf" || name == "Infinity") return kInfinity;
  if (name == "-INF" || name == "-inf" || name == "-Infinity") return -kInfinity;
  return std::nullopt;
}

/// A number as it is written: an integer stays one.
std::optional<AttributeValue> number_of(const Json* data, const Json& node) {
  if (data != nullptr && (data->IsInt64() || data->IsUint64())) return *json_integer(*data);
  if (const auto real = json_real(data, node)) return *real;
  return std::nullopt;
}

std::optional<AttributeValue> attribute_of(const Json& node, int depth);

/// Appends the real and the imaginary part where `item` is a complex number.
bool append_parts(const Json& item, const AttributeValue& value, Floats& reals) {
  const std::string_view kind = without_dialect(string_at(item, "#"));
  if (kind != "a_c64" && kind != "a_c128") return false;
  const auto append = [&](const auto* parts) {
    if (parts == nullptr || parts->size() != 2) return false;
    for (const auto part : *parts) reals.push_back(static_cast<double>(part));
    return true;
  };
  return append(std::get_if<Floats>(&value)) || append(std::get_if<Ints>(&value));
}

/// A list: of integers if all are, else of reals or strings, of complex numbers as their parts in turn; nothing for
/// other kinds.
std::optional<AttributeValue> list_of(const Json& items, int depth, bool bare) {
  Ints integers;
  Floats reals;
  Strings strings;
  size_t complex = 0;
  for (const Json& item : items.GetArray()) {
    const std::optional<AttributeValue> value = bare ? number_of(&item, item) : attribute_of(item, depth + 1);
    if (!value) return std::nullopt;
    if (const auto* b = std::get_if<bool>(&*value)) {
      integers.push_back(*b ? 1 : 0);
      reals.push_back(*b ? 1 : 0);
    } else if (const auto* i = std::get_if<int64_t>(&*value)) {
      integers.push_back(*i);
      reals.push_back(static_cast<double>(*i));
    } else if (const auto* d = std::get_if<double>(&*value)) {
      reals.push_back(*d);
    } else if (const auto* s = std::get_if<std::string>(&*value)) {
      strings.push_back(*s);
    } else if (append_parts(item, *value, reals)) {
      ++complex;
    } else {
      return std::nullopt;
    }
  }
  if (complex > 0) return complex == items.Size() ? std::optional<AttributeValue>(reals) : std::nullopt;
  if (integers.size() == items.Size()) return integers;
  if (reals.size() == items.Size()) return reals;
  if (strings.size() == items.Size()) return strings;
  return std::nullopt;
}

/// The value of an attribute node, or nothing if it is of a kind that operators here do not have.
std::optional<AttributeValue> attribute_of(const Json& node, int depth) {
  check_depth(depth);
  const std::string_view kind = without_dialect(string_at(node, "#"));
  const Json* data = find(node, "D");
  if (kind == "a_bool") {
    if (data == nullptr || !json_integer(*data)) return std::nullopt;
    return *json_integer(*data) != 0;
  }
  if (kind == "a_i32" || kind == "a_i64" || kind == "a_index") return number_of(data, node);
  if (kind == "a_f32" || kind == "a_f64") {
    const auto real = json_real(data, node);
    if (!real) return std::nullopt;
    return *real;
  }
  if (data == nullptr) return std::nullopt;
  if (kind == "a_str" || kind == "a_tensorname" || kind == "a_layout") {
    if (!data->IsString()) return std::nullopt;
    return std::string(string_of(*data));
  }
  if (kind == "a_dtype") {
    if (!data->IsString()) return std::nullopt;
    if (const auto dtype = dtype_of(string_of(*data))) return *dtype;
    return std::string(string_of(*data));
  }
  if (kind == "a_type") {
    if (const auto dtype = element_type(string_at(*data, "#"))) return *dtype;
    return std::nullopt;
  }
  if (kind == "a_array" && data->IsArray()) return list_of(*data, depth, /*bare=*/false);
  if ((kind == "a_intarray" || kind == "a_c64" || kind == "a_c128") && data->IsArray()) {
    return list_of(*data, depth, /*bare=*/true);
  }
  if (kind == "a_scalar" && data->IsArray() && data->Size() == 2) return number_of(&(*data)[1], (*data)[1]);
  return std::nullopt;
}

Definition definition_of(const Json& json, const char* key) {
  return {.id = id_of(json, key), .type = type_of(find(json, "TT"), 0)};
}

std::string dialect_name(std::string_view id) {
  if (id == "0") return "builtin";
  if (id == "1") return "pd_op";
  if (id == "2") return "cf";
  if (id == "3") return "custom_op";
  if (id == "4") return "pd_dist";
  return std::string(id);
}

/// Walks the document; nested regions are followed up to kMaxDepth.
class Walker {
 public:
  explicit Walker(Program& program) : program_(program) {}

  void main(const Json& document) {
    const Json* base = find(document, "base_code");
    require(base != nullptr && string_at(*base, "magic") == "pir", ErrorCode::kInvalidModel,
            "it has no \"base_code\" of magic \"pir\": it is not a PIR program");
    if (const Json* version = find(*base, "version")) program_.version = json_integer(*version).value_or(0);
    const Json* trainable = find(*base, "trainable");
    program_.trainable = trainable == nullptr || !trainable->IsBool() || trainable->GetBool();
    const Json* program = find(document, "program");
    const Json* regions = program == nullptr ? nullptr : array_at(*program, "regions");
    if (regions == nullptr || regions->Empty()) damaged("the program has no regions");
    program_.main = region((*regions)[0], 0);
  }

  /// The operation that was being read, for messages.
  const std::string& place() const { return place_; }

 private:
  Region region(const Json& json, int depth) {
    check_depth(depth);
    Region region;
    const Json* blocks = array_at(json, "blocks");
    if (blocks == nullptr || blocks->Empty()) return region;
    if (blocks->Size() != 1)
      fail(ErrorCode::kUnsupported, "a region of ", counted(blocks->Size(), "block"), ", expected one");
    const Json& block = (*blocks)[0];
    if (const Json* arguments = array_at(block, "args")) {
      for (const Json& a : arguments->GetArray()) region.arguments.push_back(definition_of(a, "#"));
    }
    const Json* operations = array_at(block, "ops");
    if (operations == nullptr) return region;
    region.operations.reserve(operations->Size());
    for (rapidjson::SizeType i = 0; i < operations->Size(); ++i) {
      const Json& json_operation = (*operations)[i];
      const std::string_view id = string_at(json_operation, "#");
      const std::string outer = std::exchange(place_, text("operation ", i, " ", in_quotes(id), " at depth ", depth));
      if (id == "p") {
        program_.parameters.push_back(parameter(json_operation));
        if (depth == 0) program_.parameters.back().index = i;
      } else {
        region.operations.push_back(operation(json_operation, id, depth));
        region.operations.back().index = i;
      }
      place_ = outer;
    }
    return region;
  }

  static Parameter parameter(const Json& json) {
    const Json* attributes = array_at(json, "A");
    const Json* result = find(json, "O");
    if (attributes == nullptr || attributes->Empty() || result == nullptr) damaged("a parameter without name or value");
    const Json& name = (*attributes)[attributes->Size() - 1];
    if (!name.IsString()) damaged("a parameter without a name");
    Parameter parameter{.name = std::string(string_of(name)), .value = definition_of(*result, "%")};
    if (const Json* flags = array_at(json, "OA"); flags != nullptr && !flags->Empty()) {
      parameter.persistable = json_integer((*flags)[0]).value_or(1) != 0;
    }
    return parameter;
  }

  Operation operation(const Json& json, std::string_view id, int depth) {
    const size_t dot = id.find('.');
    if (dot == std::string_view::npos) damaged("an operation without a name");
    Operation op;
    op.dialect = dialect_name(id.substr(0, dot));
    op.name = id.substr(dot + 1);
    if (op.name.size() > 1 && op.name.back() == '_') op.name.pop_back();
    if (const Json* operands = array_at(json, "I")) {
      for (const Json& operand : operands->GetArray()) op.operands.push_back(id_of(operand, "%"));
    }
    if (const Json* results = array_at(json, "O")) {
      for (const Json& result : results->GetArray()) op.results.push_back(definition_of(result, "%"));
    }
    if (const Json* attributes = array_at(json, "A")) {
      for (const Json& a : attributes->GetArray()) {
        const Json* node = find(a, "AT");
        if (node == nullptr) continue;
        const std::string_view name = string_at(a, "N");
        if (name == "struct_name") {
          op.scope = string_at(*node, "D");
          continue;
        }
        if (std::optional<AttributeValue> value = attribute_of(*node, 0)) {
          op.attributes.set(std::string(name), *std::move(value));
        }
      }
    }
    if (const Json* regions = array_at(json, "regions")) {
      for (const Json& r : regions->GetArray()) op.regions.push_back(region(r, depth + 1));
    }
    return op;
  }

  Program& program_;
  std::string place_;
};

}  // namespace

std::string_view element_name(DType dtype) {
  const std::string_view name = row_of(dtype).pir;
  require(!name.empty(), ErrorCode::kUnsupported, "a program cannot declare elements of ", dtype);
  return name;
}

Program parse(const FileBytes& file) {
  Program program;
  program.file = file.name;
  const std::string what = text("the program ", in_quotes(file.name));
  JsonDocument document;
  // Iterative: nesting costs memory in proportion to the file, never stack.
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(
      reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  require(!document.HasParseError(), ErrorCode::kInvalidModel, what, " is damaged at byte ", document.GetErrorOffset(),
          ": ", rapidjson::GetParseError_En(document.GetParseError()));
  Walker walker(program);
  try {
    walker.main(document);
  } catch (Error& e) {
    e.add_context(text("reading ", what, walker.place().empty() ? "" : ", ", walker.place()));
    throw;
  }
  return program;
}

}  // namespace coracle::internal::pir
