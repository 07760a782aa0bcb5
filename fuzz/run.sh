#!/bin/sh
# Builds the fuzz targets with the stable compiler and runs one, or all of them, from the corpus that is kept:
#   fuzz/run.sh [TARGET [SECONDS]]
set -eu
cd "$(dirname "$0")"
seconds=${2:-600}
targets=${1:-$(ls seeds)}
# The flags that cargo-fuzz sets. They are unstable only in that they belong to LLVM.
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
triple=$(rustc -vV | sed -n 's/^host: //p')
cargo build --release --target "$triple"
built=${CARGO_TARGET_DIR:-target}/$triple/release
for target in $targets; do
  # What it finds on the way stays out of the repository until `keep.sh` takes it.
  found=${FUZZ_CORPUS:-target/corpus}/$target
  mkdir -p "$found" crashes
  if [ -f "corpus/$target.tar.gz" ]; then tar -xzf "corpus/$target.tar.gz" -C "$found"; fi
  nice -n 19 "$built/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=4096 -artifact_prefix="crashes/$target-" "$found" "seeds/$target"
done
