// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel.h"

#include <gtest/gtest.h>

#include <new>

#include "devices/cpu/kernel_isa.h"

namespace coracle::internal {
namespace {

TEST(KernelCall, FailsWithTheLongerTextWhereThereIsMemoryForIt) {
  std::string text;
  KernelCall call;
  call.failure_detail = &text;
  call.fail("short", [] { return std::string("long"); });
  EXPECT_STREQ(call.failure, "short");
  EXPECT_EQ(text, "long");
  call.fail("short", []() -> std::string { throw std::bad_alloc(); });
  EXPECT_STREQ(call.failure, "short");
  EXPECT_EQ(text, "");
  KernelCall alone;
  alone.fail("short", [] { return std::string("long"); });
  EXPECT_STREQ(alone.failure, "short");
}

TEST(Kernel, IsWhatItsFunctionsAreAskedWith) {
  KernelDef kernel{.name = "by products", .op = nullptr};
  kernel.capability = cpu::Isa::kSse2;
  kernel.fits = [](const void*, const ArgFacts& args) -> RejectionReason {
    return cpu::kernel_mode(args.kernel()) == cpu::ComputeMode::kBf16 ? "too rough" : nullptr;
  };
  kernel.prepare = [](const void*, const ArgFacts& args, PrepareContext&) {
    Prepared prepared;
    prepared.workspace = cpu::kernel_isa(args.kernel()) == cpu::Isa::kSse2 ? 16 : 64;
    return prepared;
  };
  const ArgFacts args({}, {}, {}, {});
  PrepareContext context;
  EXPECT_EQ(kernel.rejection(nullptr, args), nullptr);
  EXPECT_EQ(kernel.prepared(nullptr, args, context).workspace, 16U);
  KernelDef rough = kernel;
  rough.mode = cpu::ComputeMode::kBf16;
  rough.capability = cpu::Isa::kAvx2;
  EXPECT_STREQ(rough.rejection(nullptr, args), "too rough");
  EXPECT_EQ(rough.prepared(nullptr, args, context).workspace, 64U);
}

TEST(Kernel, WithoutFunctionsFitsAndPreparesNothing) {
  const KernelDef kernel{.name = "plain", .op = nullptr};
  const ArgFacts args({}, {}, {}, {});
  PrepareContext context;
  EXPECT_EQ(kernel.rejection(nullptr, args), nullptr);
  EXPECT_EQ(kernel.prepared(nullptr, args, context).state, nullptr);
}

}  // namespace
}  // namespace coracle::internal
