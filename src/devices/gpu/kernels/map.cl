// SPDX-License-Identifier: Apache-2.0
// y = EXPRESSION(v0, v1, ..., n0, n1, ...), element by element: v are elements of the operands, n numbers. Operands and
// result are walked along the same axes, each with steps of its own: 0 repeats an operand, a negative one turns it
// round, and a result may be a part of a larger tensor. Axes are counted from the innermost on.
//
// Defined by the host: OPERANDS(f) is f(0) f(1) ..., OPERANDS_AT(f, d) is f(0, d) f(1, d) ...; NUMBERS(f) and
// INNER_AXES(f), which leaves out the outermost, likewise; OUTERMOST, RESULT, TYPE_<operand>, EXPRESSION.

#include "types.cl"
#include "formulas.cl"

#define OPERAND_PARAMETER(i) , GLOBAL const TYPE_##i* x##i, offset_t x##i##_begin, const int start##i
#define STEP_PARAMETER(i, d) , const int step##i##_##d
#define AXIS_PARAMETER(d) , const int size##d, const int step_y##d OPERANDS_AT(STEP_PARAMETER, d)
#define NUMBER_PARAMETER(i) , const float n##i

#define DECLARE_POSITION(i) int at##i = start##i;
#define ADVANCE(i, d) at##i += index * step##i##_##d;
#define WALK_AXIS(d)                     \
  {                                      \
    const int index = rest % size##d;    \
    rest /= size##d;                     \
    at_y += index * step_y##d;           \
    OPERANDS_AT(ADVANCE, d)              \
  }
#define ADVANCE_OUTERMOST(i) WALK_OUTERMOST(i, OUTERMOST)
#define WALK_OUTERMOST(i, d) ADVANCE_REST(i, d)
#define ADVANCE_REST(i, d) at##i += rest * step##i##_##d;
#define STEP_OF_RESULT(d) STEP_OF_RESULT_(d)
#define STEP_OF_RESULT_(d) step_y##d
#define LOAD_OPERAND(i)  \
  x##i += x##i##_begin; \
  const REGISTER_OF(TYPE_##i) v##i = LOAD_OF(TYPE_##i, x##i, at##i);

KERNEL(map)(GLOBAL RESULT* y, offset_t y_begin, const int count, const int start_y OPERANDS(OPERAND_PARAMETER)
                    INNER_AXES(AXIS_PARAMETER) OUTERMOST_AXIS(AXIS_PARAMETER) NUMBERS(NUMBER_PARAMETER)) {
  int rest = global_id(0);
  if (rest >= count) return;
  y += y_begin;
  int at_y = start_y;
  OPERANDS(DECLARE_POSITION)
  INNER_AXES(WALK_AXIS)
  OPERANDS(ADVANCE_OUTERMOST)
  at_y += rest * STEP_OF_RESULT(OUTERMOST);
  OPERANDS(LOAD_OPERAND)
  STORE_OF(RESULT, y, at_y, EXPRESSION);
}
