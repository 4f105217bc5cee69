// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "loading/model.h"
#include "run/session.h"
#include "saved/format.h"
#include "support/memory_file.h"
#include "support/small_models.h"

/// Saved models in tests: loaded, run, damaged.
namespace coracle::internal::test {

inline std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::shared_ptr<const Model> loaded(const ModelBytes& m, const ModelOptions& options = {}) {
  return Model::load(ModelSource::in_memory(memory_file(m.program), memory_file(m.params)), options);
}

inline std::shared_ptr<const Model> loaded(const std::string& path, const ModelOptions& options = {}) {
  return Model::load(ModelSource::on_disk(path), options);
}

inline std::vector<Tensor> results(const std::shared_ptr<const Model>& model, const std::vector<Tensor>& inputs,
                                   const SessionOptions& options = {.threads = 2}) {
  Session session(model, options);
  for (size_t i = 0; i < inputs.size(); ++i) {
    session.set_input(i, inputs[i]);
    if (!inputs[i].lod().empty()) session.set_input_lod(i, inputs[i].lod());
  }
  session.run();
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < model->info().outputs.size(); ++i) outputs.push_back(session.output(i).clone());
  return outputs;
}

/// What an attempt to load it says.
template <class F>
std::string refusal(const F& load, ErrorCode expected) {
  try {
    load();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << error.text();
    return error.text();
  }
  ADD_FAILURE() << "it loads";
  return {};
}

/// Puts right what the head says of the bytes behind it, so that only what stands there is wrong.
inline std::string resealed(std::string bytes) {
  saved::Head head;
  std::memcpy(&head, bytes.data(), sizeof(head));
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  head.structure_checksum = saved::checksum({data + head.head_bytes, static_cast<size_t>(head.structure_bytes)});
  head.head_checksum = saved::checksum({reinterpret_cast<const uint8_t*>(&head), offsetof(saved::Head, head_checksum)});
  std::memcpy(bytes.data(), &head, sizeof(head));
  return bytes;
}

template <class F>
std::string with_head(std::string bytes, const F& change) {
  saved::Head head;
  std::memcpy(&head, bytes.data(), sizeof(head));
  change(head);
  std::memcpy(bytes.data(), &head, sizeof(head));
  return resealed(std::move(bytes));
}

}  // namespace coracle::internal::test
