#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks Debian's package of musl into build/sysroot, unless it is there, and prints the path of its loader. Nothing is installed.
#   scripts/musl-loader.sh [x86_64 | aarch64]
set -eu
cd "$(dirname "$0")/.."
architecture=${1:-x86_64}
case $architecture in
  x86_64) folder=$PWD/build/sysroot/musl ;;
  aarch64) folder=$PWD/build/sysroot/musl-arm64 ;;
  *) echo "usage: $0 [x86_64 | aarch64]" >&2; exit 2 ;;
esac
loader=$folder/lib/ld-musl-$architecture.so.1
if [ ! -e "$loader" ] && [ $architecture = aarch64 ]; then
  scripts/debian-root.sh arm64 "$folder" musl >&2 || true
elif [ ! -e "$loader" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  (cd "$folder" && apt-get download -qq musl 2>/dev/null && dpkg-deb -x musl_*.deb . && rm musl_*.deb)
fi
[ -e "$loader" ] || { echo "musl-loader: there is no $loader" >&2; exit 77; }
echo "$loader"
