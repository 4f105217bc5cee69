// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/small_models.h"
#include "support/temporary_folder.h"

/// The model that fuzz targets of the server ask: x [?, 2] to twice and product.
namespace coracle::serve::test {

/// A folder with it, which lives as long as the process.
inline const std::string& model_folder() {
  static const internal::test::TemporaryFolder folder;
  static const std::string path = [] {
    const internal::test::ModelBytes model = internal::test::product_model();
    folder.write("inference.pdmodel", model.program);
    folder.write("inference.pdiparams", model.params);
    return folder.path();
  }();
  return path;
}

}  // namespace coracle::serve::test
