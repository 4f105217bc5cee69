// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <functional>

#include "api/loaded.h"

// Threads with small stacks: an error before anything is written past their end.
namespace coracle::internal {
namespace {

void on_stack_of(size_t bytes, std::function<void()> work) {
  pthread_attr_t attributes;
  ASSERT_EQ(::pthread_attr_init(&attributes), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&attributes, bytes), 0);
  const auto call = [](void* f) -> void* {
    (*static_cast<std::function<void()>*>(f))();
    return nullptr;
  };
  pthread_t thread{};
  ASSERT_EQ(::pthread_create(&thread, &attributes, call, &work), 0);
  ::pthread_join(thread, nullptr);
  ::pthread_attr_destroy(&attributes);
}

TEST(SmallStacks, AreRefused) {
#ifdef CORACLE_SANITIZED
  GTEST_SKIP() << "sanitizers take more of a stack than they leave of these";
#endif
  const test::ModelBytes bytes = test::product_model();
  const test::ModelHandle model = test::load(bytes);
  const test::SessionHandle session = test::open(model);
  const float x[] = {1, 2};
  const int64_t dims[] = {1, 2};
  ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 2, dims, x), CORACLE_OK);
  on_stack_of(size_t{64} << 10U, [&] {
    coracle_model* none = nullptr;
    test::expect_error(coracle_model_load_memory(bytes.program.data(), bytes.program.size(), bytes.params.data(),
                                                 bytes.params.size(), nullptr, &none),
                       CORACLE_OUT_OF_MEMORY, "of its thread's stack");
    test::expect_error(coracle_session_run(session.get()), CORACLE_OUT_OF_MEMORY, "give the thread a larger one");
    const char* json = nullptr;
    test::expect_error(coracle_session_explain(session.get(), &json), CORACLE_OUT_OF_MEMORY, "planning a run");
  });
  on_stack_of(size_t{128} << 10U, [&] {
    EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
    EXPECT_NE(test::load(bytes), nullptr);
  });
}

}  // namespace
}  // namespace coracle::internal
