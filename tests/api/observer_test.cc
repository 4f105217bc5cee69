// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "api/loaded.h"

namespace coracle::internal::test {
namespace {

struct Seen {
  std::string op;
  std::vector<int64_t> dims;
  std::vector<float> values;
};

/// What an observer was shown, by name, operands before results.
struct Record {
  std::map<std::string, Seen> operands;
  std::map<std::string, Seen> results;
  std::set<std::string> constants;
  std::string stop_at;  ///< name of a result to end the run at

  static int observe(void* self, const coracle_node_value* value) {
    auto* record = static_cast<Record*>(self);
    const coracle_tensor_view& t = value->tensor;
    Seen seen{value->op, {t.dims, t.dims + t.rank}, {}};
    EXPECT_NE(std::string(value->node), "");
    if (t.dtype == CORACLE_FLOAT32) {
      const auto* data = static_cast<const float*>(t.data);
      seen.values.assign(data, data + t.bytes / sizeof(float));
    }
    if (value->is_constant != 0) record->constants.insert(value->name);
    (value->is_result != 0 ? record->results : record->operands)[value->name] = seen;
    return value->is_result != 0 && record->stop_at == value->name ? 1 : 0;
  }
};

class Observer : public testing::Test {
 protected:
  void open_model(const ModelBytes& bytes, const coracle_model_options* options = nullptr) {
    bytes_ = bytes;
    model_ = load(bytes_, options);
    session_ = open(model_);
    for (size_t i = 0; i < bytes_.inputs.size(); ++i) {
      const Tensor& t = bytes_.inputs[i];
      ASSERT_EQ(coracle_session_set_input(session_.get(), i, static_cast<coracle_dtype>(t.dtype()), t.shape().rank(),
                                          t.shape().begin(), t.raw()),
                CORACLE_OK);
    }
  }
  ModelBytes bytes_;
  ModelHandle model_;
  SessionHandle session_;
  Record record_;
};

TEST_F(Observer, SeesOperandsAndResults) {
  open_model(product_model());
  ASSERT_EQ(coracle_session_set_observer(session_.get(), Record::observe, &record_), CORACLE_OK);
  ASSERT_EQ(coracle_session_run(session_.get()), CORACLE_OK);
  coracle_tensor_view view;
  ASSERT_EQ(coracle_session_output(session_.get(), 1, &view), CORACLE_OK);
  const auto* product = static_cast<const float*>(view.data);
  EXPECT_EQ(record_.results.at("product").values, std::vector<float>(product, product + 2));
  EXPECT_EQ(record_.results.at("product").dims, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(record_.operands.count("x"), 1U);
  EXPECT_EQ(record_.constants, std::set<std::string>{"w"});
}

TEST_F(Observer, SeesLoopsAndBranches) {
  for (const ModelBytes& bytes : small_program_models()) {
    if (bytes.name != "control_flow") continue;
    open_model(bytes);
    ASSERT_EQ(coracle_session_set_observer(session_.get(), Record::observe, &record_), CORACLE_OK);
    ASSERT_EQ(coracle_session_run(session_.get()), CORACLE_OK) << coracle_last_error();
    EXPECT_EQ(record_.results.count("t"), 1U) << "of the loop's body";
  }
  EXPECT_FALSE(record_.results.empty());
}

TEST_F(Observer, EndsARunAndIsTakenAway) {
  open_model(product_model());
  record_.stop_at = "product";
  ASSERT_EQ(coracle_session_set_observer(session_.get(), Record::observe, &record_), CORACLE_OK);
  expect_error(coracle_session_run(session_.get()), CORACLE_RUN_FAILURE, "the observer ended the run at operator");
  coracle_tensor_view view;
  expect_error(coracle_session_output(session_.get(), 0, &view), CORACLE_INVALID_ARGUMENT, "before a run");
  ASSERT_EQ(coracle_session_set_observer(session_.get(), nullptr, nullptr), CORACLE_OK);
  record_ = {};
  ASSERT_EQ(coracle_session_run(session_.get()), CORACLE_OK);
  EXPECT_TRUE(record_.results.empty());
  expect_error(coracle_session_set_observer(nullptr, Record::observe, nullptr), CORACLE_INVALID_ARGUMENT, "session");
}

TEST_F(Observer, MayNotUseTheSession) {
  open_model(product_model());
  const auto use = [](void* session, const coracle_node_value*) {
    expect_error(coracle_session_run(static_cast<coracle_session*>(session)), CORACLE_INVALID_ARGUMENT, "in use");
    return 0;
  };
  ASSERT_EQ(coracle_session_set_observer(session_.get(), use, session_.get()), CORACLE_OK);
  EXPECT_EQ(coracle_session_run(session_.get()), CORACLE_OK);
}

struct Rewrites {
  std::vector<std::string> names;
  int64_t changes = 0;
  static void after(void* self, const char* pass, int64_t count, const char* text, const char* dot) {
    auto* all = static_cast<Rewrites*>(self);
    all->names.emplace_back(pass);
    all->changes += count;
    EXPECT_EQ(std::string(text).rfind("graph (", 0), 0U);
    EXPECT_EQ(std::string(dot).rfind("digraph model {", 0), 0U);
    EXPECT_EQ(std::string(dot).find("cluster") != std::string::npos,
              std::string(text).find("while") != std::string::npos);
  }
};

TEST(Rewriting, IsToldOfPassByPass) {
  std::vector<std::string> all = {"loaded"};
  for (size_t i = 0; coracle_pass_name(i) != nullptr; ++i) all.emplace_back(coracle_pass_name(i));
  EXPECT_GT(all.size(), 5U);
  for (const ModelBytes& bytes : small_program_models()) {
    Rewrites rewrites;
    coracle_model_options options;
    coracle_model_options_init(&options, sizeof(options));
    options.after_pass = Rewrites::after;
    options.after_pass_user = &rewrites;
    load(bytes, &options);
    EXPECT_EQ(rewrites.names, all) << bytes.name;
    rewrites = {};
    options.disable_passes = "all";
    load(bytes, &options);
    EXPECT_EQ(rewrites.names, std::vector<std::string>{"loaded"});
    EXPECT_EQ(rewrites.changes, 0);
  }
}

TEST(LastError, MayBeSetByALayerAbove) {
  coracle_set_last_error("of mine");
  EXPECT_STREQ(coracle_last_error(), "of mine");
  coracle_set_last_error(nullptr);
  EXPECT_STREQ(coracle_last_error(), "");
}

}  // namespace
}  // namespace coracle::internal::test
