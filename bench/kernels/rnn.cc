// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/rnn.h"

#include "families.h"
#include "kernel_case.h"

namespace coracle::bench {
namespace {

struct Row {
  const char* name;
  RnnMode mode;
  int64_t time, batch, width;
  int hidden;
  bool both_ways;
};

constexpr Row kRows[] = {
    {"crnn LSTM both ways 80x1x128-96", RnnMode::kLstm, 80, 1, 128, 96, true},
    {"LSTM both ways 40x8x256-256", RnnMode::kLstm, 40, 8, 256, 256, true},
    {"GRU 64x1x128-128", RnnMode::kGru, 64, 1, 128, 128, false},
};

}  // namespace

void add_rnn() {
  for (const Row& r : kRows) {
    Rnn rnn;
    rnn.mode = r.mode;
    rnn.hidden_size = r.hidden;
    rnn.is_bidirec = r.both_ways;
    const int directions = rnn.directions();
    const int states = r.mode == RnnMode::kLstm ? 2 : 1;
    const int64_t rows = int64_t{rnn.gates()} * r.hidden;
    KernelCase c{.name = r.name, .op = rnn, .in = {random_floats({r.time, r.batch, r.width})}};
    for (int i = 0; i < states; ++i) c.in.push_back(random_floats({directions, r.batch, r.hidden}));
    for (int i = 0; i < directions; ++i) {
      c.in.push_back(random_floats({rows, r.width}));
      c.in.push_back(random_floats({rows, r.hidden}));
    }
    for (int i = 0; i < 2 * directions; ++i) c.in.push_back(random_floats({rows}));
    c.in_counts = {1, states, 4 * directions};
    c.out_counts = {1, 0, states};
    c.flops = 2.0 * static_cast<double>(r.time * r.batch * rows * (r.width + r.hidden) * directions);
    add(std::move(c));
  }
}

}  // namespace coracle::bench
