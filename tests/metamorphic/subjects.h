// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/tensor.h"
#include "model/load.h"

/// Models with inputs that they take: the recorded cases of Paddle, in other sizes.
namespace coracle::internal::test {

struct Subject {
  std::string name;
  ModelSource source;
  std::vector<std::string> input_names;
  std::vector<Tensor> inputs;
};

/// Inputs in the order of the model.
using Inputs = std::vector<Tensor>;

/// The recorded inputs first, then for each free size of the model (equal sizes belong together) and for the sequences
/// of each input two others. Elements are those of the recorded inputs, over and over.
std::vector<Inputs> inputs_of_all_sizes(const Subject& subject, const std::vector<TensorInfo>& infos);

/// The packed operator cases of a folder, which is described in tests/oracle.
std::vector<Subject> operator_subjects(const std::string& folder);
/// The first case of each model of the reference folder, smallest files first; none if it is absent.
std::vector<Subject> model_subjects(const std::string& shared, const std::string& filled);

}  // namespace coracle::internal::test
