#!/usr/bin/env bash
# Compiles the twins and records what nvcc made of them in counts.txt: ./record.sh (nvcc 13.0.88 in PATH or NVCC; no GPU).
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for f in *.cu; do "${NVCC:-nvcc}" -O3 -std=c++17 -arch=sm_90a -cubin -o "$out/${f%.cu}.cubin" "$f"; done
go test ../.. -count=1 -run TestTwins -twins "$out"
