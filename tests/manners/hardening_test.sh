#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every file given is position-independent, has read-only relocations resolved at start, no executable stack and no text that is
# written to, and does not say where it was built; the first one calls checked versions of the C library's copies.
#   hardening_test.sh SOURCE_DIR LIBRARY FILE...
set -eu
command -v readelf > /dev/null || { echo "skipped: no readelf here"; exit 77; }
source=$1
first=$2
shift
failed=0
complain() {
  echo "$1: $2"
  failed=1
}
for file in "$@"; do
  readelf -hW "$file" | grep -q 'Type: *DYN' || complain "$file" "not position-independent"
  readelf -lW "$file" | grep -q 'GNU_RELRO' || complain "$file" "no read-only relocations"
  readelf -lW "$file" | grep 'GNU_STACK' | grep -q 'RW ' || complain "$file" "the stack is executable"
  readelf -dW "$file" | grep -Eq 'BIND_NOW|FLAGS_1.*NOW' || complain "$file" "symbols are resolved late, so their table stays writable"
  ! grep -qaF "$source" "$file" || complain "$file" "it says where it was built"
  ! readelf -dW "$file" | grep -q 'TEXTREL' || complain "$file" "code is relocated"
done
readelf -sW --dyn-syms "$first" | grep -Eq '__[a-z]+_chk' || complain "$first" "copies of known length are not checked"
exit $failed
