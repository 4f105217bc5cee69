// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "loading/model.h"
#include "run/session.h"

namespace coracle::internal::test {

/// The outputs of a run, as memory of their own.
inline std::vector<Tensor> run(Session& session, const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) session.set_input(i, inputs[i]);
  session.run();
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < session.model().info().outputs.size(); ++i) outputs.push_back(session.output(i).clone());
  return outputs;
}

/// The same in a session made for it.
inline std::vector<Tensor> run_fresh(const std::shared_ptr<const Model>& model, const std::vector<Tensor>& inputs,
                                     const SessionOptions& options = {.threads = 2}) {
  Session session(model, options);
  return run(session, inputs);
}

/// True if both have the same types, shapes and bits.
inline bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].dtype() != b[i].dtype() || !(a[i].shape() == b[i].shape())) return false;
    if (a[i].bytes() > 0 && std::memcmp(a[i].raw(), b[i].raw(), a[i].bytes()) != 0) return false;
  }
  return true;
}

}  // namespace coracle::internal::test
