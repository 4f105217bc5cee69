// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "model/byte_source.h"

namespace coracle::internal::test {

/// A file in memory that lives as long as someone holds its bytes.
inline FileBytes memory_file(std::string content, std::string name = "file") {
  const auto owner = std::make_shared<const std::string>(std::move(content));
  return {.name = std::move(name),
          .owner = owner,
          .bytes = {reinterpret_cast<const uint8_t*>(owner->data()), owner->size()}};
}

}  // namespace coracle::internal::test
