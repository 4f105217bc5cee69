// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The driver of fake_opencl.cc: one device, whose memory is the host's and whose kernels do nothing.
extern "C" {
/// The next `skipped` calls of the function succeed, and all after them return `code`; 0 for none.
using FakeOpenclFail = void (*)(const char* function, int code, int skipped);
/// Objects (contexts, queues, blocks, ...) that are not released.
using FakeOpenclLive = int (*)();
}
