#!/usr/bin/env bash
# Brings libtorch 2.1.0 into .libtorch (ignored by git): wheels by pip under pinned hashes, of which only
# the parts that compiling and running need are kept. Running it again does nothing; an interrupted run
# leaves no half-made folder, for the last step is one rename. DEVICE=cuda adds the CUDA libraries.
set -euo pipefail
cd "$(dirname "$0")/.."

device=${DEVICE:-cpu}
case $device in
cpu) pins=scripts/libtorch-cpu.txt ;;
cuda) pins=scripts/libtorch-cuda.txt ;;
*) echo "setup: DEVICE=$device: expected cpu or cuda" >&2; exit 2 ;;
esac

# The stamp has a line for each device that the folder serves: what CUDA needs includes what a CPU needs.
line() { echo "$1 $(cat "scripts/libtorch-$1.txt" scripts/libtorch-unpack.py | sha256sum | cut -d' ' -f1)"; }
if [ -f .libtorch/stamp ] && grep -qxF "$(line "$device")" .libtorch/stamp; then
    echo "setup: libtorch 2.1.0 for $device is in place"
    exit 0
fi

arch=$(uname -sm)
if [ "$arch" != "Linux x86_64" ]; then
    echo "setup: $arch: the torch 2.1.0 wheel is for Linux x86_64" >&2
    exit 1
fi

work=.libtorch.new
rm -rf "$work"
mkdir -p "$work/wheels"
trap 'rm -rf "$work"' EXIT

echo "setup: downloading libtorch 2.1.0 for $device (cpu: 685 MB, cuda: 2.3 GB)"
python3 -m pip download --quiet --progress-bar on --no-deps --require-hashes --only-binary=:all: \
    --python-version 3.11 --implementation cp --abi cp311 --abi none \
    --platform manylinux1_x86_64 --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 \
    --dest "$work/wheels" -r "$pins"

echo "setup: unpacking"
python3 scripts/libtorch-unpack.py "$device" "$work/wheels" "$work/tree"

# gotch's link line names libraries that the program does not use: it opens CUDA's itself, at start, where a
# device is. An empty linker script satisfies -lNAME and adds nothing.
mkdir "$work/tree/stubs"
for name in torch torch_cuda c10_cuda caffe2_nvrtc cuda cudart cublas cudnn nvrtc nvrtc-builtins nvToolsExt; do
    echo '/* none */' >"$work/tree/stubs/lib$name.so"
done

line cpu >"$work/tree/stamp"
if [ "$device" = cuda ]; then line cuda >>"$work/tree/stamp"; fi
rm -rf .libtorch
mv "$work/tree" .libtorch
echo "setup: libtorch 2.1.0 ($device) is in .libtorch"
