"""Turn go test's output of comparisons, from standard input, into a table, line by line as it comes."""

import os
import pathlib
import re
import sys


def machine():
    info = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*: (.*)", info)
    flags = re.search(r"flags\s*: (.*)", info)
    vector = next((v for v in ("avx512f", "avx2", "avx") if flags and v in flags[1].split()), "no avx")
    return f"{name[1] if name else 'unknown processor'}, {os.cpu_count()} cores, {vector}, load {os.getloadavg()[0]:.1f}"


def short(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def title(name):
    return re.sub(r"^BenchmarkPython/?|-[0-9]+$", "", name)


def memory(package, line):
    """The table's row of a line of sizes: ours and the others', in MB."""
    name, _, *fields = line.split()
    sizes = {k.removesuffix("-MB"): short(float(v)) for v, k in zip(fields[::2], fields[1::2]) if k.endswith("-MB")}
    others = ", ".join(f"{k} {v} MB" for k, v in sizes.items() if k != "ours")
    return f"{package} {title(name)}", f"{sizes['ours']} MB", others


def rows(package, line):
    """The table's rows of a benchmark's line: one for each peer."""
    name, rounds, *fields = line.split()
    figures = dict(zip(fields[1::2], map(float, fields[::2])))
    what = f"{package} {title(name)}"
    unit = next((k.removeprefix("ours-") for k in figures if k.startswith("ours-")), None)
    for peer in (k.removesuffix("-ratio") for k in figures if k.endswith("-ratio")):
        ratio, least, most, cpu = (short(figures[f"{peer}-ratio{end}"]) for end in ("", "-least", "-most", "-cpu"))
        yield what, f"{short(figures['ours-' + unit])} {unit}", f"{peer} {short(figures[f'{peer}-{unit}'])} {unit}", (
            f"{ratio} ({least} to {most})"
        ), cpu, rounds


def show(*cells):
    print("{:<26} {:<20} {:<38} {:<24} {:<10} {}".format(*cells), flush=True)


def main():
    print(f"machine: {machine()}")
    show("what", "ours", "Python", "ratio (least to most)", "CPU ratio", "rounds")
    package = failed = ""
    for line in sys.stdin:
        if line.startswith("pkg: "):
            package = line.strip().rsplit("/", 1)[1]
        elif line.startswith("Benchmark") and "-ratio" in line:
            for row in rows(package, line):
                show(*row)
        elif line.startswith("Benchmark") and "-MB" in line:
            show(*memory(package, line), "", "", "")
        elif line.startswith(("---", "FAIL", "    ")):
            failed = "bench: go test failed; see .hone/bench.txt"
            print(line, end="")
    print(f"machine: {machine()}")
    sys.exit(failed or None)


if __name__ == "__main__":
    main()
