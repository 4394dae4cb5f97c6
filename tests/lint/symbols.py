"""What each source file of the product defines and uses, read from the objects of a build.

A source is named by its path from the root of the checkout; a generated one by its path from the
root of the build, which looks the same. Tests are left out. A module is a folder.
"""
import json
import pathlib
import re
import subprocess

import tree

PRODUCT = ("sdk", "protos", "traced", "probes", "processor", "tools")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


class Source:
    def __init__(self, name, generated):
        self.name = name
        self.generated = generated
        self.module = name.rpartition("/")[0]
        self.defines = set()
        self.uses = set()


def sources_of(root, build):
    """{name: Source} of every object of the product that is there, {object: Source} beside it."""
    sources, objects = {}, {}
    for row in json.loads((build / "compile_commands.json").read_text()):
        path = (build / row["file"]).resolve()
        generated = build in path.parents
        name = path.relative_to(build if generated else root).as_posix()
        if not row["output"].startswith(tuple(p + "/" for p in PRODUCT)) or name.startswith("tests/"):
            continue
        source = sources.setdefault(name, Source(name, generated))
        objects[row["output"]] = source
    return sources, objects


def load(root, build):
    """{name: Source} with all symbols. Fails when the build is not complete."""
    sources, objects = sources_of(root, build)
    there = [o for o in objects if (build / o).exists()]
    missing = {s.name for s in sources.values()} - {objects[o].name for o in there}
    if missing or not there:
        raise SystemExit(f"not built yet: {', '.join(sorted(missing)[:5]) or 'everything'}; run ninja first")
    out = subprocess.run(["nm", "-A", "-P", *there], cwd=build, capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        where, _, rest = line.partition(": ")
        symbol, kind = rest.split()[:2]
        source = objects[where]
        if kind in "Uvw":
            source.uses.add(symbol)
        elif kind.isupper() or kind == "u":
            source.defines.add(symbol)
    return sources


def arrows(sources):
    """{name: {other: {symbol, ...}}}: which file uses what of which other file."""
    home = homes(sources)
    graph = {name: {} for name in sources}
    for source in sources.values():
        for symbol in source.uses - source.defines:
            among = home.get(symbol, ())
            near = [other for other in among if other.split("/")[0] == source.name.split("/")[0]]
            for other in near or among:
                graph[source.name].setdefault(other, set()).add(symbol)
    return graph


def homes(sources):
    """{symbol: [name, ...]}: where each one is defined."""
    home = {}
    for source in sources.values():
        for symbol in source.defines:
            home.setdefault(symbol, []).append(source.name)
    return home


def includes(root):
    """{module: {module, ...}} by #include, of all files of the product, headers too."""
    modules = {}
    for path in tree.find(root, "*.[ch]", *PRODUCT):
        module = path.relative_to(root).parent.as_posix()
        seen = modules.setdefault(module, set())
        for target in INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")):
            other = target.rpartition("/")[0]
            if other and other != module and (root / target).exists():
                seen.add(other)
    return modules


def groups(graph):
    """Strongly connected groups of two and more, sorted (Tarjan, without recursion)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(graph[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(graph.get(other, ()))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        on_stack.discard(group[-1])
                    if len(group) > 1:
                        found.append(sorted(group))
    return sorted(found, key=lambda g: (-len(g), g))
