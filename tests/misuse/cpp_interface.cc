// SPDX-License-Identifier: Apache-2.0
#include "coracle/coracle.hpp"
#include "misuse/interface.h"

namespace coracle::internal::test {
namespace {

using Floats = std::vector<float>;
const Floats kPair = {1, 2};

template <class F>
Answer refused(const F& call) {
  try {
    call();
  } catch (const coracle::Exception& e) {
    return {status_name(e.status()), e.what()};
  }
  return {"ok", ""};
}

/// A case with a session of the product model.
template <class F>
Interface::Case in_session(const F& call, bool run = false) {
  return [=](const MisuseModels& models) {
    const coracle::Model model(models.folder("product"));
    coracle::Session session(model);
    if (run) {
      session.set_input(0, {1, 2}, kPair);
      session.run();
    }
    return refused([&] { call(session); });
  };
}

Interface::Case load(const std::string& folder, const coracle::ModelOptions& options = {}) {
  return [=](const MisuseModels& m) { return refused([&] { coracle::Model(m.folder(folder), {}, options); }); };
}

Interface::Case open(const coracle::SessionOptions& options) {
  return [=](const MisuseModels& m) {
    return refused([&] {
      coracle::Session session(coracle::Model(m.folder("product")), options);
      session.set_input(0, {10000, 2}, Floats(20000));
      session.run();
    });
  };
}

}  // namespace

Interface cpp_interface() {
  using M = const MisuseModels&;
  using S = coracle::Session;
  coracle::ModelOptions unknown_pass;
  unknown_pass.disable_passes = "wishing";
  coracle::ModelOptions unknown_isa;
  unknown_isa.cpu_isa = "abacus";
  coracle::ModelOptions unknown_weights;
  unknown_weights.weights = "borrowed";
  coracle::ModelOptions unknown_mark;
  unknown_mark.marks = "matmul";
  coracle::ModelOptions no_operators;
  no_operators.min_ops = 0;
  coracle::SessionOptions threads;
  threads.threads = -2;
  coracle::SessionOptions limited;
  limited.memory_limit = 1024;
  Interface i;
  i.cases = {
      {"no_such_model", load("nowhere")},
      {"no_such_params",
       [](M m) { return refused([&] { coracle::Model(m.program("product"), m.params("nowhere")); }); }},
      {"empty_folder", load("empty")},
      {"damaged_program", load("bad_program")},
      {"damaged_params", load("bad_params")},
      {"unknown_operator", load("unknown_operator")},
      {"null_program", [](M) { return refused([] { coracle::Model(coracle::Span<const std::byte>{}, {}); }); }},
      {"null_data", in_session([](S& s) {
         s.set_input(0, CORACLE_FLOAT32, {1, 2}, nullptr);
       })},
      {"unknown_input", in_session([](S& s) {
         s.set_input(7, {1, 2}, kPair);
       })},
      {"unknown_output", in_session([](S& s) { s.output(7); }, true)},
      {"unknown_variable", in_session([](S& s) { s.tensor("nothing"); }, true)},
      {"run_without_input", in_session([](S& s) { s.run(); })},
      {"result_before_a_run", in_session([](S& s) { s.output(1); })},
      {"input_of_another_type", in_session([](S& s) {
         s.set_input(0, {1, 2}, std::vector<int64_t>{1, 2});
       })},
      {"result_as_another_type", in_session([](S& s) { s.output(1).values<int32_t>(); }, true)},
      {"no_element_type", in_session([](S& s) {
         s.set_input(0, static_cast<coracle_dtype>(15), {1, 2}, kPair.data());
       })},
      {"another_rank", in_session([](S& s) { s.set_input(0, {2}, kPair); })},
      {"another_dimension", in_session([](S& s) {
         s.set_input(0, {2, 1}, kPair);
         s.run();
       })},
      {"another_count", in_session([](S& s) {
         s.set_input(0, {1, 2}, Floats(3));
       })},
      {"negative_dimension", in_session([](S& s) {
         s.set_input(0, CORACLE_FLOAT32, {1, -2}, kPair.data());
       })},
      {"too_large_shape", in_session([](S& s) {
         s.set_input(0, CORACLE_FLOAT32, {INT32_MAX, INT32_MAX, INT32_MAX}, kPair.data());
       })},
      {"too_many_dimensions", in_session([](S& s) { s.set_input(0, coracle::Dims(10, 1), Floats(1)); })},
      {"offsets_do_not_begin_at_0", in_session(
                                        [](S& s) {
                                          s.set_lod(0, {{1, 1}});
                                        },
                                        true)},
      {"offsets_decrease", in_session(
                               [](S& s) {
                                 s.set_lod(0, {{0, 1, 0, 1}});
                               },
                               true)},
      {"offsets_do_not_end_at_the_rows", in_session(
                                             [](S& s) {
                                               s.set_lod(0, {{0, 3}});
                                             },
                                             true)},
      {"threads_out_of_range", open(threads)},
      {"unknown_pass", load("product", unknown_pass)},
      {"unknown_instruction_set", load("product", unknown_isa)},
      {"unknown_form_of_mark", load("product", unknown_mark)},
      {"too_few_operators_of_an_engine", load("product", no_operators)},
      {"unknown_way_of_loading_weights", load("product", unknown_weights)},
      {"files_of_a_model_from_memory",
       [](M) {
         const ModelBytes bytes = product_model();
         const auto span = [](const std::string& s) {
           return coracle::Span<const std::byte>(reinterpret_cast<const std::byte*>(s.data()), s.size());
         };
         const coracle::Model model(span(bytes.program), span(bytes.params));
         return refused([&] { model.check_files(); });
       }},
      {"memory_limit", open(limited)},
      {"index_out_of_range",
       [](M m) {
         return refused([&] {
           S session(coracle::Model(m.folder("reader")));
           for (size_t input : {0U, 1U}) session.set_input(input, {1, 2}, std::vector<int64_t>{3, 100});
           session.run();
         });
       }},
  };
  i.still_answers = [](M m) {
    S session(coracle::Model(m.folder("product")));
    session.set_input(0, {2, 1}, kPair);
    if (refused([&] { session.run(); }).status == "ok") return false;
    session.set_input(0, {1, 2}, kPair);
    session.run();
    return session.output(1).copy<float>() == Floats{7, 10};
  };
  return i;
}

}  // namespace coracle::internal::test
