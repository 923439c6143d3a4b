#!/bin/sh
# The Python module: its own tests, the examples of docs/use/python.md and of the package, the wheel in a clean folder.
# Status 77 where Python's NumPy or cffi is not installed.
cd "$(dirname "$0")/../.." || exit 1
B=$(realpath "${B:-build}") dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python=/usr/bin/python3
"$python" -c 'import numpy, cffi' 2>"$dir/log" || { echo "skipped: no python3 with numpy and cffi"; exit 77; }
# of the instruction sets that the build has, so that it is not built anew
sets=$(cat "$B/gen/exec_sets")
[ "$sets" != baseline ] || sets=
make -s B="$B" EXEC_SETS="$sets" python >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
export HEDDLE_LIBRARY="$(ls "$B"/libheddle.so.*.*)" PYTHONPATH=$PWD/python:$PWD/tests/python PYTHONDONTWRITEBYTECODE=1 tree=$PWD
[ -x "$B/heddle" ] || { echo "no $B/heddle"; exit 1; }
cd tests/python || exit 1
"$python" -m unittest -q test_heddle test_capture 2>"$dir/log" || { cat "$dir/log"; exit 1; }
cd "$tree/bench" || exit 1
"$python" -m doctest "$tree/docs/use/python.md" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
"$python" -c 'import doctest, heddle, sys; sys.exit(doctest.testmod(heddle).failed)' >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }

# The wheel, unpacked as pip does it, works without the tree.
"$python" -c 'import setuptools, wheel' 2>/dev/null || { echo "skipped: no setuptools and wheel"; exit 77; }
cd "$tree" && make -s B="$B" EXEC_SETS="$sets" WHEEL_DIR="$dir/dist" wheel >"$dir/log" 2>&1 || { tail -n 20 "$dir/log"; exit 1; }
unset HEDDLE_LIBRARY
cd "$dir" && "$python" -m zipfile -e dist/heddle-*-py3-none-*.whl site && chmod +x site/heddle/installed/bin/heddle
cat >try.py <<'END'
import heddle, numpy as np
gpu = heddle.Gpu(machine="a100", options={"gpu.sms": 2})
twice = gpu.load("__global__ void twice(int *p) { p[threadIdx.x] *= 2; }")["twice"]
x = gpu.array(np.arange(32, dtype=np.int32))
assert twice(1, 32, [x]).cycles > 0 and (x == 2 * np.arange(32)).all()
assert "/site/heddle/" in heddle._library.path, heddle._library.path
END
PYTHONPATH=$dir/site "$python" try.py >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
