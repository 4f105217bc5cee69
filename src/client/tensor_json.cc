// SPDX-License-Identifier: Apache-2.0
#include "client/tensor_json.h"

#include <rapidjson/error/en.h>

#include <charconv>

#include "client/element.h"

namespace coracle::client {
namespace {

/// Integers as they are, all others as real ones.
struct Number {
  bool whole = false;
  int64_t i = 0;
  double d = 0;
};

/// Collects lists of lists of numbers, and the names of an object around them.
class Lists : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Lists> {
 public:
  /// The member `name` of an object is taken, or what stands there without an object.
  explicit Lists(std::string name) : name_(std::move(name)) {}

  bool Default() { return !taken() || refuse("it contains something that is not a number"); }
  bool Bool(bool b) { return number({true, b ? 1 : 0, 0}); }
  /// A number as it is written: whole ones are kept exactly.
  bool RawNumber(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    const char* const end = text + length;
    Number n;
    const auto [whole_end, whole_error] = std::from_chars(text, end, n.i);
    if (whole_end == end && whole_error == std::errc()) {
      n.whole = true;
      return number(n);
    }
    const auto [real_end, real_error] = std::from_chars(text, end, n.d);
    if (real_end != end || real_error != std::errc()) return refuse("a number that float64 does not hold");
    return number(n);
  }

  bool StartObject() {
    if (in_object_ || depth_ > 0 || found_) return refuse("it has an object within another value");
    in_object_ = true;
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    names.emplace_back(text, length);
    taken_ = names.back() == name_;
    if (taken_ && found_) return refuse("it has '" + name_ + "' twice");
    return true;
  }
  bool EndObject(rapidjson::SizeType /*members*/) { return true; }
  bool StartArray() {
    if (!begin()) return false;
    if (++depth_ > CORACLE_MAX_RANK) return refuse("its lists are too deep");
    if (!taken()) return true;
    if (dims.size() < depth_) {
      if (!values.empty() || closed_) return refuse("its lists are not equally deep");
      dims.push_back(-1);
    }
    counts_.push_back(0);
    return true;
  }
  bool EndArray(rapidjson::SizeType /*elements*/) {
    --depth_;
    if (!taken()) return true;
    closed_ = true;
    const int64_t count = counts_.back();
    counts_.pop_back();
    int64_t& dim = dims[depth_];
    if (dim >= 0 && dim != count) {
      return refuse("its lists are not equally long: " + std::to_string(dim) + " and " + std::to_string(count));
    }
    dim = count;
    return true;
  }

  bool found() const { return found_; }

  coracle::Dims dims;
  std::vector<Number> values;
  std::vector<std::string> names;
  std::string why;

 private:
  bool taken() const { return !in_object_ || taken_; }
  bool refuse(const std::string& reason) {
    why = reason;
    return false;
  }
  /// Before each value.
  bool begin() {
    if (!taken()) return true;
    found_ = true;
    if (!counts_.empty()) ++counts_.back();
    return true;
  }
  bool number(const Number& v) {
    begin();
    if (!taken()) return true;
    if (dims.size() != depth_) return refuse("its lists are not equally deep");
    values.push_back(v);
    return true;
  }

  std::string name_;
  bool in_object_ = false;
  bool taken_ = false;
  bool found_ = false;
  bool closed_ = false;
  size_t depth_ = 0;
  std::vector<int64_t> counts_;  ///< of values in the lists that are open
};

/// Reads without recursion: lists may be as deep as the file is long.
bool read_lists(std::string_view content, Lists& handler, rapidjson::ParseResult* result) {
  internal::JsonReader reader;
  rapidjson::MemoryStream stream(content.data(), content.size());
  constexpr auto kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag |
                          rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  *result = reader.Parse<kFlags>(stream, handler);
  return !result->IsError();
}

void write_element(internal::JsonWriter& w, coracle_dtype dtype, const void* elements, size_t i) {
  if (is_complex(dtype)) {
    const coracle_dtype part = dtype == CORACLE_COMPLEX64 ? CORACLE_FLOAT32 : CORACLE_FLOAT64;
    w.StartArray();
    w.number(number_at(part, elements, 2 * i));
    w.number(number_at(part, elements, 2 * i + 1));
    w.EndArray();
  } else if (dtype == CORACLE_BOOL) {
    w.Bool(whole_at(dtype, elements, i) != 0);
  } else if (is_whole(dtype)) {
    w.Int64(whole_at(dtype, elements, i));
  } else {
    w.number(number_at(dtype, elements, i));
  }
}

const internal::JsonValue& member(const std::string& where, const internal::JsonValue& object, const char* name) {
  const auto found = object.IsObject() ? object.FindMember(name) : internal::JsonValue::ConstMemberIterator{};
  if (!object.IsObject() || found == object.MemberEnd()) fail(CORACLE_INVALID_ARGUMENT, where + ": it has no " + name);
  return found->value;
}

/// A type whose elements are numbers in the protocol's JSON.
coracle_dtype dtype_in_json(const std::string& where, const std::string& datatype) {
  const std::optional<coracle_dtype> dtype = dtype_of_datatype(datatype);
  if (datatype == "FP16" || datatype == "BF16") {
    fail(CORACLE_INVALID_ARGUMENT, where + ": the datatype " + datatype + " is sent as binary data, not as JSON");
  }
  if (!dtype) fail(CORACLE_INVALID_ARGUMENT, where + ": the datatype '" + datatype + "' is none of those supported");
  return *dtype;
}

coracle::Dims dims_in_json(const std::string& where, const internal::JsonValue& shape) {
  const std::string most = std::to_string(CORACLE_MAX_RANK);
  if (!shape.IsArray() || shape.Size() > CORACLE_MAX_RANK) {
    fail(CORACLE_INVALID_ARGUMENT, where + ": its shape is not a list of at most " + most + " dimensions");
  }
  coracle::Dims dims;
  for (const internal::JsonValue& d : shape.GetArray()) {
    if (!d.IsInt64() || d.GetInt64() < 0) {
      fail(CORACLE_INVALID_ARGUMENT, where + ": its shape has a dimension that is not a whole number from 0 on");
    }
    dims.push_back(d.GetInt64());
  }
  return dims;
}

/// How many values there are in lists of lists, of which deeper ones than a tensor has are values that are none.
size_t count_values(const internal::JsonValue& value, int depth) {
  if (!value.IsArray() || depth > CORACLE_MAX_RANK) return 1;
  size_t count = 0;
  for (const internal::JsonValue& v : value.GetArray()) count += count_values(v, depth + 1);
  return count;
}

/// Puts the data of the protocol into a tensor.
class Data {
 public:
  Data(const std::string& where, Tensor& tensor) : where_(where), tensor_(tensor) {}

  void put_flat(const internal::JsonValue& list) {
    for (const internal::JsonValue& v : list.GetArray()) put(v);
  }
  void put_row(const internal::JsonValue& row) { tensor_.dims.size() == 1 ? put(row) : put_nested(row, 1); }
  void put_nested(const internal::JsonValue& list, size_t axis) {
    const auto dim = static_cast<size_t>(tensor_.dims[axis]);
    if (!list.IsArray() || list.Size() != dim) {
      fail(CORACLE_INVALID_ARGUMENT, where_ + ": its data has " +
                                         (list.IsArray() ? "a list of " + std::to_string(list.Size()) : "a value") +
                                         " where the shape has " + std::to_string(dim));
    }
    if (axis + 1 == tensor_.dims.size()) return put_flat(list);
    for (const internal::JsonValue& v : list.GetArray()) put_nested(v, axis + 1);
  }

 private:
  void put(const internal::JsonValue& v) {
    const bool whole = v.IsBool() || v.IsInt64();
    const bool stored = whole ? put_whole(tensor_, at_, v.IsBool() ? int64_t{v.GetBool()} : v.GetInt64())
                              : v.IsNumber() && put_number(tensor_, at_, v.GetDouble());
    if (!stored) {
      fail(CORACLE_INVALID_ARGUMENT,
           where_ + ": value " + std::to_string(at_) + " of its data is no " + datatype_of(tensor_.dtype));
    }
    ++at_;
  }

  const std::string& where_;
  Tensor& tensor_;
  size_t at_ = 0;
};

/// From element `at` on, as lists for the dimensions from `axis` on.
void write_lists_from(internal::JsonWriter& w, const coracle::View& view, const coracle::Dims& dims, size_t axis,
                      size_t& at) {
  if (axis == dims.size()) return write_element(w, view.dtype(), view.raw(), at++);
  w.StartArray();
  for (int64_t i = 0; i < dims[axis]; ++i) write_lists_from(w, view, dims, axis + 1, at);
  w.EndArray();
}

}  // namespace

std::vector<std::string> json_names(std::string_view content) {
  Lists handler("");
  rapidjson::ParseResult result;
  read_lists(content, handler, &result);
  return handler.names;
}

Tensor parse_json(const std::string& path, std::string_view content, coracle_dtype dtype, const std::string& name) {
  Lists handler(name);
  rapidjson::ParseResult result;
  if (!read_lists(content, handler, &result)) {
    const std::string why = handler.why.empty() ? std::string(rapidjson::GetParseError_En(result.Code())) : handler.why;
    fail(CORACLE_IO, path + ": not JSON this program reads, near byte " + std::to_string(result.Offset()) + ": " + why);
  }
  if (!handler.found()) {
    std::string names;
    for (const std::string& n : handler.names) names.append(names.empty() ? "" : ", ").append(n);
    fail(CORACLE_INVALID_ARGUMENT, path + ": there is nothing called '" + name + "' in it; it has: " + names);
  }
  Tensor a = zeros(dtype, handler.dims);
  for (size_t i = 0; i < handler.values.size(); ++i) {
    const Number& v = handler.values[i];
    if (v.whole ? put_whole(a, i, v.i) : put_number(a, i, v.d)) continue;
    fail(CORACLE_INVALID_ARGUMENT, path + ": number " + std::to_string(i) + " is no " + coracle_dtype_name(dtype));
  }
  return a;
}

void write_elements(internal::JsonWriter& writer, const coracle::View& view) {
  writer.StartArray();
  for (size_t i = 0; i < view.size(); ++i) write_element(writer, view.dtype(), view.raw(), i);
  writer.EndArray();
}

Tensor parse_tensor(const std::string& where, const internal::JsonValue& object) {
  const internal::JsonValue& datatype = member(where, object, "datatype");
  if (!datatype.IsString()) fail(CORACLE_INVALID_ARGUMENT, where + ": its datatype is not a string");
  const coracle_dtype dtype = dtype_in_json(where, datatype.GetString());
  const coracle::Dims dims = dims_in_json(where, member(where, object, "shape"));
  const internal::JsonValue& data = member(where, object, "data");
  const std::optional<size_t> bytes = byte_count(dtype, dims);
  const size_t given = data.IsArray() ? count_values(data, 1) : 0;
  // Before memory is taken for what a shape claims.
  if (!data.IsArray() || !bytes || given != element_count(dims)) {
    fail(CORACLE_INVALID_ARGUMENT, where + ": its data has " + (data.IsArray() ? std::to_string(given) : "no list of") +
                                       " values, expected those of " + type_text(dtype, dims));
  }
  Tensor tensor = zeros(dtype, dims);
  Data values(where, tensor);
  if (given == 0) return tensor;
  !dims.empty() && data[0].IsArray() ? values.put_nested(data, 0) : values.put_flat(data);
  return tensor;
}

Tensor parse_rows(const std::string& where, const std::vector<const internal::JsonValue*>& rows, coracle_dtype dtype) {
  coracle::Dims dims{static_cast<int64_t>(rows.size())};
  const internal::JsonValue* first = rows.empty() ? nullptr : rows.front();
  for (; first != nullptr && first->IsArray(); first = first->Empty() ? nullptr : &(*first)[0]) {
    if (dims.size() == CORACLE_MAX_RANK) fail(CORACLE_INVALID_ARGUMENT, where + ": its lists are too deep");
    dims.push_back(first->Size());
  }
  size_t given = 0;
  for (const internal::JsonValue* row : rows) given += count_values(*row, 2);
  // Before memory is taken for what the first lists claim.
  if (!byte_count(dtype, dims) || given != element_count(dims)) {
    fail(CORACLE_INVALID_ARGUMENT, where + ": its data has " + std::to_string(given) + " values, expected those of " +
                                       type_text(dtype, dims) + ", as its first lists are long");
  }
  Tensor tensor = zeros(dtype, dims);
  Data values(where, tensor);
  if (given == 0) return tensor;
  for (const internal::JsonValue* row : rows) values.put_row(*row);
  return tensor;
}

void write_lists(internal::JsonWriter& writer, const coracle::View& view) {
  size_t at = 0;
  write_lists_from(writer, view, view.dims(), 0, at);
}

void write_row(internal::JsonWriter& writer, const coracle::View& view, size_t row) {
  const coracle::Dims dims = view.dims();
  size_t at = row * (view.size() / static_cast<size_t>(dims.front()));
  write_lists_from(writer, view, dims, 1, at);
}

void write_tensor(internal::JsonWriter& writer, const std::string& name, const coracle::View& view) {
  const std::string datatype = datatype_of(view.dtype());
  dtype_in_json("the output '" + name + "'", datatype.empty() ? coracle_dtype_name(view.dtype()) : datatype);
  writer.StartObject();
  writer.field("name", name);
  writer.field("datatype", datatype);
  writer.list("shape", view.dims());
  writer.Key("data");
  write_elements(writer, view);
  writer.EndObject();
}

}  // namespace coracle::client
