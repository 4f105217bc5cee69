// SPDX-License-Identifier: Apache-2.0
#include "serve/ensemble_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "serve/failure.h"

namespace coracle::serve {
namespace {

constexpr const char* kHead =
    "name: \"e\" platform: \"ensemble\" input { name: \"IN\" data_type: TYPE_FP32 dims: 3 } "
    "output { name: \"OUT\" data_type: TYPE_FP32 dims: 3 } ";

std::string map_text(const std::string& kind, const std::string& key, const std::string& value) {
  return kind + " { key: \"" + key + "\" value: \"" + value + "\" } ";
}

/// A step of a model that makes y of x.
std::string step_text(const std::string& model, const std::string& from, const std::string& to) {
  return "step { model_name: \"" + model + "\" model_version: -1 " + map_text("input_map", "x", from) +
         map_text("output_map", "y", to) + "} ";
}

std::string ensemble_text(const std::string& steps) { return kHead + ("ensemble_scheduling { " + steps + "}"); }

std::string why_not(const std::string& text) {
  try {
    plan_of(parse_model_config(text, "c"));
  } catch (const Failure& failure) {
    return failure.what();
  }
  return {};
}

TEST(EnsemblePlan, KnowsWhoWaitsForWhom) {
  const std::string last = "step { model_name: \"c\" model_version: 7 model_namespace: \"n\" " +
                           map_text("input_map", "a", "s") + map_text("input_map", "b", "t") +
                           map_text("output_map", "y", "OUT") + "}";
  const ModelConfig config =
      parse_model_config(ensemble_text(last + step_text("a", "IN", "s") + step_text("b", "s", "t")), "c");
  EXPECT_TRUE(config.ignored.empty());
  const EnsemblePlan plan = plan_of(config);
  EXPECT_EQ(plan.name, "e");
  EXPECT_EQ(plan.tensors, (std::vector<std::string>{"IN", "s", "t", "OUT"}));
  EXPECT_EQ(plan.source, (std::vector<std::optional<size_t>>{std::nullopt, 1, 2, 0}));
  EXPECT_EQ(plan.users, (std::vector<std::vector<size_t>>{{1}, {0, 2}, {0}, {}}));
  EXPECT_EQ(plan.outputs, std::vector<size_t>{3});
  EXPECT_EQ(plan.steps[0].version, "7");
  EXPECT_EQ(plan.steps[1].version, "");
  EXPECT_EQ(plan.steps[0].inputs.at("b"), 2U);
  EXPECT_EQ(plan.step_name(2), "step 3 (model 'b')");
  const std::string json = config_json(config);
  EXPECT_NE(json.find("\"platform\":\"ensemble\",\"backend\":\"\""), std::string::npos) << json;
  EXPECT_NE(json.find(R"({"model_name":"c","model_version":7,"input_map":{"a":"s","b":"t"},"output_map":{"y":"OUT"}})"),
            std::string::npos)
      << json;
  EXPECT_EQ(models_joined(config), (std::vector<std::string>{"c", "a", "b"}));
}

TEST(EnsemblePlan, SaysWhatDoesNotFit) {
  const std::string whole = step_text("a", "IN", "OUT");
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {kHead, "ensemble 'e' has no ensemble_scheduling, which says what its steps are"},
           {"name: \"e\" platform: \"ensemble\" ensemble_scheduling { " + whole + "}", "ensemble 'e' has no input"},
           {ensemble_text(whole) + "instance_group { count: 2 }",
            "ensemble 'e' has an instance_group, which belongs to the models of its steps"},
           {ensemble_text(whole) + "dynamic_batching { }",
            "ensemble 'e' has dynamic_batching, which belongs to the models of its steps"},
           {ensemble_text(whole) + "input { name: \"IN\" dims: 3 }", "ensemble 'e' has the input 'IN' twice"},
           {ensemble_text(whole) + "output { name: \"OUT\" dims: 3 }", "ensemble 'e' has the output 'OUT' twice"},
           {ensemble_text(whole) + "output { name: \"IN\" dims: 3 }",
            "ensemble 'e' has the output 'IN', which is in no step's output_map"},
           {ensemble_text(whole) + "output { name: \"MORE\" dims: 3 }",
            "ensemble 'e' has the output 'MORE', which is in no step's output_map"},
           {ensemble_text(whole) + "input { name: \"MORE\" dims: 3 }",
            "ensemble 'e' has the input 'MORE', which is in no step's input_map"},
           {ensemble_text(step_text("a", "IN", "t") + step_text("b", "IN", "OUT")),
            "ensemble 'e' has the tensor 't' of step 1 (model 'a'), which nobody uses; take it out of the output_map"},
           {ensemble_text(step_text("a", "IN", "OUT") + step_text("b", "IN", "OUT")),
            "ensemble 'e' has the tensor 'OUT' twice: from step 1 (model 'a') and from step 2 (model 'b')"},
           {ensemble_text(step_text("a", "IN", "IN")),
            "ensemble 'e' has the input 'IN', which is also an output of step 1 (model 'a')"},
           {ensemble_text(step_text("a", "IN", "OUT") + step_text("b", "s", "s")),
            "ensemble 'e' has steps that wait for each other's tensors: step 2 (model 'b')"},
           {ensemble_text(step_text("a", "IN", "OUT") + step_text("b", "s", "t") + step_text("c", "t", "s")),
            "ensemble 'e' has steps that wait for each other's tensors: step 2 (model 'b'), step 3 (model 'c')"},
           {ensemble_text(step_text("a", "s", "OUT")),
            "ensemble 'e' has the input 'IN', which is in no step's input_map"},
           {ensemble_text(step_text("a", "IN", "t") + step_text("b", "t", "s") + step_text("c", "u", "OUT")),
            "ensemble 'e' has the tensor 's' of step 2 (model 'b'), which nobody uses; take it out of the output_map"},
           {ensemble_text(step_text("a", "IN", "t") + "step { model_name: \"b\" " + map_text("input_map", "x", "t") +
                          map_text("input_map", "z", "u") + map_text("output_map", "y", "OUT") + "}"),
            "ensemble 'e' has no source of the tensor 'u', which step 2 (model 'b') takes: it is neither an input nor "
            "in "
            "a step's output_map"}}) {
    EXPECT_EQ(why_not(text), expected) << text;
  }
}

TEST(EnsemblePlan, SaysWhereTheFileIsWrong) {
  const std::string x = map_text("input_map", "x", "IN");
  const std::string y = map_text("output_map", "y", "OUT");
  for (const auto& [steps, expected] : std::vector<std::pair<std::string, std::string>>{
           {"", "c, line 1: ensemble_scheduling has no step"},
           {"stop { }", "c, line 1: ensemble_scheduling.stop is not supported"},
           {"step { " + x + y + "}", "c, line 1: ensemble_scheduling.step has no model_name"},
           {"step { model_name: \"a\" " + y + "}", "ensemble_scheduling.step (model 'a') has no input_map"},
           {"step { model_name: \"a\" " + x + "}", "ensemble_scheduling.step (model 'a') has no output_map"},
           {"\n\nstep { model_name: \"a\" " + x + x + y + "}",
            "c, line 3: ensemble_scheduling.step.input_map has the key 'x' twice"},
           {"step { model_name: \"a\" " + x + y + y + "}", "step.output_map has the key 'y' twice"},
           {"step { model_name: \"a\" " + map_text("input_map", "x", "") + y + "}",
            "step.input_map needs a key, a tensor of the model, and a value, a tensor of the ensemble"},
           {"step { model_name: \"a\" model_version: 0 " + x + y + "}",
            "step.model_version is 0, expected -1, for the greatest, or a version from 1 on"},
           {"step { model_name: \"a\" when: 1 " + x + y + "}", "ensemble_scheduling.step.when is not supported"}}) {
    EXPECT_NE(why_not(ensemble_text(steps)).find(expected), std::string::npos) << why_not(ensemble_text(steps));
  }
  EXPECT_EQ(why_not("ensemble_scheduling { " + step_text("a", "IN", "OUT") + "}"),
            "c: ensemble_scheduling needs platform: \"ensemble\"");
}

}  // namespace
}  // namespace coracle::serve
