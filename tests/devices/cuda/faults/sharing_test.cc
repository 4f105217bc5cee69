// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs in memory of somebody else on the device: their addresses, their owners, and the bits of host
// inputs.
#include "devices/cuda/faults/sharing.h"

#include "run/device_memory.h"

namespace coracle::internal::test {
namespace {

TEST_F(CudaSharing, InputsAndOutputsHaveTheBitsOfTheHost) {
  for (const unsigned percent : {0U, 40U, 100U}) {
    for (const size_t offset : {size_t{0}, size_t{4}, size_t{16}}) {  // 4: kernels do not take it
      const auto on_device = model(random_graph(2, 12), 2, percent);
      const Tensor x = random_tensor({1, 4, 8, 8}, 1);
      const std::vector<Tensor> expected = singly(on_device, {x});
      const SessionHandle session = session_of(on_device);
      const cuda::CUdeviceptr from = block_of(x, offset);
      set(session, wrapped(x, from));
      std::vector<cuda::CUdeviceptr> to;
      for (size_t i = 0; i < expected.size(); ++i) {
        to.push_back(block(expected[i].bytes() + offset) + offset);
        bind(session, i, wrapped(expected[i], to[i]));
      }
      const int64_t before = launched();
      for (int i = 0; i < 3; ++i) {
        run_once(session);
        for (size_t o = 0; o < expected.size(); ++o) {
          EXPECT_TRUE(same_bits({read(expected[o], to[o])}, {expected[o]})) << percent << "% " << offset << " " << o;
          const DeviceTensorHandle there = result(session, o);
          EXPECT_EQ(address(there), to[o]);
          EXPECT_TRUE(there->tensor.shape() == expected[o].shape());
        }
      }
      if (percent == 0) {
        EXPECT_GT(launched(), before) << "as a graph";
      }
      EXPECT_TRUE(same_bits({read(x, from)}, {x}));
    }
  }
}

TEST_F(CudaSharing, NothingIsCopied) {
  const auto on_device = model(kChain);
  const Tensor x = rows(3);
  const SessionHandle session = session_of(on_device);
  set(session, wrapped(x, block_of(x)));
  bind(session, 0, wrapped(x, block(x.bytes())));
  run_once(session);
  const int64_t copies =
      calls_("cuMemcpyDtoDAsync_v2") + calls_("cuMemcpyHtoDAsync_v2") + calls_("cuMemcpyDtoHAsync_v2");
  run_once(session);
  EXPECT_EQ(calls_("cuMemcpyDtoDAsync_v2") + calls_("cuMemcpyHtoDAsync_v2") + calls_("cuMemcpyDtoHAsync_v2"), copies);
}

TEST_F(CudaSharing, AnOutputMayGoWhereTheInputIs) {
  const auto on_device = model(kChain);
  const Tensor x = rows(4);
  const std::vector<Tensor> once = singly(on_device, {x});
  const std::vector<Tensor> twice = singly(on_device, once);
  const SessionHandle session = session_of(on_device);
  const cuda::CUdeviceptr both = block_of(x);
  set(session, wrapped(x, both));
  bind(session, 0, wrapped(x, both));
  run_once(session);
  EXPECT_TRUE(same_bits({read(x, both)}, once));
  set(session, result(session, 0));
  run_once(session);
  EXPECT_TRUE(same_bits({read(x, both)}, twice));
  // Elsewhere in the block, over a part of the input.
  const cuda::CUdeviceptr other = block(2 * x.bytes());
  over(other, block_of(x), x.bytes(), stream_);
  finish(stream_);
  set(session, wrapped(x, other));
  bind(session, 0, wrapped(x, other + 32));
  run_once(session);
  EXPECT_TRUE(same_bits({read(x, other + 32)}, once));
}

TEST_F(CudaSharing, WhatOverwritesTheInputIsCopiedThereInTheEnd) {
  const auto on_device =
      model("graph (%x \"x\": float32[?, 8]) {\n  %y = exp(%x)\n  %z = tanh(%x)\n  return %y \"y\", %z \"z\"\n}");
  const Tensor x = rows(4);
  const std::vector<Tensor> expected = singly(on_device, {x});
  for (const size_t bound : {size_t{0}, size_t{1}}) {
    const SessionHandle session = session_of(on_device);
    const cuda::CUdeviceptr both = block_of(x);
    set(session, wrapped(x, both));
    bind(session, bound, wrapped(x, both));
    run_once(session);
    EXPECT_TRUE(same_bits({read(x, both), session->session.output(1 - bound)}, {expected[bound], expected[1 - bound]}));
  }
}

TEST_F(CudaSharing, ABlockThatWasGivenOutWaitsForTheNextPoint) {
  const auto memory = std::make_shared<DeviceMemory>(kDevice.open(0));
  const auto made = [&] { return memory->make(DType::kFloat32, {64}, nullptr); };
  const auto gone = [&](Tensor tensor, std::optional<bool> on_stream) {
    if (on_stream) DeviceMemory::give_out(tensor, *on_stream);
    return tensor.storage()->memory();
  };
  const void* const first = gone(made(), std::nullopt);
  EXPECT_EQ(gone(made(), true), first) << "nobody else had it";
  void* const second = gone(made(), true);
  EXPECT_NE(second, first) << "somebody may have it still";
  EXPECT_EQ(memory->bytes(), 512U);
  memory->settle();
  EXPECT_EQ(gone(made(), false), first) << "the oldest, and then it is freed";
  EXPECT_EQ(gone(made(), true), second);
  EXPECT_EQ(memory->bytes(), 256U);
  memory->release();
  EXPECT_EQ(memory->bytes(), 0U);
}

TEST_F(CudaSharing, AResultThatIsTheInputIsACopyOfIt) {
  const auto on_device = model("graph (%x \"x\": float32[?, 8]) {\n  %y = exp(%x)\n  return %x \"same\", %y \"y\"\n}");
  const Tensor x = rows(2);
  const SessionHandle session = session_of(on_device);
  const cuda::CUdeviceptr from = block_of(x);
  set(session, wrapped(x, from));
  EXPECT_EQ(coracle_session_keep_output_on_device(session.get(), 0), CORACLE_OK);
  run_once(session);
  DeviceTensorHandle same = result(session, 0);
  EXPECT_NE(address(same), from) << "results never change, the input may";
  EXPECT_TRUE(same_bits({read(x, address(same))}, {x}));
  const cuda::CUdeviceptr to = block(x.bytes());
  bind(session, 0, wrapped(x, to));
  run_once(session);
  EXPECT_TRUE(same_bits({read(x, to)}, {x}));
}

TEST_F(CudaSharing, PointersAreLookedAt) {
  const Tensor x = rows(4);
  int released = 0;
  DeviceTensorHandle tensor;
  const cuda::CUdeviceptr there = block(x.bytes());
  const auto on_host = reinterpret_cast<cuda::CUdeviceptr>(x.raw());
  const auto on_pinned = reinterpret_cast<cuda::CUdeviceptr>(pinned(x.bytes()));
  expect_error(wrap(x, on_host, nullptr, tensor, &released), CORACLE_INVALID_ARGUMENT,
               " is of the host, expected memory of the device cuda:0 (fake GPU)");
  expect_error(wrap(x, on_pinned, nullptr, tensor, &released), CORACLE_INVALID_ARGUMENT, " is of the host, expected");
  expect_error(wrap(x, there + 2, nullptr, tensor, &released), CORACLE_INVALID_ARGUMENT,
               " is not a multiple of 4, the size of an element of float32");
  expect_error(wrap(x, there + 4, nullptr, tensor, &released), CORACLE_INVALID_ARGUMENT,
               " has room for 124 bytes behind it, the tensor needs 128");
  expect_error(wrap(x, 0, nullptr, tensor, &released), CORACLE_INVALID_ARGUMENT, "argument 'data' is null");
  elsewhere_(3);
  expect_error(wrap(x, there, nullptr, tensor, &released), CORACLE_INVALID_ARGUMENT,
               " is memory of CUDA's device 3, expected cuda:0, CUDA's device 0 (fake GPU)");
  elsewhere_(0);
  fail_("cuPointerGetAttributes", cuda::CUDA_ERROR_NOT_SUPPORTED, 0);
  expect_error(wrap(x, there, nullptr, tensor, &released), CORACLE_RUN_FAILURE,
               "cuPointerGetAttributes returned CUDA_ERROR_NOT_SUPPORTED");
  fail_("", 0, 0);
  coracle_device_tensor* made = nullptr;
  const int64_t dims[] = {4, -8};
  const auto try_to = [&](const char* device, coracle_dtype dtype, int32_t rank) {
    return coracle_device_tensor_wrap(device, dtype, rank, dims, reinterpret_cast<void*>(there), nullptr, nullptr,
                                      nullptr, &made);
  };
  expect_error(try_to("cuda:0", CORACLE_FLOAT32, 2), CORACLE_INVALID_ARGUMENT, "the tensor: dimension 1 is -8");
  expect_error(try_to("cuda:0", static_cast<coracle_dtype>(99), 1), CORACLE_INVALID_ARGUMENT, "no element type 99");
  expect_error(try_to("cuda:7", CORACLE_FLOAT32, 1), CORACLE_INVALID_ARGUMENT, "there is no device 'cuda:7'");
  expect_error(try_to("cpu", CORACLE_FLOAT32, 1), CORACLE_INVALID_ARGUMENT, "'cpu' is the host, expected a device");
  EXPECT_EQ(released, 0) << "what was refused is the caller's";
  const int64_t none[] = {0};
  EXPECT_EQ(coracle_device_tensor_wrap("cuda:0", CORACLE_FLOAT32, 1, none, nullptr, nullptr, nullptr, nullptr, &made),
            CORACLE_OK)
      << "without elements there is no memory: " << coracle_last_error();
  coracle_device_tensor_free(made);
}

TEST_F(CudaSharing, OutputsAreLookedAt) {
  const auto on_device =
      model("graph (%x \"x\": float32[?, 8]) {\n  %y = exp(%x)\n  %z = sqrt(%y)\n  return %y \"y\", %z \"z\"\n}");
  const Tensor x = rows(4);
  const Tensor small = rows(3);
  const SessionHandle session = session_of(on_device);
  const cuda::CUdeviceptr there = block(2 * x.bytes());
  set(session, wrapped(x, block_of(x)));
  bind(session, 0, wrapped(small, there));
  expect_error(coracle_session_run(session.get()), CORACLE_INVALID_ARGUMENT,
               "output 0 ('y') is float32[4, 8], 128 bytes, its memory has room for 96");
  bind(session, 0, wrapped(Tensor::make(DType::kInt32, {4, 8}), there));
  expect_error(coracle_session_run(session.get()), CORACLE_INVALID_ARGUMENT,
               "output 0 ('y') has elements of type float32, the tensor that it is bound to has int32");
  bind(session, 0, wrapped(x, there));
  expect_error(coracle_session_bind_output_on_device(session.get(), 1, wrapped(x, there + 64).get()),
               CORACLE_INVALID_ARGUMENT, "the memory for output 1 overlaps that of output 0");
  bind(session, 1, wrapped(x, there + x.bytes()));
  run_once(session);
  const std::vector<Tensor> expected = singly(on_device, {x});
  EXPECT_TRUE(same_bits({read(x, there), read(x, there + x.bytes())}, expected));
  coracle_tensor_view view;
  expect_error(coracle_session_output(session.get(), 0, &view), CORACLE_INVALID_ARGUMENT, "output 0 stays on a device");
  EXPECT_EQ(coracle_session_bind_output(session.get(), 0, nullptr, 0), CORACLE_OK);
  EXPECT_EQ(coracle_session_keep_output_on_device(session.get(), 1), CORACLE_OK);
  run_once(session);
  EXPECT_EQ(coracle_session_output(session.get(), 0, &view), CORACLE_OK);
  expect_error(coracle_session_bind_output_on_device(session.get(), 0, result(session, 1).get()),
               CORACLE_INVALID_ARGUMENT,
               "output 0 cannot be bound to the tensor: that is a result, which never changes");
  const SessionHandle host = session_of(model_of(kChain));
  expect_error(coracle_session_bind_output_on_device(host.get(), 0, wrapped(x, there).get()), CORACLE_INVALID_ARGUMENT,
               "output 0 is bound to a tensor on cuda:0, where the model does not run");
}

TEST_F(CudaSharing, MemoryIsReleasedOnceWithItsLastUser) {
  const auto on_device = model(kChain);
  const Tensor x = rows(3);
  int inputs = 0;
  int outputs = 0;
  const cuda::CUdeviceptr from = block_of(x);
  const cuda::CUdeviceptr to = block(x.bytes());
  wrapped(x, from, nullptr, &inputs);
  EXPECT_EQ(inputs, 1) << "nobody had it";
  {
    const SessionHandle session = session_of(on_device);
    set(session, wrapped(x, from, nullptr, &inputs));
    bind(session, 0, wrapped(x, to, nullptr, &outputs));
    EXPECT_EQ(inputs, 1);
    run_once(session);
    run_once(session);
    EXPECT_EQ(inputs + outputs, 1);
    set(session, wrapped(x, from, nullptr, &inputs));
    EXPECT_EQ(inputs, 2) << "replaced";
    EXPECT_EQ(coracle_session_bind_output(session.get(), 0, nullptr, 0), CORACLE_OK);
    EXPECT_EQ(outputs, 1) << "taken away";
    bind(session, 0, wrapped(x, to, nullptr, &outputs));
    run_once(session);
    const DeviceTensorHandle kept = result(session, 0);
    EXPECT_EQ(coracle_session_bind_output(session.get(), 0, nullptr, 0), CORACLE_OK);
    EXPECT_EQ(outputs, 1) << "the result is there";
    order_by(session, stream_);
    run_once(session);
  }
  EXPECT_EQ(inputs, 3);
  EXPECT_EQ(outputs, 2);
}

TEST_F(CudaSharing, ModelsElsewhereReadByWayOfTheHost) {
  const Tensor x = rows(5);
  const auto plain = model_of(kChain);
  const std::vector<Tensor> expected = run_fresh(plain, {x});
  const SessionHandle session = session_of(plain);
  int wrong = 0;
  for (const bool waits : {true, false}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      seed_(seed);
      const cuda::CUdeviceptr there = block(x.bytes());
      char* const from = pinned(x.bytes());
      std::memcpy(from, x.raw(), x.bytes());
      up(there, from, x.bytes(), stream_);
      const DeviceTensorHandle tensor = wrapped(x, there, waits ? stream_ : nullptr);
      Tensor got = Tensor::make(x.dtype(), x.shape());
      EXPECT_EQ(coracle_device_tensor_copy(tensor.get(), got.raw(), got.bytes()), CORACLE_OK) << coracle_last_error();
      EXPECT_TRUE(!waits || same_bits({got}, {x}));
      wrong += same_bits({got}, {x}) ? 0 : 1;
      set(session, tensor);
      run_once(session);
      EXPECT_TRUE(!waits || same_bits({session->session.output(0)}, expected));
      finish(stream_);
    }
    EXPECT_EQ(wrong > 0, !waits);
  }
}

}  // namespace
}  // namespace coracle::internal::test
