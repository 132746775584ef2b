#!/usr/bin/env bash
# Qualifies this library on a GPU machine and compares it with its peers there. Nothing is built, nothing is fetched.
#
#   [OP=PREFIX] bench/device.sh PARTS OUT [tune] [qualify] [peers] [sanitize]
#
# PARTS holds what was built on another machine from a clean commit, each file as it is or gzipped:
#   oxidelab        CGO_ENABLED=1 go build -buildvcs=true -trimpath -ldflags='-s -w' ./cmd/oxidelab
#   liboxide.so     CGO_ENABLED=1 go build -buildvcs=true -trimpath -ldflags='-s -w' -buildmode=c-shared -o liboxide.so ./adapters/c
#   peers/          wheels of FlashInfer 0.6.17 and of what it needs, and flashinfer-*.tar.xz with its compiled modules
# Only operators whose names begin with PREFIX take part, all where it is not set. tune is for OP=gemm: OUT gets ztuned.txt, which plans
# choose from once it is in algorithms/gemm and the library is built again, and tune.json with every sample.
# OUT gets qualify.tar, peers.tar and sanitize.tar for `oxidelab evidence import`, and the logs. If the time runs out in one of
# them, its FILE.state holds what has ended, and the same command goes on from there on the same machine.
set -u
parts=$(cd "$1" && pwd) out=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
cd "$(dirname "$0")/.."
work=$(mktemp -d)
for name in oxidelab liboxide.so; do
  if [ -f "$parts/$name.gz" ]; then gunzip -c "$parts/$name.gz" >"$work/$name"; elif [ -f "$parts/$name" ]; then cp "$parts/$name" "$work/$name"; fi
done
chmod +x "$work/oxidelab"
PATH=$PATH:/usr/local/cuda/bin
status=0

levels() { # NAME LEVELS
  "$work/oxidelab" qualify -device cuda:0 ${OP:+-op "$OP"} -level "$2" -jobs 8 -timeout 3m -record "$out/$1.tar" >"$out/$1.log" 2>&1 || status=1
  tail -n 50 "$out/$1.log" | cut -c1-240
}

qualify() { levels qualify correctness,lifecycle,graph,performance; }

tune() {
  "$work/oxidelab" tune -device cuda:0 ${OP:+-op "$OP"} -json "$out/tune.json" -table "$out/ztuned.txt" >"$out/tune.log" 2>&1 || status=1
  tail -n 100 "$out/tune.log" | cut -c1-240
}

sanitize() { levels sanitize sanitizer; }

peers() {
  site=$(mktemp -d)
  for wheel in "$parts"/peers/*.whl; do
    python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --upgrade --target "$site" "$wheel" || echo "not installed: $wheel"
  done
  mkdir -p "$site/flashinfer/data/aot"
  for modules in "$parts"/peers/flashinfer-*.tar.xz; do tar xJf "$modules" -C "$site/flashinfer/data/aot"; done
  export PYTHONPATH=$PWD/adapters/python:$PEERS_SITE$site:$site/nvidia_cutlass_dsl/dsl_packages OXIDE_LIBRARY=$work/liboxide.so
  export FLASHINFER_DISABLE_JIT=1 FLASHINFER_CUDA_ARCH_LIST=9.0a PYTHONUNBUFFERED=1 TORCHINDUCTOR_CACHE_DIR=$work/inductor
  "$work/oxidelab" peers -device cuda:0 ${OP:+-op "$OP"} -record "$out/peers.tar" -limit "${PEERS_LIMIT:-150}" >"$out/peers.log" 2>&1 || status=1
  tail -n 60 "$out/peers.log" | cut -c1-240
}

PEERS_SITE=${PEERS_SITE:+$PEERS_SITE:$PEERS_SITE/nvidia_cutlass_dsl/dsl_packages:} # an installation that is there already
[ $# -gt 0 ] || set -- qualify peers sanitize
for step; do "$step"; done
exit $status
