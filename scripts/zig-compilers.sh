#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compilers for a system that Debian has none for, as programs under clang's names in build/zig/TARGET: those of the Python package
# ziglang, which is clang with libc++ and with the C libraries of many systems.
#   scripts/zig-compilers.sh x86_64-linux-musl
set -eu
cd "$(dirname "$0")/.."

target=${1:?"usage: $0 TARGET, as in x86_64-linux-musl"}
scripts/venv.sh build/zig-venv cmake/toolchains/zig/requirements.txt
zig=$(echo "$PWD"/build/zig-venv/lib/python3*/site-packages/ziglang/zig)
[ -x "$zig" ] || { echo "zig-compilers: there is no $zig" >&2; exit 1; }
folder=build/zig/$target
mkdir -p "$folder"
# What stands for the extensions of 64-bit ARM: zig takes names of its own.
translated=""
case $target in
  aarch64-*) translated='for word; do
  case $word in -march=armv8.2-a+*) word=-mcpu=generic+v8_2a+${word#-march=armv8.2-a+} ;; esac
  set -- "$@" "$word"
  shift
done
' ;;
esac
# compiler NAME COMMAND: the program NAME, written where it differs, so that caches of objects hold. What zig checks by traps unless told
# otherwise is checked by the builds with sanitizers, and what it writes for debuggers, with paths of this machine, nobody asked for. It takes
# -fstack-protector for -fstack-protector-strong with buffers of 4 bytes, which makes a tenth more code: the last options say what was asked for.
compiler() {
  printf '#!/bin/sh\n# ziglang %s\n%sexec %s %s -target %s -fno-sanitize=undefined -g0 "$@" %s\n' "$("$zig" version)" "$translated" "$zig" "$2" "$target" \
    "-Xclang -stack-protector -Xclang 1 -Xclang -stack-protector-buffer-size -Xclang 8" >"$folder/new"
  chmod +x "$folder/new"
  cmp -s "$folder/new" "$folder/$1" || cp "$folder/new" "$folder/$1"
  rm "$folder/new"
}
compiler clang cc
compiler clang++ c++
for tool in ar ranlib; do
  printf '#!/bin/sh\nexec %s %s "$@"\n' "$zig" "$tool" >"$folder/$tool"
  chmod +x "$folder/$tool"
done
# Of what macOS' own library offers, for its linker: of the two processors' names in it lld 14 knows one.
case $target in *-macos*)
  sed 's/arm64e[.]x1-/arm64-/g' "$(dirname "$zig")/lib/libc/darwin/libSystem.tbd" >"$folder/libSystem.tbd" ;;
esac
