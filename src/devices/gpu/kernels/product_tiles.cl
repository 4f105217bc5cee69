// SPDX-License-Identifier: Apache-2.0
// How products are cut into tiles (gemm.cl, integer_gemm.cl). A work-group makes a tile of the result, each of its items
// ITEM_M x ITEM_N elements of that, through tiles of both operands in local memory.
//
// Defined by the host: GROUP_M, GROUP_N, ITEM_M, ITEM_N, TILE_K (in what a line of a tile holds), BATCH_AXES(f).

#define TILE_M (GROUP_M * ITEM_M)
#define TILE_N (GROUP_N * ITEM_N)
#define ITEMS (GROUP_M * GROUP_N)
// An item's elements stand in runs of 4 where it has so many: it reads a run from local memory at once.
#define RUN_M (ITEM_M % 4 == 0 ? 4 : 1)
#define RUN_N (ITEM_N % 4 == 0 ? 4 : 1)
#define ROW(i) (((i) / RUN_M * GROUP_M + own_m) * RUN_M + (i) % RUN_M)
#define COLUMN(j) (((j) / RUN_N * GROUP_N + own_n) * RUN_N + (j) % RUN_N)
// Lines of tiles begin in other banks of local memory, still at a multiple of a run.
#define PAD 4
// Parts of the tiles that an item brings.
#define PART_A ((TILE_M * TILE_K + ITEMS - 1) / ITEMS)
#define PART_B ((TILE_N * TILE_K + ITEMS - 1) / ITEMS)
#define K_OF(at, along_k, size) ((along_k) ? (at) % TILE_K : (at) / (size))
#define LINE_OF(at, along_k, size) ((along_k) ? (at) / TILE_K : (at) % (size))

#define BATCH_PARAMETER(d) , const int batch##d, const int a_batch##d, const int b_batch##d
#define WALK_BATCH(d)                    \
  a_at += rest % batch##d * a_batch##d;  \
  b_at += rest % batch##d * b_batch##d;  \
  rest /= batch##d;
