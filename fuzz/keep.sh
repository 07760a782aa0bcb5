#!/bin/sh
# Keeps what `run.sh` found in the repository: few inputs that reach the same lines, in one archive a target:
#   fuzz/keep.sh TARGET
set -eu
cd "$(dirname "$0")"
target=$1
triple=$(rustc -vV | sed -n 's/^host: //p')
built=${CARGO_TARGET_DIR:-target}/$triple/release
fewest=$(mktemp -d)
trap 'rm -rf "$fewest"' EXIT
"$built/$target" -merge=1 -use_counters=0 -max_len=4096 "$fewest" "${FUZZ_CORPUS:-target/corpus}/$target" 2>/dev/null
mkdir -p corpus
archive=$PWD/corpus/$target.tar.gz
(cd "$fewest" && find . -type f -printf '%P\n' | LC_ALL=C sort |
  tar --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - -T - | gzip -9n >"$archive")
echo "$target: $(find "$fewest" -type f | wc -l) inputs, $(wc -c <"$archive") bytes"
