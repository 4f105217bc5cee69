// SPDX-License-Identifier: Apache-2.0
// A library that is no plug-in.
__attribute__((visibility("default"))) int coracle_engine_got() { return 0; }
