"""Make the torch of a site-packages folder load without CUDA's libraries.

usage: dev-torch.py SITE_PACKAGES

For Linux the registry's torch is the CUDA build. Its Python part is linked against libtorch_cuda.so, which needs
2.5 GB of further libraries, though computing on a CPU calls nothing in them. So that library makes way for a small
one that defines the names it is asked for: functions that end the process with a message, tables, type infos.
Needs readelf and a C compiler, as building Hone does. Running it again does nothing.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

PYTHON = "libtorch_python.so"
KEPT = ("libtorch_cpu.so", "libc10.so", "libc10_cuda.so", "libshm.so", "libtorch.so")
LEFT_OUT = ("libtorch_cuda.so", "libtorch_nvshmem.so", "libtorch_cuda_linalg.so")

# Called at load: they return the place of a variable that the Python part sets.
CELLS = ("_ZN4c10d15get_gil_checkerEv",)

HEAD = """
#include <stdio.h>
#include <stdlib.h>
extern char class_type_info[] __asm__("_ZTVN10__cxxabiv117__class_type_infoE");
static void refuse(const char *name) {
    fprintf(stderr, "torch: %s was called, but CUDA is left out here (made by dev-torch.py)\\n", name);
    abort();
}
"""


def symbols(library):
    """Map each dynamic symbol, with its version, to its type, whether it is defined, and its size in bytes."""
    out = subprocess.run(["readelf", "--wide", "--dyn-syms", library], check=True, capture_output=True, text=True)
    found = {}
    for line in out.stdout.splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0].rstrip(":").isdigit():
            found[fields[7]] = fields[3], fields[6] != "UND", int(fields[2], 0)
    return found


def body(name, kind, size):
    """C for one symbol. Type infos are read when classes are registered; other tables are not."""
    if name.startswith("_ZTI"):
        return f'struct {{ void *table; const char *name; }} {name} = {{class_type_info + 16, "{name[4:]}"}};\n'
    if kind == "OBJECT":
        return f"char {name}[{size}] __attribute__((aligned(16)));\n"
    if name in CELLS:
        return f"static long {name}_cell[8]; void *{name}(void) {{ return {name}_cell; }}\n"
    return f'void {name}(void) {{ refuse("{name}"); }}\n'


def build(path, name, parts, version=None):
    with tempfile.TemporaryDirectory() as tmp:
        source, script = pathlib.Path(tmp, "stub.c"), pathlib.Path(tmp, "versions")
        source.write_text(HEAD + "".join(parts))
        command = ["cc", "-shared", "-fPIC", "-fno-builtin", "-w", f"-Wl,-soname,{name}", "-o", path, source]
        if version:
            script.write_text(version + " { global: *; };\n")
            command.append(f"-Wl,--version-script={script}")
        subprocess.run(command, check=True)


def main(site):
    torch = pathlib.Path(site, "torch")
    lib = torch / "lib"
    if not (lib / "libtorch_cuda.so").exists() or (lib / "libtorch_cuda.so").stat().st_size < 1 << 20:
        return  # a build without CUDA, or done before
    wanted = {name for name, (_, defined, _) in symbols(lib / PYTHON).items() if not defined}
    cuda = {}
    for name in LEFT_OUT:
        if (lib / name).exists():
            cuda.update({n: (kind, size) for n, (kind, defined, size) in symbols(lib / name).items() if defined})
    for name in KEPT:
        wanted -= {symbol for symbol, (_, defined, _) in symbols(lib / name).items() if defined}
    needed = subprocess.run(["readelf", "-d", lib / PYTHON], check=True, capture_output=True, text=True).stdout
    for name in re.findall(r"NEEDED.*\[(lib(?:cudnn|cufile)\.so\.\d+)\]", needed):
        prefix = {"libcudnn": "cudnn", "libcufile": "cuFile"}[name.split(".")[0]]
        own = sorted(w for w in wanted if w.startswith(prefix))
        version = name if any("@" in w for w in own) else None
        build(lib / name, name, [body(w.split("@")[0], "FUNC", 0) for w in own], version)
    new = lib / "libtorch_cuda.so.new"
    build(new, LEFT_OUT[0], [body(w, *cuda[w]) for w in sorted(wanted) if w in cuda])
    new.replace(lib / LEFT_OUT[0])  # after all that an interrupted run has to do again
    for path in [lib / name for name in LEFT_OUT[1:]] + [torch / "bin" / "ptxas"]:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
