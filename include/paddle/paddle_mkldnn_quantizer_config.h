// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "detail/paddle_buf.h"

namespace paddle {

/// How Paddle finds the scale of a quantised tensor.
enum class ScaleAlgo { NONE, MAX, MAX_CH, MAX_CH_T, KL };

/// Settings of Paddle's quantiser on oneDNN; kept, without effect: a model runs in its own precision.
struct MkldnnQuantizerConfig {
  void SetScaleAlgo(const std::string& op_type_name, const std::string& conn_name, ScaleAlgo algo) {
    rules_[op_type_name][conn_name] = algo;
  }
  /// The one that was set or is Paddle's for the operand of the operator, else the default.
  ScaleAlgo scale_algo(const std::string& op_type_name, const std::string& conn_name) const {
    const auto rules = rules_.find(op_type_name);
    if (rules == rules_.end()) return default_scale_algo_;
    const auto rule = rules->second.find(conn_name);
    return rule == rules->second.end() ? default_scale_algo_ : rule->second;
  }
  void SetWarmupData(std::shared_ptr<std::vector<PaddleTensor>> data) { warmup_data_ = std::move(data); }
  std::shared_ptr<std::vector<PaddleTensor>> warmup_data() const { return warmup_data_; }
  void SetWarmupBatchSize(int batch_size) { warmup_batch_size_ = batch_size; }
  int warmup_batch_size() const { return warmup_batch_size_; }
  void SetEnabledOpTypes(std::unordered_set<std::string> op_list) { enabled_op_types_ = std::move(op_list); }
  const std::unordered_set<std::string>& enabled_op_types() const { return enabled_op_types_; }
  void SetExcludedOpIds(std::unordered_set<int> op_ids_list) { excluded_op_ids_ = std::move(op_ids_list); }
  const std::unordered_set<int>& excluded_op_ids() const { return excluded_op_ids_; }
  void SetDefaultScaleAlgo(ScaleAlgo algo) { default_scale_algo_ = algo; }
  ScaleAlgo default_scale_algo() const { return default_scale_algo_; }

 private:
  using Rules = std::map<std::string, std::map<std::string, ScaleAlgo>>;

  static Rules paddles_rules() {
    const ScaleAlgo none = ScaleAlgo::NONE;
    const ScaleAlgo kl = ScaleAlgo::KL;
    return {{"concat", {{"Out", kl}, {"X", kl}}},
            {"conv2d",
             {{"Bias", none}, {"Filter", ScaleAlgo::MAX_CH}, {"Input", kl}, {"Output", kl}, {"ResidualData", kl}}},
            {"fc", {{"Bias", none}, {"Input", kl}, {"Out", kl}, {"W", ScaleAlgo::MAX_CH_T}}},
            {"pool2d", {{"Out", kl}, {"X", kl}}},
            {"prior_box", {{"Boxes", none}, {"Image", none}, {"Input", kl}, {"Variances", none}}},
            {"reshape2", {{"Out", none}, {"Shape", none}, {"ShapeTensor", none}, {"X", kl}, {"XShape", none}}},
            {"transpose2", {{"Out", none}, {"X", kl}}}};
  }

  Rules rules_ = paddles_rules();
  std::unordered_set<std::string> enabled_op_types_;
  std::unordered_set<int> excluded_op_ids_;
  std::shared_ptr<std::vector<PaddleTensor>> warmup_data_;
  int warmup_batch_size_ = 1;
  ScaleAlgo default_scale_algo_ = ScaleAlgo::MAX;
};

}  // namespace paddle
