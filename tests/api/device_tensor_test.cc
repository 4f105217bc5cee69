// SPDX-License-Identifier: Apache-2.0
// Results that stay on a device, by the C interface and in C++.
#include "api/handles.h"
#include "api/loaded.h"
#include "coracle/coracle.hpp"
#include "run/session_results.h"
#include "support/late_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

const char* const kGraph = "graph (%x \"x\": float32[?, 4]) {\n  %y = softmax(%x)\n  return %y \"y\", %x \"same\"\n}";

struct FreeDeviceTensor {
  void operator()(coracle_device_tensor* tensor) const { coracle_device_tensor_free(tensor); }
};
using DeviceTensorHandle = std::unique_ptr<coracle_device_tensor, FreeDeviceTensor>;

class DeviceTensorByC : public testing::Test {
 protected:
  SessionHandle on_device() const {
    return SessionHandle(new coracle_session(model_on({device_}, kGraph), SessionOptions{.threads = 1}));
  }
  coracle_status set(coracle_session* session) const {
    const int64_t dims[] = {3, 4};
    return coracle_session_set_input(session, 0, CORACLE_FLOAT32, 2, dims, x_.raw());
  }
  static DeviceTensorHandle kept(const SessionHandle& session) {
    coracle_device_tensor* tensor = nullptr;
    EXPECT_EQ(coracle_session_output_on_device(session.get(), 0, &tensor), CORACLE_OK) << coracle_last_error();
    return DeviceTensorHandle(tensor);
  }

  const std::shared_ptr<LateDevice> device_ = LateDevice::make();
  const Tensor x_ = random_tensor({3, 4}, 1);
};

TEST_F(DeviceTensorByC, IsCopiedAndFedBack) {
  DeviceTensorHandle tensor;
  {
    const SessionHandle session = on_device();
    ASSERT_EQ(coracle_session_keep_output_on_device(session.get(), 0), CORACLE_OK) << coracle_last_error();
    ASSERT_EQ(set(session.get()), CORACLE_OK);
    ASSERT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
    tensor = kept(session);
    ASSERT_EQ(coracle_session_set_input_on_device(session.get(), 0, tensor.get()), CORACLE_OK) << coracle_last_error();
    ASSERT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
    tensor = kept(session);
  }
  coracle_tensor_view view;
  ASSERT_EQ(coracle_device_tensor_view(tensor.get(), &view), CORACLE_OK);
  EXPECT_EQ(view.data, nullptr);
  EXPECT_EQ(view.bytes, 48U);
  EXPECT_EQ(view.dtype, CORACLE_FLOAT32);
  EXPECT_EQ(view.rank, 2);
  EXPECT_EQ(view.dims[0], 3);
  Tensor got = Tensor::make(DType::kFloat32, {3, 4});
  expect_error(coracle_device_tensor_copy(tensor.get(), got.raw(), 40), CORACLE_INVALID_ARGUMENT,
               "the tensor has 48 bytes, given room for 40");
  expect_error(coracle_device_tensor_copy(tensor.get(), nullptr, 48), CORACLE_INVALID_ARGUMENT, "'data' is null");
  ASSERT_EQ(coracle_device_tensor_copy(tensor.get(), got.raw(), 48), CORACLE_OK) << coracle_last_error();
  const auto plain = model_of(kGraph);
  EXPECT_TRUE(same_bits({got}, {run_fresh(plain, {run_fresh(plain, {x_})[0]})[0]}));
  device_->set_faults({.operation = 1});
  expect_error(coracle_device_tensor_copy(tensor.get(), got.raw(), 48), CORACLE_RUN_FAILURE, "Late device");
}

TEST_F(DeviceTensorByC, OutputsAreReadWhereTheyAre) {
  const SessionHandle session = on_device();
  coracle_tensor_view view;
  coracle_device_tensor* tensor = nullptr;
  ASSERT_EQ(coracle_session_keep_output_on_device(session.get(), 0), CORACLE_OK) << coracle_last_error();
  ASSERT_EQ(set(session.get()), CORACLE_OK);
  ASSERT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
  expect_error(coracle_session_output(session.get(), 0, &view), CORACLE_INVALID_ARGUMENT, "output 0 stays on a device");
  EXPECT_EQ(coracle_session_output(session.get(), 1, &view), CORACLE_OK);
  expect_error(coracle_session_output_on_device(session.get(), 1, &tensor), CORACLE_INVALID_ARGUMENT,
               "output 1 is on the host");
  Tensor got = Tensor::make(DType::kFloat32, {3, 4});
  ASSERT_EQ(coracle_session_copy_output(session.get(), 0, got.raw(), 48), CORACLE_OK) << coracle_last_error();
  EXPECT_TRUE(same_bits({got}, {run_fresh(model_of(kGraph), {x_})[0]}));
  ASSERT_EQ(coracle_session_bind_output(session.get(), 0, nullptr, 0), CORACLE_OK);
  ASSERT_EQ(coracle_session_run(session.get()), CORACLE_OK);
  EXPECT_EQ(coracle_session_output(session.get(), 0, &view), CORACLE_OK);
}

TEST_F(DeviceTensorByC, ModelsWithoutADeviceTakeIt) {
  const SessionHandle there = on_device();
  const SessionHandle here(new coracle_session(model_of(kGraph), SessionOptions{.threads = 1}));
  expect_error(coracle_session_keep_output_on_device(here.get(), 0), CORACLE_INVALID_ARGUMENT, "the model uses none");
  expect_error(coracle_session_keep_output_on_device(there.get(), 9), CORACLE_INVALID_ARGUMENT, "no output 9");
  ASSERT_EQ(coracle_session_keep_output_on_device(there.get(), 0), CORACLE_OK);
  ASSERT_EQ(set(there.get()), CORACLE_OK);
  ASSERT_EQ(coracle_session_run(there.get()), CORACLE_OK);
  const DeviceTensorHandle tensor = kept(there);
  expect_error(coracle_session_set_input_on_device(here.get(), 1, tensor.get()), CORACLE_INVALID_ARGUMENT,
               "no input 1");
  ASSERT_EQ(coracle_session_set_input_on_device(here.get(), 0, tensor.get()), CORACLE_OK);
  ASSERT_EQ(coracle_session_run(here.get()), CORACLE_OK) << coracle_last_error();
  Tensor got = Tensor::make(DType::kFloat32, {3, 4});
  ASSERT_EQ(coracle_session_copy_output(here.get(), 1, got.raw(), 48), CORACLE_OK);
  EXPECT_TRUE(same_bits({got}, {run_fresh(model_of(kGraph), {x_})[0]})) << "what it was given";
}

TEST(DeviceTensorInCpp, IsCopiedAndFedBack) {
  if (coracle::devices().find("\"name\"") == std::string::npos) GTEST_SKIP() << "this machine has no OpenCL device";
  const ModelBytes product = product_model();
  const auto content = [](const std::string& s) {
    return std::span(reinterpret_cast<const std::byte*>(s.data()), s.size());
  };
  coracle::ModelOptions options;
  options.disable_kernels = "islands";
  options.device = "opencl";
  const coracle::Model model(content(product.program), content(product.params), options);
  coracle::Session session(model, {.threads = 1});
  session.keep_output_on_device(1);
  session.set_input(0, {1, 2}, std::vector<float>{1, 2});
  session.run();
  const coracle::DeviceTensor kept = session.device_output(1);
  EXPECT_EQ(kept.dtype(), CORACLE_FLOAT32);
  EXPECT_EQ(kept.dims(), (coracle::Dims{1, 2}));
  EXPECT_EQ(kept.copy<float>(), (std::vector<float>{7, 10}));
  EXPECT_THROW(kept.copy<int64_t>(), coracle::Exception);
  EXPECT_THROW(static_cast<void>(session.output(1)), coracle::Exception);
  session.set_input(0, kept);
  session.run();
  EXPECT_EQ(session.device_output(1).copy<float>(), (std::vector<float>{37, 54}));
  EXPECT_EQ(kept.copy<float>(), (std::vector<float>{7, 10})) << "later runs write elsewhere";
}

}  // namespace
}  // namespace coracle::internal::test
