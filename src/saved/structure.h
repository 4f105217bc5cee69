// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "graph/model_info.h"
#include "graph/operator_set.h"
#include "saved/format.h"
#include "saved/tables.h"

namespace coracle::internal::saved {

/// Head and structure of a saved model, checked as far as a file can be that is not understood yet: versions,
/// checksums, that all tables lie within it, and where the weights are. All of it is a copy.
struct Structure {
  Head head;
  std::vector<uint8_t> bytes;
  struct Section {
    uint64_t at = 0;  ///< in the file
    uint64_t bytes = 0;
    uint32_t number = 0;
  };
  Section weights;
  Section packed;    ///< number 0: there is none
  Section compiled;  ///< number 0: there is none

  tables::Model model() const { return tables::Model(FlatBytes(bytes)); }
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
DType dtype_of(tables::ElementType type);
/// Dimensions; of no list an unknown rank. Throws Error.
Shape shape_of(const FlatNumbers<int64_t>& dims);

/// What the structure says of the model, with the operators that are not among these.
ModelInfo info_of(const Structure& structure, const std::string& file, const OperatorSet& operators);

}  // namespace coracle::internal::saved
