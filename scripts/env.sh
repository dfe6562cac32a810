# The one place of the build's flags. Sourced by make, CI and people: . scripts/env.sh
#
# Headers and libraries are named by search paths that Go's build cache does not look at, so that clones in
# different folders share one compilation of gotch (minutes). Only what is the same everywhere stands in CGO_*.
_root=$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")/.." && pwd)
_torch=$_root/.libtorch
export CGO_CXXFLAGS="-O1 -g0 -D_GLIBCXX_USE_CXX11_ABI=0"
export CGO_LDFLAGS="-Wl,--disable-new-dtags -Wl,-rpath,\$ORIGIN/../.libtorch/torch/lib"
export CPLUS_INCLUDE_PATH="$_torch/torch/include:$_torch/torch/include/torch/csrc/api/include"
export LIBRARY_PATH="$_torch/stubs:$_torch/torch/lib:$_torch/nvidia/cuda_runtime/lib:$_torch/nvidia/cuda_cupti/lib"
# Test programs are linked elsewhere, where $ORIGIN does not lead here.
export LD_LIBRARY_PATH="$_torch/torch/lib:$_torch/nvidia/cuda_runtime/lib:$_torch/nvidia/cuda_cupti/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# OpenMP waits by spinning unless told otherwise before the library loads.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-PASSIVE}
unset _root _torch
