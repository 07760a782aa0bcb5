#!/bin/sh
# Builds the addon for Linux inside a container whose libc is old enough for all supported systems:
#
#   docker run --rm --volume "$PWD:/serval" --workdir /serval node:20-bullseye scripts/build-in-container.sh TRIPLE
#
# node:20-bullseye (glibc 2.31) for *-gnu, node:20-alpine for *-musl. The processor is the container's own.
set -eu
triple=$1

# The compiler that the recorded profile fits (scripts/build/profile.mjs).
about=scripts/build/profiles/x86_64-unknown-linux-gnu.json
rust=$(node --print "/^release: (.*)$/m.exec(require('./$about').compiler)[1]")

if command -v apk >/dev/null; then apk add --no-cache build-base curl; fi
curl --proto '=https' --tlsv1.2 --fail --silent --show-error https://sh.rustup.rs |
  sh -s -- -y --profile minimal --no-modify-path --default-toolchain "$rust"
export PATH="$HOME/.cargo/bin:$PATH"

npm ci --no-audit --no-fund
node scripts/build.mjs --addon --verbose --target "$triple"
