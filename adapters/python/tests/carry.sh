#!/usr/bin/env bash
# Puts into a folder all that device.py needs on a GPU machine without Go: the library, the Python files, the examples, the benchmark.
#   adapters/python/tests/carry.sh FOLDER; then there: python3 FOLDER/device.py FOLDER OUT.json
set -eu
to=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../../.."
go build -buildmode=c-shared -trimpath -ldflags='-s -w' -o "$to/liboxide.so" ./adapters/c
rm -f "$to/liboxide.h"
rm -rf "$to/python"
mkdir -p "$to/python/oxideinfer"
cp adapters/python/oxideinfer/*.py "$to/python/oxideinfer/"
cp adapters/python/tests/device.py examples/python/rmsnorm.py "$to/"
link=(-L"$to" -l:liboxide.so '-Wl,-rpath,$ORIGIN' -ldl -lm) # by name: a path would be kept where the library has no SONAME
cc -O2 -Iadapters/c -o "$to/rmsnorm" examples/c/rmsnorm.c "${link[@]}"
cc -O2 -w -Iadapters/c -o "$to/abi" bench/abi.c "${link[@]}"
# The kernel of the overhead benchmark is the one that the plan takes.
OXIDE_LIBRARY=$to/liboxide.so PYTHONPATH=$to/python python3 - <<'PY' >"$to/kernel.txt"
import re
import oxideinfer as ox
values = dict(max_rows=256, hidden=4096, input=4, weight=0, output=0, x_stride=0, y_stride=0, align=16, epsilon=1e-6, weight_offset=0.0,
              rounding=0, output_scale=1.0)
device = ox.device(ox.EMULATED, 0)
text = device.plan_info(device.plan(ox.OPERATORS["rms_norm"], values)).text.decode()
name, block = re.search(r"; (\S+) for sm_90a, block (\d+),", text).groups()
print(name.replace("/", "_"), block)
PY
read -r entry _ <"$to/kernel.txt"
cp "gen/normalization/$entry.sm_90a.cubin" "$to/kernel.cubin"
du -sh "$to"
