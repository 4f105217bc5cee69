// SPDX-License-Identifier: Apache-2.0
// What is done to each finished element v of a product or convolution. The host defines EPILOGUE_PARAMETERS by the
// macros here, and EPILOGUE, statements on v by the formulas; `channel` and `position` are those of v in the result. Of
// products of integers also RESULT, the type of their result, and FINISHED, what is stored of v.

#include "formulas.cl"

#define EPILOGUE_TENSOR(i) , GLOBAL const STORED* e##i, offset_t e##i##_begin
#define EPILOGUE_NUMBER(i) , const float n##i
#define EPILOGUE_INTEGERS(i) , GLOBAL const s8* e##i, offset_t e##i##_begin
