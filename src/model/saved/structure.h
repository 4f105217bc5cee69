// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <vector>

#include "model/file.h"
#include "model/model_info.h"
#include "model/saved/format.h"
#include "model/saved/schema_generated.h"

namespace coracle::saved {

template <class T>
using Vector = flatbuffers::Vector<T>;
template <class T>
using Tables = flatbuffers::Vector<flatbuffers::Offset<T>>;

/// Elements of a list that may be absent.
template <class V>
uint32_t count(const V* list) {
  return list == nullptr ? 0 : list->size();
}
/// A text that may be absent.
/// The numbers of a list; none of null. The verifier does not say that they are aligned.
template <class T>
std::vector<T> numbers(const Vector<T>* list) {
  std::vector<T> all(count(list));
  if (!all.empty()) std::memcpy(all.data(), list->Data(), all.size() * sizeof(T));
  return all;
}

inline std::string_view view(const flatbuffers::String* s) {
  return s == nullptr ? std::string_view() : s->string_view();
}

/// Head and structure of a saved model, checked as far as a file can be that is not understood yet: versions,
/// checksums, that all tables lie within it, and where the weights are. All of it is a copy.
struct Structure {
  Head head;
  std::vector<uint64_t> bytes;  ///< as many as it takes, aligned
  struct Section {
    uint64_t at = 0;  ///< in the file
    uint64_t bytes = 0;
    uint32_t number = 0;
  };
  Section weights;
  Section packed;    ///< number 0: there is none
  Section compiled;  ///< number 0: there is none

  const saved_file::Model& model() const { return *saved_file::GetModel(bytes.data()); }
};

/// Throws Error without the name of the file.
Structure read_structure(const File& file);

/// A section in memory: where it is, or read.
struct SectionBytes {
  std::shared_ptr<const void> owner;
  const uint8_t* data = nullptr;
  bool mapped = false;
};
SectionBytes read_section(const File& file, const Structure::Section& section, std::string_view what);

/// The type that a number of the file says. Throws Error.
DType dtype_of(saved_file::ElementType type);
saved_file::ElementType element_type_of(DType dtype);
/// Dimensions; of no list an unknown rank. Throws Error.
Shape shape_of(const Vector<int64_t>* dims);

/// What the structure says of the model, with the operators that this library does not have.
ModelInfo info_of(const Structure& structure, const std::string& file);

}  // namespace coracle::saved
