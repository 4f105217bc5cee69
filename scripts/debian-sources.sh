#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks the sources of Debian's packages into FOLDER, each into a folder of the package's name. apt is asked with a state of its own, so
# that no root is needed. Nothing happens where they are there already.
#   scripts/debian-sources.sh FOLDER PACKAGE...
set -eu

[ $# -ge 2 ] || { echo "usage: $0 FOLDER PACKAGE..." >&2; exit 2; }
sources=$1
shift
[ "$(cat "$sources/made" 2>/dev/null)" != "$*" ] || exit 0
rm -rf "$sources"
mkdir -p "$sources/apt/lists/partial" "$sources/apt/archives/partial"
sources=$(realpath "$sources")
: >"$sources/apt/status"
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian ${suite:-bookworm} main" >"$sources/apt/list"
cat >"$sources/apt/apt.conf" <<CONF
APT::Sandbox::User "";
Acquire::Languages "none";
Dir::Etc::SourceList "$sources/apt/list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "$sources/apt";
Dir::State::status "$sources/apt/status";
Dir::Cache "$sources/apt";
CONF
(
  cd "$sources"
  export APT_CONFIG=$sources/apt/apt.conf
  apt-get update -qq
  apt-get source -qq --download-only "$@" >apt/log 2>&1 || { tail -n 20 apt/log >&2; exit 1; }
  for package in "$@"; do
    dpkg-source --no-check -x "$package"_*.dsc "$package" >>apt/log 2>&1 || { tail -n 20 apt/log >&2; exit 1; }
  done
  rm -rf apt *.tar.* *.dsc *.asc
)
echo "$*" >"$sources/made"
