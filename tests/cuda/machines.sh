#!/bin/sh
# Three workloads, smallest size, on every shipped machine: a sample of tests/machines.sh.
#   B=build sh tests/cuda/machines.sh
cd "$(dirname "$0")/../.." || exit 1
SIZE=test exec tests/machines.sh AES HG MM
