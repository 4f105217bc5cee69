// SPDX-License-Identifier: Apache-2.0
#include "families.h"
#include "kernel_case.h"
#include "ops/activation/softmax.h"
#include "ops/norm/layer_norm.h"

namespace coracle::bench {

void add_norm() {
  add({.name = "bert attention 12x128x128", .op = Softmax{}, .in = {random_floats({1, 12, 128, 128})}});
  add({.name = "rec attention 8x40x40", .op = Softmax{}, .in = {random_floats({1, 8, 40, 40})}});
  add({.name = "rec classes 40x6625", .op = Softmax{}, .in = {random_floats({1, 40, 6625})}});
  const auto add_layer_norm = [](const char* name, int64_t rows, int64_t columns) {
    LayerNorm norm;
    norm.begin_norm_axis = 2;
    add({.name = name,
         .op = norm,
         .in = {random_floats({1, rows, columns}), random_floats({columns}), random_floats({columns})}});
  };
  add_layer_norm("bert 128x768", 128, 768);
  add_layer_norm("rec 40x120", 40, 120);
}

}  // namespace coracle::bench
