#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program for Windows in Debian's wine64, without a window, in a folder of its own that stands for Windows' drive.
#   scripts/wine.sh PROGRAM.exe [ARGUMENT...]
set -u
wine=$(command -v wine64 || ls /usr/lib/wine/wine64 2>/dev/null)
if [ -z "$wine" ]; then
  echo "wine: there is no wine64; on Debian: scripts/setup-debian.sh --windows" >&2
  exit 77
fi
export WINEPREFIX="${WINEPREFIX:-$(cd "$(dirname "$0")/.." && pwd)/build/wine}" WINEDEBUG="${WINEDEBUG:--all}"
# Neither a desktop nor what the first start would install.
export WINEDLLOVERRIDES="${WINEDLLOVERRIDES:-mscoree,mshtml,winemenubuilder.exe=}" LC_ALL="${LC_ALL:-C.UTF-8}"
unset DISPLAY
exec "$wine" "$@"
