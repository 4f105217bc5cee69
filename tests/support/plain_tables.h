// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "devices/cpu/isa.h"
#include "devices/cpu/isa/depthwise.h"
#include "devices/cpu/isa/gemm.h"

namespace coracle::internal::test {

/// The tables of an instruction set of x86-64 for products of float32 and for filters of one channel each, in plain
/// code: the same panels and packed bytes. They compute by a table that this machine runs.
const cpu::GemmFunctions& plain_gemm(cpu::Isa isa);
const cpu::DepthwiseFunctions& plain_depthwise(cpu::Isa isa);

/// The least multiple of `to` that holds `count`: columns and channels are padded to whole vectors.
constexpr int64_t rounded_up(int64_t count, int64_t to) { return (count + to - 1) / to * to; }

}  // namespace coracle::internal::test
