// SPDX-License-Identifier: Apache-2.0
// One step of a recurrent layer in all its directions: the states h (and c) of each sequence go on by one. A work-group
// computes one unit of ROWS sequences: lane i of LANES takes elements i, i + LANES ... of the state in order, then lanes
// are joined pairwise, so that sums depend neither on ROWS nor on other sequences. What comes from the input of all steps
// stands in `gates` [direction, time, batch, GATES, hidden]. `y` is [time, batch, direction, hidden]; the states before
// and after are [direction, batch, hidden].
// Defined by the host: CELL (0 tanh, 1 ReLU, 2 LSTM: gates i, f, g, o, 3 GRU: r, z, candidate), GATES, DIRECTIONS,
// HAS_BIAS, HAS_STATE (the last h is wanted), LANES, ROWS; LENGTH, the type of the sequences' lengths if they differ.

FN float gate_of(float x) { return 1.0f / (1.0f + MATH(exp)(-x)); }

#if DIRECTIONS == 2
#define OF_DIRECTION(p) (direction == 0 ? p##0 + p##0_begin : p##1 + p##1_begin)
#else
#define OF_DIRECTION(p) (p##0 + p##0_begin)
#endif

KERNEL_OF(rnn, LANES, 1)(GLOBAL float* y, offset_t y_begin, GLOBAL const float* RESTRICT gates, offset_t gates_begin, GLOBAL const float* RESTRICT h_before, offset_t h_before_begin
#if HAS_STATE
                         , GLOBAL float* RESTRICT h_after, offset_t h_after_begin
#endif
#if CELL == 2
                         , GLOBAL const float* RESTRICT c_before, offset_t c_before_begin, GLOBAL float* RESTRICT c, offset_t c_begin, const int first_c
#endif
                         , GLOBAL const float* RESTRICT matrix0, offset_t matrix0_begin
#if HAS_BIAS
                         , GLOBAL const float* RESTRICT input_bias0, offset_t input_bias0_begin, GLOBAL const float* RESTRICT bias0, offset_t bias0_begin
#endif
#if DIRECTIONS == 2
                         , GLOBAL const float* RESTRICT matrix1, offset_t matrix1_begin
#if HAS_BIAS
                         , GLOBAL const float* RESTRICT input_bias1, offset_t input_bias1_begin, GLOBAL const float* RESTRICT bias1, offset_t bias1_begin
#endif
#endif
#ifdef LENGTH
                         , GLOBAL const LENGTH* RESTRICT lengths, offset_t lengths_begin
#endif
                         , const int step, const int first_state, const int time, const int batch, const int hidden) {
  LOCAL_VAR float room[ROWS * GATES * LANES];
  const int lane = local_id(0);
  const int unit = group_id(0) % hidden;
  const int first = group_id(0) / hidden * ROWS;
  const int direction = group_id(1);
  y += y_begin;
  h_before += h_before_begin + first_state + direction * batch * hidden;
  GLOBAL const float* matrix = OF_DIRECTION(matrix);

  GLOBAL const float* h[ROWS];
  float sum[ROWS * GATES];
  UNROLL
  for (int r = 0; r < ROWS; ++r) {
    const int row = first + r < batch ? first + r : batch - 1;
    int before = step - 1;
    if (direction == 1) {
      int length = time;
#ifdef LENGTH
      const LENGTH given = lengths[lengths_begin + row];
      length = given < 0 ? 0 : (given > time ? time : (int)given);
#endif
      before = length > step ? length - step : 0;
    }
    h[r] = step == 0 ? h_before + row * hidden : y + ((before * batch + row) * DIRECTIONS + direction) * hidden;
    UNROLL
    for (int g = 0; g < GATES; ++g) sum[r * GATES + g] = 0;
  }
  for (int k = lane; k < hidden; k += LANES) {
    UNROLL
    for (int g = 0; g < GATES; ++g) {
      const float weight = matrix[(g * hidden + unit) * hidden + k];
      UNROLL
      for (int r = 0; r < ROWS; ++r) sum[r * GATES + g] = FMA(weight, h[r][k], sum[r * GATES + g]);
    }
  }
  UNROLL
  for (int i = 0; i < ROWS * GATES; ++i) room[i * LANES + lane] = sum[i];
  BARRIER();
  for (int distance = LANES / 2; distance > 0; distance /= 2) {
    if (lane < distance) {
      UNROLL
      for (int i = 0; i < ROWS * GATES; ++i) room[i * LANES + lane] += room[i * LANES + lane + distance];
    }
    BARRIER();
  }

  const int row = first + lane;
  if (lane >= ROWS || row >= batch) return;
  int length = time;
#ifdef LENGTH
  const LENGTH given = lengths[lengths_begin + row];
  length = given < 0 ? 0 : (given > time ? time : (int)given);
#endif
  MAYBE_UNUSED const int state = (direction * batch + row) * hidden + unit;
  MAYBE_UNUSED const float old = step == 0 ? h_before[row * hidden + unit]
                              : y[(((direction == 0 ? step - 1 : (length > step ? length - step : 0)) * batch + row) * DIRECTIONS + direction) * hidden + unit];
#if CELL == 2
  c_before += c_before_begin + first_state;
  c += c_begin + first_c;
#endif
  if (step >= length) {
    y[((step * batch + row) * DIRECTIONS + direction) * hidden + unit] = 0;
    if (step > 0) return;
#if HAS_STATE
    h_after[h_after_begin + first_state + state] = old;
#endif
#if CELL == 2
    c[state] = c_before[state];
#endif
    return;
  }
  const int at = direction == 0 ? step : length - 1 - step;
  gates += gates_begin + ((direction * time + at) * batch + row) * (GATES * hidden) + unit;
#if HAS_BIAS
  GLOBAL const float* input_bias = OF_DIRECTION(input_bias) + unit;
  GLOBAL const float* bias = OF_DIRECTION(bias) + unit;
#define FROM_INPUT(g) (gates[(g) * hidden] + input_bias[(g) * hidden])
#define FROM_STATE(g) (room[(lane * GATES + (g)) * LANES] + bias[(g) * hidden])
#else
#define FROM_INPUT(g) (gates[(g) * hidden])
#define FROM_STATE(g) (room[(lane * GATES + (g)) * LANES])
#endif
#define GATE(g) (FROM_INPUT(g) + FROM_STATE(g))
#if CELL == 2
  const float next_c = gate_of(GATE(1)) * (step == 0 ? c_before[state] : c[state]) + gate_of(GATE(0)) * MATH(tanh)(GATE(2));
  const float next = gate_of(GATE(3)) * MATH(tanh)(next_c);
  c[state] = next_c;
#elif CELL == 3
  const float update = gate_of(GATE(1));
  const float candidate = MATH(tanh)(FROM_INPUT(2) + gate_of(GATE(0)) * FROM_STATE(2));
  const float next = update * old + (1.0f - update) * candidate;
#elif CELL == 1
  const float next = GATE(0) < 0.0f ? 0.0f : GATE(0);
#else
  const float next = MATH(tanh)(GATE(0));
#endif
  y[((at * batch + row) * DIRECTIONS + direction) * hidden + unit] = next;
#if HAS_STATE
  if (step == length - 1) h_after[h_after_begin + first_state + state] = next;
#endif
}
