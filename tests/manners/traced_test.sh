#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The system calls of before_run until its first run: none that starts a thread or a process, handles signals, writes,
# goes to the network, or opens a file for writing.
#   traced_test.sh BEFORE_RUN LIBRARY MODEL
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v strace > "$work/found" || { echo "skipped: no strace here"; exit 77; }
strace -o "$work/tried" true 2> "$work/refused" || { echo "skipped: tracing is not allowed here"; exit 77; }
strace -f -o "$work/trace" "$1" "$2" "$3"
sed -n '/coracle-begin/,/coracle-end/p' "$work/trace" > "$work/calls"
grep -q coracle-end "$work/calls"
names='clone3?|v?fork|execve|rt_sigaction|rt_sigprocmask|sigaltstack|kill|tgkill|write|writev|pwrite64|socket|connect|sendto|prctl'
names="$names|sched_setaffinity|setpriority|setrlimit|chdir|umask|unlink|unlinkat|mkdir|rename|ftruncate"
! grep -E "^[0-9]+ +($names)\(|O_WRONLY|O_RDWR|O_CREAT" "$work/calls" || { echo "not before the first run"; exit 1; }
echo "$(wc -l < "$work/calls") system calls before the first run"
