// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "paddle/paddle_inference_api.h"
#include "support/program_writer.h"
#include "support/small_models.h"
#include "support/temporary_folder.h"

/// Small models as files, for Paddle's interfaces.
namespace coracle::internal::test {

/// A model's two files in a folder that goes away with the object.
class ModelOnDisk {
 public:
  explicit ModelOnDisk(const ModelBytes& bytes)
      : program(folder_.write("inference.pdmodel", bytes.program)),
        params(folder_.write("inference.pdiparams", bytes.params)) {}

  std::string path(const std::string& name = {}) const { return folder_.path(name); }
  paddle_infer::Config config() const { return paddle_infer::Config(program, params); }
  std::shared_ptr<paddle_infer::Predictor> predictor() const { return paddle_infer::CreatePredictor(config()); }

 private:
  TemporaryFolder folder_;

 public:
  const std::string program;
  const std::string params;
};

inline ModelBytes small_model(const std::string& name) {
  for (const ModelBytes& m : small_program_models()) {
    if (m.name == name) return m;
  }
  throw std::runtime_error("there is no small model " + name);
}

/// A detector's interface: inputs im_shape [?, 2], image [?, 3, ?, ?], scale_factor [?, 2], whose feed operators stand
/// in another order; outputs "boxes" = the mean of each image's channels and "count" = im_shape / scale_factor.
inline ModelBytes detector_model() {
  BlockWriter b;
  b.variables.push_back(variable("feed", 0, {}, true, 9));
  b.variables.push_back(variable("fetch", 0, {}, true, 10));
  const Names names = {"im_shape", "image", "scale_factor"};
  for (int col : {2, 1, 0}) {
    const std::string& name = names[static_cast<size_t>(col)];
    b.variables.push_back(variable(name, kFloat32, col == 1 ? Dims{-1, 3, -1, -1} : Dims{-1, 2}));
    b.operators.push_back(OpWriter("feed").in("X", {"feed"}).out("Out", {name}).integer("col", col));
  }
  b.operators.push_back(OpWriter("reduce_mean")
                            .in("X", {"image"})
                            .out("Out", {"boxes"})
                            .integers("dim", {2, 3})
                            .boolean("keep_dim", false));
  b.operators.push_back(OpWriter("elementwise_div")
                            .in("X", {"im_shape"})
                            .in("Y", {"scale_factor"})
                            .out("Out", {"count"})
                            .integer("axis", -1));
  b.operators.push_back(OpWriter("fetch").in("X", {"count"}).out("Out", {"fetch"}).integer("col", 1));
  b.operators.push_back(OpWriter("fetch").in("X", {"boxes"}).out("Out", {"fetch"}).integer("col", 0));
  return {"detector", program_file({b}), "", {}};
}

/// A reader's interface: int64 inputs "words" and "positions" [?, ?], output "scores" = the sum of their embeddings [?,
/// ?, 3].
inline ModelBytes reader_model() {
  BlockWriter b;
  add_feed(b, "words", kInt64, {-1, -1}, 0);
  add_feed(b, "positions", kInt64, {-1, -1}, 1);
  std::string params;
  for (const char* table : {"a_words", "b_positions"}) {
    b.variables.push_back(variable(table, kFloat32, {20, 3}, true));
    std::vector<float> values(60);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * (*table == 'a' ? 0.25F : -0.5F);
    params += record<float>(kFloat32, {20, 3}, values);
  }
  b.operators.push_back(OpWriter("lookup_table_v2")
                            .in("Ids", {"words"})
                            .in("W", {"a_words"})
                            .out("Out", {"u"})
                            .integer("padding_idx", -1));
  b.operators.push_back(OpWriter("lookup_table_v2")
                            .in("Ids", {"positions"})
                            .in("W", {"b_positions"})
                            .out("Out", {"v"})
                            .integer("padding_idx", -1));
  b.operators.push_back(
      OpWriter("elementwise_add").in("X", {"u"}).in("Y", {"v"}).out("Out", {"scores"}).integer("axis", -1));
  add_fetch(b, "scores", 0);
  return {"reader", program_file({b}), params, {}};
}

/// Fills an input by its handle.
template <class T>
void fill(paddle_infer::Predictor& predictor, const std::string& name, const std::vector<int>& shape,
          const std::vector<T>& values) {
  const std::unique_ptr<paddle_infer::Tensor> input = predictor.GetInputHandle(name);
  input->Reshape(shape);
  input->CopyFromCpu(values.data());
}

template <class T>
std::vector<T> result(paddle_infer::Predictor& predictor, const std::string& name) {
  const std::unique_ptr<paddle_infer::Tensor> output = predictor.GetOutputHandle(name);
  size_t count = 1;
  for (int d : output->shape()) count *= static_cast<size_t>(d);
  std::vector<T> values(count);
  output->CopyToCpu(values.data());
  return values;
}

/// Expects an exception of Paddle's kind, derived from std::runtime_error, whose message has `part`.
template <class F>
void expect_refused(const F& call, const std::string& part) {
  try {
    call();
  } catch (const paddle::platform::EnforceNotMet& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << "no '" << part << "' in: " << e.what();
    return;
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
    return;
  }
  ADD_FAILURE() << "no exception, expected '" << part << "'";
}

}  // namespace coracle::internal::test
