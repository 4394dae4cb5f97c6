#!/usr/bin/env python3
"""No knots: files, and modules, that cannot be built without each other.

    tests/lint/knots.py ROOT BUILD            # the lint: fails beyond the list in knots.txt
    tests/lint/knots.py ROOT BUILD --print    # each group, what ties it, where to cut first
    tests/lint/knots.py ROOT BUILD --update   # writes knots.txt anew; reasons of known files stay
    tests/lint/knots.py ROOT BUILD --modules    # the modules from the top down, and what each one uses

An arrow goes from a file to another whose function or object it uses, as the linker sees it (nm), or,
between modules, includes. A group is a set of files where every one reaches every other along arrows: none
of them can be understood, tested or replaced alone. Where two files need each other they are one module,
or a small table of callbacks is missing between them. What is left on purpose stands in knots.txt, each
group with its reason; a line there that nothing needs any more fails, too, so the list only shrinks.
"""
import pathlib
import signal
import sys

import symbols

LIST = pathlib.Path(__file__).with_name("knots.txt")
HEAD = """\
# Groups of files, and of modules, that cannot be built without each other, and why each one stays.
# tests/lint/knots.py compares. A group is its reason, then its members, indented.
"""


def read_list(path):
    """[(kind, reason, [pattern, ...])]"""
    entries = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            entries[-1][2].append(line.strip())
        else:
            kind, _, reason = line.partition(": ")
            entries.append((kind, reason, []))
    return entries


def write_list(path, found):
    old = read_list(path)
    out = [HEAD]
    for kind, group in found:
        overlap = [(sum(matches(m, patterns) for m in group), reason) for k, reason, patterns in old if k == kind]
        share, reason = max(overlap, default=(0, ""))
        out.append(f"\n{kind}: {reason if share else 'WHY?'}\n" + "".join(f"    {m}\n" for m in group))
    path.write_text("".join(out), encoding="utf-8")


def matches(member, patterns):
    return member in patterns


def problems_of(found, entries):
    used = set()
    for kind, group in found:
        entry = next((e for e in entries if e[0] == kind and all(matches(m, e[2]) for m in group)), None)
        if not entry:
            yield f"a knot of {len(group)} {kind} that knots.txt does not list: {' '.join(group)}"
            continue
        used |= {(kind, p) for p in entry[2] for m in group if matches(m, [p])}
    for kind, reason, patterns in entries:
        if not reason or reason == "WHY?":
            yield f"knots.txt: {kind} {' '.join(patterns)}: no reason"
        for p in patterns:
            if (kind, p) not in used:
                yield f"knots.txt: {kind} {p}: in no knot any more, take the line out"


def without(graph, members, cut=()):
    """The part of the graph among these members, less the arrows of `cut`."""
    inside = set(members)
    return {a: [b for b in graph[a] if b in inside and (a, b) not in cut] for a in members}


def weight(groups):
    return sum(len(g) ** 2 for g in groups)


def cuts(graph, group):
    """Arrows to cut, greedily: each is the one after which least is tied. Large groups: whole files first."""
    cut, rest = set(), [group]
    while rest and len(cut) < 200:
        best = None
        if len(rest[0]) > 12:  # all uses that one file makes of the others
            candidates = [{(a, b) for b in graph[a] if b in group} - cut for a in rest[0]]
        else:
            candidates = [{(a, b)} for a, bs in without(graph, rest[0], cut).items() for b in bs]
        for edges in candidates:
            left = symbols.groups(without(graph, group, cut | edges))
            score = (weight(left), len(edges))
            if edges and (not best or score < best[0]):
                best = (score, edges, left)
        cut |= best[1]
        rest = best[2]
        yield best[1], rest


def show(graph, kind, group):
    print(f"{len(group)} {kind} in one knot:")
    for a in group:
        for b in sorted(set(graph[a]) & set(group)):
            names = sorted(graph[a][b])
            print(f"    {a} -> {b}: {' '.join(names[:6])}{f' and {len(names) - 6} more' if len(names) > 6 else ''}")
    print("  to cut, the best first:")
    for edges, rest in cuts(graph, group):
        where = {a for a, _ in edges}
        left = "then free" if not rest else f"then {' + '.join(str(len(g)) for g in rest)} are tied"
        if len(edges) == 1:
            (a, b), = edges
            print(f"    {a} -> {b} ({' '.join(sorted(graph[a][b])[:4])}): {left}")
        else:
            print(f"    {' '.join(where)} -> {len(edges)} others: {left}")
    print()


def module_graph(sources, graph, root):
    """{module: {module: {symbol or "#include", ...}}}"""
    modules = {s.module: {} for s in sources.values()}
    for name, others in graph.items():
        for other, names in others.items():
            a, b = sources[name].module, sources[other].module
            if a != b:
                modules[a].setdefault(b, set()).update(names)
    for a, others in symbols.includes(root).items():
        for b in others:
            modules.setdefault(a, {}).setdefault(b, set()).add("#include")
            modules.setdefault(b, {})
    return modules


def show_modules(modules):
    """From the top down: a module stands above all that it uses."""
    tied = {r: tuple(g) for g in symbols.groups(modules) for r in g}
    level = {}

    def depth(module, path=()):
        if module not in level:
            members = tied.get(module, (module,))
            below = {o for m in members for o in modules[m] if o not in members}
            level.update({m: 0 for m in members})
            floor = 1 + max((depth(o) for o in below), default=-1)
            level.update({m: floor for m in members})
        return level[module]

    for module in sorted(modules, key=lambda r: (-depth(r), r)):
        mark = f"  (in a knot with {' '.join(r for r in tied[module] if r != module)})" if module in tied else ""
        print(f"{level[module]:2} {module} -> {' '.join(sorted(modules[module])) or '-'}{mark}")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `--print | head`
    root, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    mode = sys.argv[3] if len(sys.argv) > 3 else ""
    sources = symbols.load(root, build)
    graph = symbols.arrows(sources)
    modules = module_graph(sources, graph, root)
    found = [("files", g) for g in symbols.groups(graph)] + [("modules", g) for g in symbols.groups(modules)]
    if mode == "--print":
        for kind, group in found:
            show(graph if kind == "files" else modules, kind, group)
    elif mode == "--modules":
        show_modules(modules)
    elif mode == "--update":
        write_list(LIST, found)
    elif mode:
        sys.exit(__doc__)
    tied = sum(len(g) for kind, g in found if kind == "files")
    problems = [] if mode else list(problems_of(found, read_list(LIST)))
    for p in problems:
        print(p)
    print(f"{len(sources)} files, {tied} of them in knots; {len(modules)} modules; {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
