#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts promtool, of Debian's package prometheus, into a folder, without the server of that package: scripts/promtool.sh build/promtool
# Where it cannot be had, a line says so, and the tests that want it are skipped.
set -eu
cd "$(dirname "$0")/.."

[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
[ -x "$1/promtool" ] && exit 0
mkdir -p "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
fetch() { (cd "$work" && timeout 40 apt-get download -qq prometheus) >/dev/null 2>&1; }
if fetch || { timeout 40 apt-get update -qq >/dev/null 2>&1 && fetch; }; then
  dpkg-deb --fsys-tarfile "$work"/prometheus_*.deb | tar -x -C "$work" ./usr/bin/promtool
  mv "$work/usr/bin/promtool" "$1/promtool"
else
  echo "promtool: Debian's package prometheus cannot be had here" >&2
fi
