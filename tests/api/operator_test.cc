// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "api/loaded.h"
#include "coracle/coracle.hpp"
#include "support/pir_writer.h"
#include "support/program_writer.h"
#include "support/temporary_folder.h"

// Operators that users define: in models of both formats and in saved models, for the process and for one model.
namespace coracle::internal {
namespace {

coracle::Span<const std::byte> span_of(const std::string& s) {
  return {reinterpret_cast<const std::byte*>(s.data()), s.size()};
}

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const coracle::Exception& e) {
    return e.what();
  }
  ADD_FAILURE() << "no exception";
  return {};
}

void expect_part(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << "no '" << part << "' in: " << message;
}

/// y = relu(scaled_sum(x, parts)), with two parts, w of the file and x again; attributes scale = 3, mode = "fast" and
/// one that the operator does not declare.
std::string scaled_sum_program() {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 2}, 0);
  main.variables.push_back(test::variable("w", test::kFloat32, {1, 2}, true));
  main.operators.push_back(test::OpWriter("scaled_sum")
                               .in("X", {"x"})
                               .in("Parts", {"w", "x"})
                               .out("Out", {"s"})
                               .real("scale", 3)
                               .string("mode", "fast")
                               .integer("op_role", 0)
                               .integer("note", 7));
  main.operators.push_back(test::OpWriter("relu").in("X", {"s"}).out("Out", {"y"}));
  test::add_fetch(main, "y", 0);
  return test::program_file({main});
}
const std::string kWeights = test::record<float>(test::kFloat32, {1, 2}, {10, -200});

/// The same in PIR, where lists of values are combined first.
std::string scaled_sum_pir() {
  using namespace test::pir;  // NOLINT(google-build-using-namespace): the writer's vocabulary
  const std::string rows = tensor("t_f32", {-1, 2});
  const std::string part = tensor("t_f32", {1, 2});
  return program_file({parameter(1, "w", part), data(2, "x", rows),
                       operation("0.combine", {1, 2}, {{3, vec({part, rows})}}),
                       operation("3.scaled_sum", {2, 0, 3}, {{4, rows}},
                                 {attribute("scale", "0.a_f32", "3"), string_attribute("mode", "fast")}),
                       operation("1.relu", {4}, {{5, rows}}), fetch(5, 6, 0, rows)});
}

/// What the operator of the models above does: x * scale + bias + the sum of the parts, each repeated to x's size.
coracle::Operator scaled_sum() {
  return {.name = "scaled_sum",
          .inputs = "X, Bias?, Parts*",
          .outputs = "Out",
          .run =
              [](coracle::OperatorCall& call) {
                const coracle::View x = call.input(0);
                const coracle::Span<const float> values = x.values<float>();
                if (call.text("mode") != "fast") throw std::runtime_error("mode is not fast");
                const auto scale = static_cast<float>(call.number("scale"));
                const coracle::Span<float> out = call.output<float>(0, x.dims());
                for (size_t i = 0; i < values.size(); ++i) {
                  out[i] = values[i] * scale;
                  if (call.has_input(1)) out[i] += call.input(1).values<float>()[0];
                  for (size_t p = 0; p < call.input_count(2); ++p) {
                    const coracle::View part = call.input(2, p);
                    out[i] += part.values<float>()[i % part.size()];
                  }
                }
              },
          .attributes = "scale: float = 1, mode: string = slow, extra: ints, flag: bool = true"};
}

/// Registered as long as it lives.
struct Registered {
  explicit Registered(const coracle::Operator& op) : name(op.name) { coracle::register_operator(op); }
  ~Registered() { EXPECT_EQ(coracle_unregister_operator(name.c_str()), CORACLE_OK) << coracle_last_error(); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  std::string name;
};

coracle::Model loaded(const std::string& program, const coracle::ModelOptions& options = {},
                      const std::string& params = kWeights) {
  return {span_of(program), span_of(params), options};
}

std::vector<float> answer_of(const coracle::Model& model, const std::vector<float>& x) {
  coracle::Session session(model);
  session.set_input(0, {static_cast<int64_t>(x.size() / 2), 2}, x);
  session.run();
  return session.output(0).copy<float>();
}

const std::vector<float> kInput = {1, 2, -30, 400};
const std::vector<float> kExpected = {14, 0, 0, 1400};  // 3 x + w + x, at least 0

TEST(CustomOperator, RunsInBothFormats) {
  const Registered op(scaled_sum());
  for (const std::string& program : {scaled_sum_program(), scaled_sum_pir()}) {
    const coracle::Model model = loaded(program);
    EXPECT_EQ(answer_of(model, kInput), kExpected);
    EXPECT_EQ(answer_of(model, {1, 2}), (std::vector<float>{14, 0}));
    EXPECT_EQ(answer_of(loaded(program, {.disable_passes = "all"}), kInput), kExpected);
    coracle::Session session(model);
    session.set_profiling(true);
    session.set_input(0, {2, 2}, kInput);
    session.run();
    for (const std::string& told : {session.profile(), session.explain(), session.graph_text()}) {
      expect_part(told, "scaled_sum");
    }
    expect_part(session.profile(), "\"custom\"");
  }
}

TEST(CustomOperator, BelongsToAModelOrTheProcess) {
  const std::string program = scaled_sum_program();
  const coracle::Model model = loaded(program, {.operators = {scaled_sum()}});
  expect_part(message_of([&] { loaded(program); }), "scaled_sum (1 time)");
  expect_part(message_of([&] { loaded(program); }), "coracle_register_operator");
  EXPECT_EQ(answer_of(model, kInput), kExpected);
  coracle::Operator other = scaled_sum();
  other.run = [](coracle::OperatorCall& call) {
    const coracle::Span<float> out = call.output<float>(0, call.input(0).dims());
    std::fill(out.begin(), out.end(), 5.0F);
  };
  const auto registered = std::make_unique<Registered>(other);
  expect_part(message_of([&] { coracle::register_operator(other); }), "unregister it first");
  const coracle::Model of_process = loaded(program);
  EXPECT_EQ(answer_of(of_process, {1, 2}), (std::vector<float>{5, 5}));
  EXPECT_EQ(answer_of(loaded(program, {.operators = {scaled_sum()}}), kInput), kExpected)
      << "the model's own comes first";
  EXPECT_EQ(answer_of(model, kInput), kExpected);
}

TEST(CustomOperator, StaysWithModelsThatHaveIt) {
  int alive = 0;
  struct Counted {
    explicit Counted(int& n) : alive(n) { ++alive; }
    Counted(const Counted& other) : alive(other.alive) { ++alive; }
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --alive; }
    int& alive;
  };
  {
    coracle::Operator op = scaled_sum();
    op.run = [counted = Counted(alive), run = op.run](coracle::OperatorCall& call) { run(call); };
    coracle::register_operator(op);
    EXPECT_THROW(coracle::register_operator(op), coracle::Exception);  // not taken: nothing stays
    op = scaled_sum();
    EXPECT_EQ(alive, 1);
    {
      const std::string program = scaled_sum_program();
      const coracle::Model model = loaded(program);
      coracle::unregister_operator("scaled_sum");
      EXPECT_EQ(alive, 1);
      EXPECT_EQ(answer_of(model, kInput), kExpected);
    }
    EXPECT_EQ(alive, 0);
  }
  expect_part(message_of([&] { coracle::unregister_operator("scaled_sum"); }), "there is no operator 'scaled_sum'");
}

TEST(CustomOperator, IsInSavedModels) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("m.coracle");
  {
    const Registered op(scaled_sum());
    const std::string program = scaled_sum_program();
    loaded(program).save(path);
    EXPECT_EQ(answer_of(coracle::Model(path), kInput), kExpected);
  }
  const std::string missing = message_of([&] { const coracle::Model model(path); });
  expect_part(missing, "scaled_sum (1 time)");
  expect_part(missing, "none of that name is registered");
  expect_part(coracle::inspect(path), "\"scaled_sum\"");
  EXPECT_EQ(answer_of(coracle::Model(path, {}, {.operators = {scaled_sum()}}), kInput), kExpected);
}

/// y = keep_positive(x): as many elements as are positive, and an int64 that counts them.
std::string program_of_unknown_size() {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1}, 0);
  main.operators.push_back(test::OpWriter("keep_positive").in("x", {"x"}).out("kept", {"k"}).out("count", {"n"}));
  main.operators.push_back(test::OpWriter("scale").in("X", {"k"}).out("Out", {"y"}).real("scale", 2).real("bias", 0));
  test::add_fetch(main, "y", 0);
  test::add_fetch(main, "n", 1);
  return test::program_file({main});
}

TEST(CustomOperator, GivesResultsOfUnknownSize) {
  const coracle::Operator op = {.name = "keep_positive",
                                .inputs = "x",
                                .outputs = "kept, count",
                                .run =
                                    [](coracle::OperatorCall& call) {
                                      std::vector<float> kept;
                                      for (const float v : call.input(0).values<float>()) {
                                        if (v > 0) kept.push_back(v);
                                      }
                                      const auto n = static_cast<int64_t>(kept.size());
                                      std::copy(kept.begin(), kept.end(), call.output<float>(0, {n}).begin());
                                      call.output<int64_t>(1, {})[0] = n;
                                    },
                                .infer =
                                    [](coracle::OperatorCall& call) {
                                      call.set_output(0, CORACLE_FLOAT32, {-1});
                                      call.set_output(1, CORACLE_INT64, {});
                                    }};
  const std::string program = program_of_unknown_size();
  const coracle::Model model = loaded(program, {.operators = {op}}, "");
  coracle::Session session(model);
  for (const std::vector<float>& x : {std::vector<float>{1, -2, 3}, {-1}, {}, {4, 5}, {1, -2, 3}}) {
    session.set_input(0, {static_cast<int64_t>(x.size())}, x);
    session.run();
    std::vector<float> expected;
    for (const float v : x) {
      if (v > 0) expected.push_back(2 * v);
    }
    EXPECT_EQ(session.output(0).copy<float>(), expected);
    EXPECT_EQ(session.output(1).copy<int64_t>(), (std::vector<int64_t>{static_cast<int64_t>(expected.size())}));
  }
}

TEST(CustomOperator, IsCalledAsOftenAsItsPurityAsks) {
  // Nobody needs the first result, the operand of the second is a constant, and the last two are equal.
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 2}, 0);
  main.variables.push_back(test::variable("w", test::kFloat32, {1, 2}, true));
  for (const auto& [from, to] : {std::pair("x", "unused"), {"w", "c"}, {"x", "a"}, {"x", "b"}}) {
    main.operators.push_back(test::OpWriter("counting").in("x", {from}).out("y", {to}));
  }
  main.operators.push_back(test::OpWriter("sum").in("X", {"a", "b", "c"}).out("Out", {"y"}));
  test::add_fetch(main, "y", 0);
  const std::string program = test::program_file({main});
  for (const bool impure : {false, true}) {
    std::atomic<int> calls = 0;
    const coracle::Operator op = {.name = "counting",
                                  .inputs = "x",
                                  .outputs = "y",
                                  .run =
                                      [&](coracle::OperatorCall& call) {
                                        ++calls;
                                        const coracle::View x = call.input(0);
                                        const coracle::Span<float> y = call.output<float>(0, x.dims());
                                        std::copy_n(x.values<float>().begin(), y.size(), y.begin());
                                      },
                                  .impure = impure};
    const coracle::Model model = loaded(program, {.operators = {op}});
    calls = 0;
    EXPECT_EQ(answer_of(model, {1, 2}), (std::vector<float>{12, -196}));
    EXPECT_EQ(calls, impure ? 4 : 1);
  }
}

TEST(CustomOperator, ErrorsNameOperatorNodeAndReason) {
  const std::string program = scaled_sum_program();
  const auto error_with = [&](const std::function<void(coracle::Operator&)>& change) {
    coracle::Operator op = scaled_sum();
    change(op);
    return message_of([&] { answer_of(loaded(program, {.operators = {op}}), kInput); });
  };
  const std::string thrown =
      error_with([](auto& op) { op.run = [](coracle::OperatorCall&) { throw std::runtime_error("no luck"); }; });
  expect_part(thrown, "no luck");
  expect_part(thrown, "scaled_sum");
  expect_part(error_with([](auto& op) { op.run = [](coracle::OperatorCall&) { throw 1; }; }), "no std::exception");
  expect_part(error_with([](auto& op) { op.run = [](coracle::OperatorCall&) {}; }), "gave no output 0 ('Out')");
  expect_part(error_with([](auto& op) { op.infer = [](coracle::OperatorCall&) {}; }), "gave no output 0 ('Out')");
  expect_part(error_with([](auto& op) { op.infer = [](coracle::OperatorCall& c) { c.input(0, 1); }; }),
              "there is no tensor 1 at input 0 ('X'), which has 1");
  expect_part(error_with([](auto& op) { op.infer = [](coracle::OperatorCall& c) { c.input(9); }; }),
              "there is no tensor 0 at input 9");
  expect_part(error_with([](auto& op) { op.run = [](coracle::OperatorCall& c) { c.output<float>(0, {1}); }; }),
              "output 0 ('Out') is float32[1], expected float32[2, 2]");
  expect_part(error_with([](auto& op) { op.run = [](coracle::OperatorCall& c) { c.number("mode"); }; }),
              "attribute 'mode' has another type than float");
  expect_part(error_with([](auto& op) { op.run = [](coracle::OperatorCall& c) { c.integer("missing"); }; }),
              "declares no attribute 'missing'");
  expect_part(
      error_with([](auto& op) { op.run = [](coracle::OperatorCall& c) { c.set_output(0, CORACLE_BOOL, {}); }; }),
      "types of results are told by 'infer'");
  expect_part(error_with([](auto& op) { op.infer = [](coracle::OperatorCall& c) { c.output<float>(0, {1}); }; }),
              "results have memory in 'run' alone");
  expect_part(error_with([](auto& op) { op.inputs = "X, Bias, Parts*"; }), "scaled_sum");
  expect_part(error_with([](auto& op) { op.attributes = "scale: float, mode: string, note: string"; }), "note");
}

TEST(CustomOperator, DeclarationsAreChecked) {
  const auto error_of = [](const std::function<void(coracle::Operator&)>& change) {
    coracle::Operator op = scaled_sum();
    change(op);
    return message_of([&] { coracle::register_operator(op); });
  };
  expect_part(error_of([](auto& op) { op.name = ""; }), "needs a name");
  expect_part(error_of([](auto& op) { op.name = "conv2d"; }), "the operator 'conv2d' is one of Coracle's");
  expect_part(error_of([](auto& op) { op.name = "elementwise_add"; }), "is one of Coracle's");
  expect_part(error_of([](auto& op) { op.run = nullptr; }), "has no function 'run'");
  expect_part(error_of([](auto& op) { op.outputs = ""; }), "needs an output");
  expect_part(error_of([](auto& op) { op.inputs = "a, a"; }), "two inputs of the name 'a'");
  expect_part(error_of([](auto& op) { op.inputs = "a,, b"; }), "a tensor without a name");
  expect_part(error_of([](auto& op) { op.inputs = "a, *"; }), "a tensor without a name");
  expect_part(error_of([](auto& op) { op.attributes = "axis"; }), "an attribute without a type: 'axis'");
  expect_part(error_of([](auto& op) { op.attributes = "axis: integer"; }),
              "has the type 'integer', expected bool, int");
  expect_part(error_of([](auto& op) { op.attributes = "axis: int = x"; }), "of type int, which 'x' is not a value of");
  expect_part(error_of([](auto& op) { op.attributes = "axis: ints = 1"; }), "is a list");
  expect_part(error_of([](auto& op) { op.attributes = "a: int, a: bool"; }), "two attributes of the name 'a'");
  coracle_operator c;
  coracle_operator_init(&c, sizeof(c));
  c.struct_size = 3;
  test::expect_error(coracle_register_operator(&c), CORACLE_INVALID_ARGUMENT, "coracle_operator_init");
  test::expect_error(coracle_register_operator(nullptr), CORACLE_INVALID_ARGUMENT, "'op' is null");
  EXPECT_EQ(coracle_call_input_count(nullptr, 0), 0U);
  test::expect_error(coracle_call_check(nullptr), CORACLE_INVALID_ARGUMENT, "'call' is null");
}

TEST(CustomOperator, AttributesHaveTheirTypes) {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 2}, 0);
  main.operators.push_back(test::OpWriter("typed")
                               .in("x", {"x"})
                               .out("y", {"y"})
                               .boolean("flag", true)
                               .long_integer("wide", int64_t{1} << 40)
                               .integers("sizes", {1, 2, 3})
                               .reals("ratios", {0.5F, 0.25F})
                               .strings("names", {"a", "b"})
                               .integer("type", test::kInt64));
  test::add_fetch(main, "y", 0);
  const std::string program = test::program_file({main});
  int calls = 0;
  coracle::Operator op = {.name = "typed", .inputs = "x", .outputs = "y"};
  op.attributes =
      "flag: bool, wide: int, sizes: ints, ratios: floats, names: strings, type: dtype, missing: float = 0.5, none: "
      "ints, off: bool, to: dtype = int8, empty: string";
  op.run = [&](coracle::OperatorCall& call) {
    ++calls;
    EXPECT_EQ(call.integer("flag"), 1);
    EXPECT_EQ(call.integer("wide"), int64_t{1} << 40);
    EXPECT_EQ(call.ints("sizes"), (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(call.floats("ratios"), (std::vector<double>{0.5, 0.25}));
    EXPECT_EQ(call.strings("names"), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(call.integer("type"), CORACLE_INT64);
    EXPECT_EQ(call.number("missing"), 0.5);
    EXPECT_TRUE(call.ints("none").empty());
    EXPECT_EQ(call.integer("off"), 0);
    EXPECT_EQ(call.integer("to"), CORACLE_INT8);
    EXPECT_EQ(call.text("empty"), "");
    call.check_time();
    std::copy_n(call.input(0).values<float>().begin(), 2, call.output<float>(0, {1, 2}).begin());
  };
  const test::TemporaryFolder folder;
  const coracle::Model model = loaded(program, {.operators = {op}}, "");
  EXPECT_EQ(answer_of(model, {3, 4}), (std::vector<float>{3, 4}));
  model.save(folder.path("m.coracle"));
  EXPECT_EQ(answer_of(coracle::Model(folder.path("m.coracle"), {}, {.operators = {op}}), {3, 4}),
            (std::vector<float>{3, 4}));
  EXPECT_EQ(calls, 2);
}

TEST(CustomOperator, OfOneThreadIsNeverCalledByTwo) {
  std::atomic<int> inside = 0;
  std::atomic<bool> together = false;
  coracle::Operator op = scaled_sum();
  op.one_thread = true;
  op.run = [&, run = op.run](coracle::OperatorCall& call) {
    if (++inside != 1) together = true;
    std::this_thread::yield();
    run(call);
    --inside;
  };
  const std::string program = scaled_sum_program();
  const coracle::Model model = loaded(program, {.operators = {op}});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) EXPECT_EQ(answer_of(model, kInput), kExpected);
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_FALSE(together);
}

}  // namespace
}  // namespace coracle::internal
