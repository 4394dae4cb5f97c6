#!/usr/bin/env python3
"""The ABI of liborma is what sdk/liborma.abi says.

    tests/lint/abi.py ROOT BUILD            # the lint
    tests/lint/abi.py ROOT BUILD --update   # writes the list anew; docs/sdk.md, section 12, says when

The list has what programs depend on that were compiled before: the exported symbols with their versions,
the layout of each public struct, and the value of each public constant. Layouts come from a program that is
compiled against the public headers here and now, so that what the compiler does is compared, not what a
header seems to say.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

LIST = "sdk/liborma.abi"
HEAD = """\
# What programs compiled against liborma depend on. tests/lint/abi.py compares; docs/sdk.md, section 12, has the rules:
# lines may be added (then `tests/lint/abi.py . BUILD --update`), none may change or go under the same soversion.
"""
# The last member of these tells callers apart by their size: they may grow at the end.
GROWS = "struct_size"


def run(*argv, **more):
    return subprocess.run([str(a) for a in argv], capture_output=True, text=True, check=True, **more).stdout


def symbols(library):
    """One line a symbol: 'symbol NAME VERSION function', or 'object'."""
    lines = []
    for line in run("nm", "-D", "--defined-only", library).splitlines():
        words = line.split()
        name, _, version = words[-1].partition("@@")
        if words[-2] == "A":  # the version itself
            continue
        lines.append(f"symbol {name} {version} {'function' if words[-2] == 'T' else 'object'}")
    return sorted(lines)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def members(body):
    """Names of what the body of a struct declares; it has no struct within."""
    for decl in body.split(";"):
        if "(" in decl:
            yield re.search(r"\(\s*\*\s*(\w+)\s*\)", decl).group(1)
        elif decl.strip():
            for part in decl.split(","):
                yield re.search(r"(\w+)\s*(?:\[\w*\])*\s*$", part).group(1)


def questions(headers):
    """Statements that print one line each."""
    for path in headers:
        text = without_comments(path.read_text(encoding="utf-8"))
        for name, body in re.findall(r"^struct (\w+)\s*\{(.*?)^\};", text, re.M | re.S):
            yield f'printf("struct {name} size %zu align %zu\\n", sizeof(struct {name}), _Alignof(struct {name}));'
            for m in members(body):
                yield (f'printf("struct {name}.{m} at %zu size %zu\\n", offsetof(struct {name}, {m}), '
                       f'sizeof(((struct {name} *)0)->{m}));')
        for body in re.findall(r"^enum \w+\s*\{(.*?)\};", text, re.M | re.S):
            for value in re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", body.strip()):
                yield f'printf("constant {value} %lld\\n", (long long){value});'


def layouts(root, compiler):
    headers = sorted((root / "sdk/include/orma").glob("*.h"))
    body = "\n    ".join(questions(headers))
    with tempfile.TemporaryDirectory(prefix="orma-abi-") as folder:
        source, program = pathlib.Path(folder, "abi.c"), pathlib.Path(folder, "abi")
        source.write_text("".join(f"#include <orma/{h.name}>\n" for h in headers) + "#include <stdio.h>\n\n"
                          f"int main(void)\n{{\n    {body}\n    return 0;\n}}\n", encoding="utf-8")
        run(*compiler, "-std=c11", "-DORMA_DISABLE_TRACING", f"-I{root / 'sdk/include'}", source, "-o", program)
        return run(program).splitlines()


def problems_of(was, now):
    """Both lists of lines. Sizes of structs that begin with their size may only rise."""
    growing = {m.group(1) for line in was if (m := re.match(rf"struct (\w+)\.{GROWS} ", line))}
    key = re.compile(r"(symbol \w+|constant \w+|struct \w+(?:\.\w+)?) (.*)")
    old, new = ({m.group(1): m.group(2) for line in lines if (m := key.match(line))} for lines in (was, now))
    for name, value in old.items():
        if name not in new:
            yield f"{name} is gone: programs that were compiled with it break"
        elif new[name] != value and name.removeprefix("struct ") in growing and size_of(new[name]) > size_of(value):
            yield f"{name} has grown to {new[name]}: run tests/lint/abi.py . BUILD --update"
        elif new[name] != value:
            yield f"{name} was '{value}', is '{new[name]}': programs that were compiled before break"
    for name in new.keys() - old.keys():
        yield f"{name} is new: run tests/lint/abi.py . BUILD --update, and say so in CHANGELOG.md"


def size_of(value):
    return int(value.split()[1])


def main():
    root, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    library = next(iter(sorted((build / "sdk").glob("liborma.so.*.*.*"))), None)
    if not library:
        sys.exit("liborma was not built")
    compiler = shlex.split(os.environ.get("CC", "cc"))
    now = symbols(library) + layouts(root, compiler)
    if "--update" in sys.argv[3:]:
        (root / LIST).write_text(HEAD + "".join(f"{line}\n" for line in now), encoding="utf-8")
    if sys.maxsize >> 32 == 0:
        print("the list has the sizes of 64 bits")
        sys.exit(77)
    problems = sorted(problems_of((root / LIST).read_text(encoding="utf-8").splitlines(), now))
    for p in problems:
        print(f"{LIST}: {p}")
    print(f"{len(now)} lines, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
