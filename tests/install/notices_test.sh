#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# THIRD_PARTY_NOTICES names every library whose headers are compiled into Coracle, with a licence whose text it has.
#   notices_test.sh BUILD_DIR SOURCE_DIR
set -eu
cd "$2"
notices=THIRD_PARTY_NOTICES
for library in $(grep -rhoE '#include <[A-Za-z0-9_]+/' src include | sed 's/.*<//; s|/||' | sort -u); do
  case $library in
    arpa | coracle | netinet | sys) continue ;;
  esac
  grep -qxF "Files: $library/*" $notices || { echo "$notices does not have $library"; exit 1; }
done
used=$(sed -n 's/^License: //p' $notices | sed 's/ and /\n/g' | sort | uniq -c | awk '$1 == 1' )
[ -z "$used" ] || { echo "$notices: a licence without its text, or a text without use: $used"; exit 1; }
