// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "engine_options.h"
#include "error.h"

namespace paddle {
namespace detail {

/// The shapes that operands had in runs, and the values of small whole-number ones: least, largest and most frequent,
/// dimension by dimension. Shared by the clones of a predictor.
class ShapeRanges {
 public:
  explicit ShapeRanges(const std::string& path) : path_(path) {
    require(can_be_written(path), "CollectShapeRangeInfo: cannot write file '", path, "'");
  }
  /// For who writes `text` itself.
  ShapeRanges() = default;
  ShapeRanges(const ShapeRanges&) = delete;
  ShapeRanges& operator=(const ShapeRanges&) = delete;

  void add(const std::string& name, const coracle_tensor_view& tensor) {
    std::vector<int64_t> shape(tensor.dims, tensor.dims + tensor.rank);
    if (shape.empty()) shape.push_back(1);
    const std::lock_guard<std::mutex> lock(mutex_);
    count(shapes_[name], shape);
    const std::vector<int64_t> values = shape_values(tensor);
    if (!values.empty()) count(values_[name], values);
  }

  /// Paddle's file: a protobuf text of ShapeRangeInfos.
  std::string text() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::ostringstream out;
    for (const auto& item : shapes_) {
      out << "shape_range_info {\n  name: \"" << escaped(item.first) << "\"\n";
      write_three(out, item.second, "shape");
      const auto values = values_.find(item.first);
      if (values != values_.end()) write_three(out, values->second, "value");
      out << "}\n";
    }
    return out.str();
  }
  /// How many variables were seen.
  size_t size() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return shapes_.size();
  }
  void write() const { write_file(path_, text()); }

 private:
  struct Count {
    int64_t times = 0;
    size_t seen = 0;  // as which of its place's numbers
  };
  using Place = std::map<int64_t, Count>;
  /// How often each number stood at each place.
  using Counts = std::vector<Place>;
  static constexpr size_t kMostShapeValues = 8;

  /// Another rank than before starts anew: the file has no place for both.
  static void count(Counts& counts, const std::vector<int64_t>& numbers) {
    if (counts.size() != numbers.size()) counts.assign(numbers.size(), {});
    for (size_t i = 0; i < numbers.size(); ++i) {
      const size_t before = counts[i].size();
      Count& c = counts[i][numbers[i]];
      if (c.times++ == 0) c.seen = before;
    }
  }

  /// What may be a shape: one to eight integers.
  static std::vector<int64_t> shape_values(const coracle_tensor_view& tensor) {
    std::vector<int64_t> values;
    const size_t size = coracle_dtype_size(tensor.dtype);
    if ((tensor.dtype != CORACLE_INT32 && tensor.dtype != CORACLE_INT64) || tensor.bytes > kMostShapeValues * size) {
      return values;
    }
    for (size_t at = 0; at < tensor.bytes; at += size) {
      const char* from = static_cast<const char*>(tensor.data) + at;
      int64_t wide = 0;
      int32_t narrow = 0;
      std::memcpy(tensor.dtype == CORACLE_INT64 ? static_cast<void*>(&wide) : &narrow, from, size);
      values.push_back(tensor.dtype == CORACLE_INT64 ? wide : narrow);
    }
    return values;
  }

  /// As a text in quotes has it.
  static std::string escaped(const std::string& name) {
    std::string out;
    for (const char c : name) {
      const auto code = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out += {'\\', c};
      } else if (code < 0x20 || code == 0x7F) {
        for (const unsigned part : {0x5CU, '0' + code / 64U, '0' + code / 8U % 8U, '0' + code % 8U}) {
          out += static_cast<char>(part);
        }
      } else {
        out += c;
      }
    }
    return out;
  }

  /// Of several that of which the first came last, as in Paddle.
  static int64_t most_frequent(const Place& place) {
    return std::max_element(place.begin(), place.end(),
                            [](const Place::value_type& a, const Place::value_type& b) {
                              return a.second.times != b.second.times ? a.second.times < b.second.times
                                                                      : a.second.seen < b.second.seen;
                            })
        ->first;
  }

  static void write_three(std::ostream& out, const Counts& counts, const char* kind) {
    for (const auto& place : counts) out << "  min_" << kind << ": " << place.begin()->first << "\n";
    for (const auto& place : counts) out << "  max_" << kind << ": " << place.rbegin()->first << "\n";
    for (const auto& place : counts) out << "  opt_" << kind << ": " << most_frequent(place) << "\n";
  }

  const std::string path_;
  mutable std::mutex mutex_;
  std::map<std::string, Counts> shapes_;
  std::map<std::string, Counts> values_;
};

}  // namespace detail
}  // namespace paddle
