"""Unpack from the wheels in WHEELS only what the build needs into DEST.

usage: libtorch-unpack.py {cpu|cuda} WHEELS DEST
"""

import pathlib
import sys
import zipfile

CPU = (
    "torch/include/",
    "torch/lib/libc10.so",
    "torch/lib/libtorch_cpu.so",
    "torch/lib/libgomp-",
    "nvidia/cuda_runtime/lib/",
    "nvidia/cuda_cupti/lib/",
)
CUDA = CPU + ("torch/lib/lib", "nvidia/")
SKIP = ("torch/lib/libtorch_python.so", "torch/lib/libnvfuser_codegen.so")


def main(device, wheels, dest):
    wanted = CUDA if device == "cuda" else CPU
    for wheel in sorted(pathlib.Path(wheels).glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            names = [n for n in archive.namelist() if n.startswith(wanted) and not n.startswith(SKIP)]
            size = sum(archive.getinfo(n).file_size for n in names)
            print(f"  {wheel.name}: {len(names)} files, {size / 1e6:.0f} MB", flush=True)
            for name in names:
                archive.extract(name, dest)  # checks each member's CRC


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("cpu", "cuda"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
