#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks Debian's package of musl into build/sysroot/musl, unless it is there, and prints the path of its loader. Nothing is installed.
#   scripts/musl-loader.sh
set -eu
cd "$(dirname "$0")/.."
folder=$PWD/build/sysroot/musl
loader=$folder/lib/ld-musl-x86_64.so.1
if [ ! -e "$loader" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  (cd "$folder" && apt-get download -qq musl 2>/dev/null && dpkg-deb -x musl_*.deb . && rm musl_*.deb)
fi
[ -e "$loader" ] || { echo "musl-loader: there is no $loader" >&2; exit 77; }
echo "$loader"
