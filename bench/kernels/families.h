// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coracle::bench {

/// Each registers the cases of its family, see <name>.cc.
void add_conv2d();
void add_conv2d_transpose();
void add_depthwise_conv2d();
void add_linear();
void add_matmul();
void add_norm();
void add_rnn();

}  // namespace coracle::bench
