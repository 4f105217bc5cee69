#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Links by a compiler of ziglang, and then once more by its lld, with the command that the compiler shows and what it does not pass on: functions
# with the same code become one (docs/adr/0055), and shared libraries come before archives, so that what both have is the shared one's. The C++
# library that becomes part of the result is the one that is compiled for size. CMake puts this before the commands that link
# (CMAKE_CXX_LINKER_LAUNCHER).
#   scripts/zig-link.sh COMPILER ARGUMENT...
set -eu
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" -Os -v 2>"$log" || { cat "$log" >&2; exit 1; }
zig=$(sed -n 's/^exec \([^ ]*\) .*/\1/p' "$1")
# Paths have no spaces: the scripts that call ziglang's compilers would not take them either.
command=$(sed -n 's/^ld[.]lld //p' "$log" | tail -n 1)
[ -n "$command" ] || { echo "zig-link: $1 does not say how it calls lld:" >&2; cat "$log" >&2; exit 1; }
shared="" others="" before=""
for word in $command; do
  case $word in *.so | *.so.[0-9]*) list=shared ;; *) list=others ;; esac
  case $before in -o | *soname | *dynamic-linker | *rpath) list=others ;; esac
  if [ $list = shared ]; then shared="$shared $word"; else others="$others $word"; fi
  before=$word
done
"$zig" ld.lld --icf=all --as-needed $shared --no-as-needed $others
