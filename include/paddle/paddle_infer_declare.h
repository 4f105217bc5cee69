// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks what programs use of these headers. Client projects may define it themselves.
#if !defined(PD_INFER_DECL)
#if defined(_WIN32)
#define PD_INFER_DECL
#else
#define PD_INFER_DECL __attribute__((visibility("default")))
#endif
#endif
