#!/usr/bin/env python3
"""Writes a source file in which every kernel chooses its instruction set when it is called.

    tools/kernels.py SOURCE OUT
    tools/kernels.py --check    every kernel of the tree can be written so

GCC compiles a function marked SN_KERNEL twice, and the loader of glibc picks one. Clang refuses vector types in such
functions, and musl, Windows and macOS have no loader that picks. For them the build compiles what this writes: the body
as an inlined function, two functions around it, one of them for AVX2, and the kernel itself, which calls one of the two.
"""

import pathlib
import re
import sys

KERNEL = re.compile(r"^SN_KERNEL\s(static )?([\w* ]+?[ *])(\w+)\(([^{;]*)\)\s*([{;])", re.M)


def argument(parameter):
    """The name in a parameter such as `double* const side[4]` or `double (*row)[8]`."""
    found = re.search(r"(?:\(\*\s*(\w+)\)|(\w+))\s*(\[[^]]*\])*$", parameter.strip())
    return found.group(1) or found.group(2)


def versions(match, line, path):
    static, result, name, parameters, end = match.groups()
    static = static or ""
    result = result.strip()
    if end == ";":
        return f"{static}{result} {name}({parameters});"
    names = "" if parameters.strip() == "void" else ", ".join(argument(p) for p in parameters.split(","))
    give = "" if result == "void" else "return "
    otherwise = "else " if result == "void" else ""
    return f"""SN_INLINE {result} {name}_body({parameters});
static SN_FOR_AVX2 {result} {name}_avx2({parameters}) {{ {give}{name}_body({names}); }}
static SN_FOR_BASELINE {result} {name}_baseline({parameters}) {{ {give}{name}_body({names}); }}
{static}{result} {name}({parameters}) {{
  if (processor_avx2) {give}{name}_avx2({names});
  {otherwise}{give}{name}_baseline({names});
}}
#line {line} "{path}"
SN_INLINE {result} {name}_body({parameters}) {{"""


def rewritten(source):
    text = source.read_text()
    written, last = [f'#line 1 "{source}"\n'], 0
    for match in KERNEL.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        written += [text[last : match.start()], versions(match, line, source)]
        last = match.end()
    written.append(text[last:])
    marks = len(re.findall(r"^SN_KERNEL\b", text, re.M))
    if marks != (len(written) - 2) // 2:
        sys.exit(f"{source}: a function behind SN_KERNEL is not understood")
    return "".join(written)


def main():
    if sys.argv[1:] == ["--check"]:
        sources = sorted(pathlib.Path(__file__).parents[1].glob("src/*/*.c"))
        print(f"{sum(rewritten(source).count('_avx2(') > 0 for source in sources)} files have kernels, all understood")
        return
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(rewritten(source))


if __name__ == "__main__":
    main()
