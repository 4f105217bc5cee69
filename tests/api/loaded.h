// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "coracle/coracle.h"
#include "support/small_models.h"

namespace coracle::internal::test {

struct FreeHandle {
  void operator()(coracle_model* m) const { coracle_model_free(m); }
  void operator()(coracle_session* s) const { coracle_session_free(s); }
  void operator()(char* text) const { coracle_string_free(text); }
};
using ModelHandle = std::unique_ptr<coracle_model, FreeHandle>;
using SessionHandle = std::unique_ptr<coracle_session, FreeHandle>;

/// A model from memory by the C interface; `bytes` must outlive it. Null (and a failure of the test) on an error.
inline ModelHandle load(const ModelBytes& bytes, const coracle_model_options* options = nullptr) {
  coracle_model* model = nullptr;
  EXPECT_EQ(coracle_model_load_memory(bytes.program.data(), bytes.program.size(), bytes.params.data(),
                                      bytes.params.size(), options, &model),
            CORACLE_OK)
      << coracle_last_error();
  return ModelHandle(model);
}

inline SessionHandle open(const ModelHandle& model, const coracle_session_options* options = nullptr) {
  coracle_session* session = nullptr;
  EXPECT_EQ(coracle_session_create(model.get(), options, &session), CORACLE_OK) << coracle_last_error();
  return SessionHandle(session);
}

/// Expects a status and a message that has `part`.
inline void expect_error(coracle_status got, coracle_status want, const std::string& part) {
  EXPECT_EQ(got, want) << coracle_last_error();
  EXPECT_NE(std::string(coracle_last_error()).find(part), std::string::npos)
      << "no '" << part << "' in: " << coracle_last_error();
}

}  // namespace coracle::internal::test
