#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Links for macOS by a compiler of ziglang, and then once more by lld, with the command that the compiler shows: ziglang's linker takes no list of
# exported names. Libraries of this build come before archives, so that what both have is the library's. The C++ library that becomes part of the
# result is the one that is compiled for size. CMake puts this before the commands that link (CMAKE_CXX_LINKER_LAUNCHER).
#   scripts/macos-link.sh COMPILER ARGUMENT...
set -eu
compiler=$1
shift
# CMake writes -Xlinker -exported_symbols_list -Xlinker FILE.
exported="" expected=""
count=$#
while [ "$count" -gt 0 ]; do
  case $expected$1 in
    -Xlinker) waiting=1 ;;
    -exported_symbols_list) expected=list: waiting="" ;;
    list:-Xlinker) ;;
    list:*) exported=$1 expected="" ;;
    -Wl,-exported_symbols_list,*) exported=${1#-Wl,-exported_symbols_list,} ;;
    *)
      [ -z "${waiting:-}" ] || set -- "$@" -Xlinker
      waiting=""
      set -- "$@" "$1" ;;
  esac
  shift
  count=$((count - 1))
done
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$compiler" "$@" -Os -v 2>"$log" || { cat "$log" >&2; exit 1; }
command=$(sed -n 's/^zig ld //p' "$log" | tail -n 1)
[ -n "$command" ] || { echo "macos-link: $compiler does not say how it calls its linker:" >&2; cat "$log" >&2; exit 1; }
# Paths have no spaces: the scripts that call ziglang's compilers would not take them either.
libraries="" others="" before=""
for word in $command; do
  [ "$before" != -o ] || out=$word
  case $before:$word in
    -o:*) others="$others $word" ;;
    -install_name:*) others="$others @rpath/$(basename "$word")" ;;
    *:-l) ;;  # the library stands behind it
    *.dylib) libraries="$libraries $word" ;;
    *:-lSystem) others="$others $(dirname "$compiler")/libSystem.tbd" ;;
    *) others="$others $word" ;;
  esac
  before=$word
done
case $(basename "$(dirname "$compiler")") in aarch64-*) architecture=arm64 ;; *) architecture=x86_64 ;; esac
rm -f "$out"
lld -flavor darwin -arch $architecture -fatal_warnings ${exported:+-exported_symbols_list "$exported"} $libraries $others
