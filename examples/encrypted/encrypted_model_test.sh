#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A model runs encrypted as it runs plain, and every way in which its file may be wrong is an error that says it.
#   encrypted_model_test.sh PROGRAM CORACLE WRITE_MODEL
set -eu
program=$1 coracle=$2 write_model=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$write_model" plain
"$coracle" optimize plain -o model.coracle >log
head -c 32 /dev/urandom >key
head -c 32 /dev/urandom >other
"$program" encrypt key model.coracle model.enc
! grep -q product model.enc || { echo "the model's names are readable"; exit 1; }
text=$("$program" run key model.enc)
[ "$text" = "twice: 2 2
product: 4 6" ] || { echo "found: $text"; exit 1; }

# refused FILE KEY PART
refused() {
  status=0
  "$program" run "$2" "$1" >out 2>&1 || status=$?
  [ "$status" = 1 ] && grep -qF "$3" out || { echo "$1 with $2: status $status"; cat out; exit 1; }
}
refused model.enc other 'the key is not that of model.enc'
refused none.enc key 'cannot open none.enc'
refused model.enc model.enc 'a key has 32'
head -c 20 model.enc >short.enc
refused short.enc key 'no encrypted model'
head -c 1000 model.enc >cut.enc
refused cut.enc key 'was changed'
cp model.enc changed.enc
printf X | dd of=changed.enc bs=1 seek=500 conv=notrunc 2>dd
refused changed.enc key 'was changed'
echo 'no model' >text
"$program" encrypt key text text.enc
refused text.enc key "text.enc'"
echo "all as expected"
