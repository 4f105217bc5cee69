#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs one of COUNT parts of a GoogleTest program's tests. The part follows from the number of commits: COUNT commits in a row take all
# tests, and one commit always takes the same. A shallow clone does not know the number and goes by the commit's hash; an archive
# without git takes part 0. SAMPLE=0 ... COUNT-1 names a part, SAMPLE=all runs all tests.
#   scripts/rotating_sample.sh COUNT PROGRAM [ARGUMENT...]
set -eu

count=$1
shift
if [ "${SAMPLE:-}" = all ]; then exec "$@"; fi

# Changes with each commit.
number() (
  cd "$(dirname "$0")/.."
  if [ "$(git rev-parse --show-toplevel 2>/dev/null)" != "$(pwd -P)" ]; then
    echo 0
  elif [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    echo $((0x$(git rev-parse HEAD | cut -c1-7)))
  else
    git rev-list --count HEAD
  fi
)

GTEST_TOTAL_SHARDS=$count
GTEST_SHARD_INDEX=$((${SAMPLE:-$(number)} % count))
export GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX
echo "part $GTEST_SHARD_INDEX of $count; SAMPLE=$GTEST_SHARD_INDEX runs it again, SAMPLE=all all parts"
exec "$@"
