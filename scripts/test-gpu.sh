#!/usr/bin/env bash
# Runs the tests of the rooms that compute on a GPU. Where there is none, or no libraries for it, that is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
export HONE_DEVICE=${HONE_DEVICE:-cuda:0}
fail() { echo "test-gpu: $*" >&2; exit 1; }

case $HONE_DEVICE in
cuda | cuda:*) ;;
*) fail "HONE_DEVICE=$HONE_DEVICE: expected cuda or cuda:N" ;;
esac
[ -e .libtorch/torch/lib/libtorch_cuda.so ] || fail "CUDA's libraries are not in .libtorch: make setup DEVICE=cuda brings them"
compgen -G '/dev/nvidia[0-9]*' >/dev/null || fail "the NVIDIA driver shows no GPU on this machine"

# One package at a time: they share the GPU's memory.
go test -p 1 -count 1 -timeout 60m ./gpu/...
