#!/usr/bin/env python3
"""The SDK as two files, orma.h and orma.c, for programs that would rather copy than link.

    amalgamate.py SOURCE_ROOT OUT_DIR

orma.h is the public headers; orma.c is everything else that the SDK needs, in one translation unit.
Names that several source files have for themselves get the file's (`drop` of writer.c becomes
`writer_c_drop`); a file's macros end with it; comments stay behind, and what nobody uses.
Fields are named by their numbers.
"""
import collections
import pathlib
import re
import sys

PUBLIC = ["api", "packet", "data_source", "recording", "tracing", "track_event"]
# In this order; internal headers come before the first file that includes them.
SOURCES = [
    "sdk/base/mem.c", "sdk/base/buf.c", "sdk/base/clock.c", "sdk/base/fd.c", "sdk/base/standard.c", "sdk/base/fork.c",
    "sdk/base/map.c", "sdk/base/replace.c", "sdk/base/str.c",
    "sdk/wire/pb_reader.c", "sdk/wire/pb_writer.c", "sdk/shm/layout.c",
    "sdk/ipc/frame.c", "sdk/ipc/sock.c", "sdk/ipc/stream.c", "sdk/ipc/client.c",
    "sdk/events/tsc.c", "sdk/transport/pool.c", "sdk/transport/writer.c", "sdk/sources/packet.c",
    "sdk/transport/commit.c", "sdk/transport/producer_link.c", "sdk/transport/commands.c",
    "sdk/transport/producer.c", "sdk/transport/thread.c", "sdk/transport/reassembly.c", "sdk/transport/pool_drain.c",
    "sdk/events/te_config.c", "sdk/events/te_track.c", "sdk/events/te_state.c",
    "sdk/events/te_category.c", "sdk/events/te_encode.c", "sdk/events/te_session.c",
    "sdk/events/te_source.c", "sdk/events/track_event.c",
    "sdk/sources/ds.c", "sdk/sources/ds_source.c", "sdk/recording/recording.c",
    "sdk/tracing/startup.c", "sdk/tracing/tracing.c",
]
# Those that run when something begins or ends: small matters more than fast.
COLD = {"frame", "sock", "stream", "client", "commands", "producer", "thread", "te_category",
        "te_config", "te_track", "te_session", "te_source", "ds_source", "recording", "startup", "fork",
        "tracing", "commit", "pool_drain", "reassembly", "producer_link"}
# For clang alone, which makes them half as large again at -O2: gcc's own pragma is meant for debugging, says its manual,
# and what it costs there (a quarter of the text) is a matter of the program's flags.
COLD_BEGIN = """#ifdef __clang__
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif
"""
COLD_END = """#ifdef __clang__
#pragma clang attribute pop
#endif
"""
LINE_MAX = 160
TOKEN = re.compile(r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<ident>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<space>\s+)
  | (?P<punct>->|.)
""", re.S | re.X)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"][^\n]*\n', re.M)
NOT_NAMES = {"__attribute__", "__extension__", "_Atomic", "ORMA_AUTO", "_Alignas"}


def fail(text):
    sys.exit(f"amalgamate.py: {text}")


def tokens(text):
    """(kind, text) pairs; comments are a space."""
    out = []
    for m in TOKEN.finditer(text):
        out.append(("space", " ") if m.lastgroup == "comment" else (m.lastgroup, m.group()))
    return out


def plain(toks):
    return [t for t in toks if t[0] != "space"]


def without_directives(text):
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.M)


def declarations(text):
    """The declarations at file scope, as lists of (text, depth of braces)."""
    depth, paren, now = 0, 0, []
    for kind, t in plain(tokens(without_directives(text))):
        if kind == "punct" and t in "{}":
            depth += 1 if t == "{" else -1
        if kind == "punct" and t in "()":
            paren += 1 if t == "(" else -1
        now.append((kind, t, depth))
        is_body = t == "}" and depth == 0 and paren == 0 and is_function(now)
        if (t == ";" and depth == 0 and paren == 0) or is_body:
            yield now
            now = []


def is_function(decl):
    """Ends with the body of a function, rather than with an initializer or a struct."""
    before = [t for _, t, depth in decl if depth == 0 and t not in "{}"]
    return ")" in before and "=" not in before and before[-1] != "="


def outer(decl):
    """Its tokens outside of braces, and without the groups after words that are no names."""
    out, skip, at_brace = [], 0, False
    for kind, t, depth in decl:
        if depth or t == "}":
            at_brace = True
            continue
        if skip or (t == "(" and out and out[-1][1] in NOT_NAMES):
            if not skip:
                out.pop()
            skip += {"(": 1, ")": -1}.get(t, 0)
            continue
        out.append((kind, t))
    return out


def name_of(decl):
    """What a static declaration declares."""
    toks = outer(decl)
    for i, (kind, t) in enumerate(toks):
        after = toks[i + 1][1] if i + 1 < len(toks) else ""
        if after == "(" and toks[i + 2][1] == "*":
            return toks[i + 3][1]
        if kind == "ident" and t not in NOT_NAMES and after in ("(", "=", "[", ";", ","):
            return t
    return None


def file_names(text):
    """Identifiers and tags that a source file declares for itself."""
    idents, tags = set(), set()
    for decl in declarations(text):
        words = [t for _, t, _ in decl]
        if words[0] == "static":
            name = name_of(decl)
            if not name:
                fail("what does this declare? " + " ".join(words[:12]))
            idents.add(name)
        elif words[0] == "typedef":
            idents.add([t for k, t, d in decl if k == "ident" and d == 0][-1])
        for i, (_, t, depth) in enumerate(decl[:-2]):
            if t in ("struct", "union", "enum") and decl[i + 2][1] in ("{", ";") and depth == 0:
                tags.add(decl[i + 1][1])
        for i, (_, t, depth) in enumerate(decl):
            if t == "enum" and depth == 0:
                at = next((j for j in range(i, min(i + 3, len(decl))) if decl[j][1] == "{"), None)
                for j in range(at or 0, len(decl) if at else 0):
                    if decl[j][1] in "{," and decl[j][2] == 1 and decl[j + 1][0] == "ident":
                        idents.add(decl[j + 1][1])
                    if decl[j][1] == "}" and decl[j][2] == 0:
                        break
    return ({n for n in idents if not n.lower().startswith("orma_")},
            {n for n in tags if not n.startswith("orma_")})


def renamed(text, module, idents, tags):
    """The text with its own names made unique, and without comments."""
    out, before, stack = [], "", []
    brackets = 0
    pending = False  # a struct's or union's brace may follow
    for kind, t in tokens(text):
        if kind == "space":
            out.append(t)
            continue
        if t in ("struct", "union"):
            pending = True
        elif kind == "punct" and t == "{":
            stack.append(pending)
            pending = False
        elif kind == "punct" and t == "}":
            stack and stack.pop()
        elif kind == "punct" and t != "{":
            pending = False
        if t == "[":
            brackets += 1
        elif t == "]":
            brackets -= 1
        in_struct = bool(stack and stack[-1]) and not brackets
        new = t
        if kind == "ident" and before in ("struct", "union", "enum"):
            if t in tags:
                new = f"{module}_c_{t}"
        elif kind == "ident" and t in idents and before not in (".", "->") and not in_struct:
            new = f"{module}_c_{t}"
        out.append(new)
        before = t
    return "".join(out)


def tidy(text):
    """Indented by tabs, and no space that only serves the eye: it is to be small."""
    text = re.sub(r"[ \t]+\\\n", r" \\\n", text)
    text = re.sub(r"^(?: {4})+", lambda m: "\t" * (len(m.group()) // 4), text, flags=re.M)
    text = re.sub(r"[ \t]+\n", "\n", text)
    depth, lines = 0, []
    for line in text.split("\n"):
        bare = line.lstrip()
        if not bare.startswith(("#", "*")) and not line.endswith("\\") and bare != line:
            line = "\t" * min(len(line) - len(line.lstrip("\t")), depth + 1) + bare
        code = re.sub(r"'.'|\"(?:\\.|[^\"])*\"|/\*.*?\*/", "", bare)
        depth += code.count("{") - code.count("}")
        lines.append(line)
    text = "\n".join(lines)
    return re.sub(r"\n{2,}", "\n\n", text).strip("\n") + "\n"


def joined(text):
    """With statements that went on in the next line on one line, as long as that is not too long."""
    lines = []
    for line in text.split("\n"):
        last = lines[-1] if lines else ""
        if (last and line and not re.search(r"([;{}:\\]|\*/)$", last) and "#" not in (last.lstrip()[:1],
                line.lstrip()[:1]) and not line.lstrip().startswith("/*") and
                len(last) + len(line.lstrip()) < LINE_MAX):
            lines[-1] = f"{last} {line.lstrip()}"
        else:
            lines.append(line)
    return "\n".join(lines)


def without_asserts(text):
    """As a release has it. Only hot ones: the SDK has no others, since it never aborts its host."""
    out, at = [], 0
    for m in re.finditer(r"^[ \t]*ORMA_ASSERT_HOT\(", text, re.M):
        out.append(text[at:m.start()])
        end, depth = m.end(), 1
        while depth:
            t = TOKEN.match(text, end)
            depth += {"(": 1, ")": -1}.get(t.group(), 0)
            end = t.end()
        at = end + len(";\n")
    return "".join(out) + text[at:]


def without_guard(text):
    text = re.sub(r"^#ifndef (ORMA_\w+_H)\n#define \1\n", "", text, count=1, flags=re.M)
    return re.sub(r"\n#endif\s*$", "\n", text.rstrip() + "\n")


DIRECTIVE = re.compile(r"[ \t]*#(?:[^\n\\]|\\.|\\\n)*\n", re.S)
# Not what stands behind `struct`.
WORD = re.compile(r"(?<!struct )\b[A-Za-z_]\w*")
AUTO = re.compile(r"ORMA_DEFINE_AUTO\([^)]*?(\w+)\)\n?")


def items(text):
    """The text in pieces: directives, and declarations with what stands around them."""
    at, begin, depth, paren, now = 0, 0, 0, 0, []
    while at < len(text):
        if not now and (m := DIRECTIVE.match(text, at) or AUTO.match(text, at)):
            yield text[begin:m.end()]
            at = begin = m.end()
            continue
        if (m := DIRECTIVE.match(text, at)) and text[at - 1] == "\n":
            at = m.end()
            continue
        m = TOKEN.match(text, at)
        kind, t = m.lastgroup, m.group()
        at = m.end()
        if kind in ("space", "comment"):
            # By lines, so that a directive at a line's begin is seen.
            at = m.start() + t.index("\n") + 1 if "\n" in t else at
            continue
        if kind == "punct" and t in "{}":
            depth += 1 if t == "{" else -1
        if kind == "punct" and t in "()":
            paren += 1 if t == "(" else -1
        now.append((kind, t, depth))
        if depth or paren:
            continue
        if t == ";" or (t == "}" and is_function(now)):
            yield text[begin:at]
            begin, now = at, []
    yield text[begin:]


def function_name(item):
    """Of a function that the item declares or defines; else None."""
    decl = [(k, t, 0) for k, t in plain(tokens(without_directives(item)))]
    words = [t for _, t, _ in decl]
    if not words or words[0] in ("typedef", "struct", "enum", "union", "extern") and \
            "(" not in words:
        return None
    head = words[:words.index("{")] if "{" in words else words
    if "(" not in head or "=" in head:
        return None
    toks = outer([d for d in decl[:len(head)]])
    for i, (kind, t) in enumerate(toks[:-1]):
        if kind == "ident" and toks[i + 1][1] == "(":
            return None if toks[i + 2][1] == "*" else t
    return None


def variable_name(item):
    """Of a static variable that the item declares; else None."""
    decls = list(declarations(item))
    if len(decls) != 1 or decls[0][0][1] != "static" or decls[0][-1][1] != ";":
        return None
    return name_of(decls[0])


def prune(text, roots):
    """Without functions that nobody calls and variables that nobody uses; functions that are left are static."""
    pieces = list(items(text))
    pieces = [p for p in pieces if not (m := AUTO.match(p.lstrip())) or
              text.count(m.group(1) + "_p") > 0]
    names = [None if p.lstrip().startswith("#") or AUTO.match(p.lstrip()) else
             function_name(p) or variable_name(p) for p in pieces]
    uses, known = {}, {n for n in names if n}
    todo = set(roots)
    for piece, name in zip(pieces, names):
        idents = set(WORD.findall(piece)) & known
        if name:
            uses.setdefault(name, set()).update(idents - {name})
        else:
            todo |= idents
    reached = set()
    while todo:
        name = todo.pop()
        reached.add(name)
        todo |= uses.get(name, set()) - reached
    return "".join(piece if not name or name in roots else as_static(piece)
                   for piece, name in zip(pieces, names) if not name or name in reached)


def without_unused(text):
    """Without macros and enums that nothing speaks of; one may have been the last to speak of another."""
    while True:
        pieces = list(items(text))
        words = [collections.Counter(re.findall(r"[A-Za-z_]\w*", p)) for p in pieces]
        total = sum(words, collections.Counter())
        kept = []
        for piece, own in zip(pieces, words):
            m = re.match(r"\s*#[ \t]*define[ \t]+(\w+)", piece)
            if m:
                names = [m.group(1)]
            elif re.match(r"\s*(?:/\*.*?\*/\s*)?enum\b[^;(]*\{[^;]*\};\s*$", piece, re.S):
                names = [t for t in re.findall(r"[A-Za-z_]\w*", piece) if t != "enum"]
            else:
                names = []
            if not names or any(total[n] > own[n] for n in names):
                kept.append(piece)
        if len(kept) == len(pieces):
            return text
        text = "".join(kept)


def as_static(piece):
    """The function or variable, seen in this file only."""
    begin = next(m.start() for m in TOKEN.finditer(piece) if m.lastgroup not in ("space", "comment"))
    if re.match(r"(static|extern)\b", piece[begin:]):
        return piece
    return f"{piece[:begin]}static {piece[begin:]}"


class Amalgam:
    def __init__(self, root):
        self.root, self.seen, self.system, self.parts = root, set(), [], []
        self.cold = {}  # by index in parts

    def text(self):
        """All parts; those that are cold say so."""
        out, was = [], False
        for i, part in enumerate(self.parts + [""]):
            now = self.cold.get(i, False)
            if now != was:
                out.append(COLD_BEGIN if now else COLD_END)
            out.append(part)
            was = now
        return "\n".join(out)

    def read(self, name):
        return without_asserts((self.root / name).read_text(encoding="utf-8"))

    def take_includes(self, text):
        """Without its includes; those of ours are added first."""
        for kind, name in INCLUDE.findall(text):
            if kind == "<":
                self.note_system(name)
            elif name != "sdk/base/assert.h" and not name.startswith(("orma/", "protos/fields/")):
                self.add_header(name)
        return INCLUDE.sub("", text)

    def note_system(self, name):
        if name not in self.system and not name.startswith("orma/"):
            self.system.append(name)

    def add_header(self, name):
        if name in self.seen:
            return
        self.seen.add(name)
        text = self.take_includes(without_guard(self.read(name)))
        text = "".join(t for _, t in tokens(text))
        self.parts.append(f"/* ---- {name} ---- */\n\n{tidy(text)}")

    def add_source(self, name, taken):
        """`taken`: how many files have a name."""
        text = self.take_includes(self.read(name))
        module = pathlib.Path(name).stem
        idents, tags = ({n for n in names if taken[n] > 1} for names in file_names(text))
        macros = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M)
        text = tidy(renamed(text, module, idents - set(macros), tags))
        ends = "".join(f"#undef {m}\n" for m in dict.fromkeys(macros))
        self.parts.append(f"/* ---- {name} ---- */\n\n{text}{ends}")
        self.cold[len(self.parts) - 1] = module in COLD

    def with_numbers(self, text):
        """With the numbers of fields in the place of their names, which make up a fifteenth of it."""
        values = {}
        for path in sorted((self.root / "protos/fields").glob("*.h")):
            values.update(re.findall(r"\b(ORMA_PB_\w+) = (-?\w+)", path.read_text(encoding="utf-8")))
        return re.sub(r"\bORMA_PB_\w+", lambda m: values.get(m.group(), m.group()), text)


def public_header(root):
    parts = []
    for name in PUBLIC:
        text = without_guard((root / f"sdk/include/orma/{name}.h").read_text(encoding="utf-8"))
        parts.append(re.sub(r'^#include "orma/[^\n]*\n', "", text, flags=re.M))
    return ("/* Orma's SDK in two files: this, and orma.c. Made by tools/amalgamate.py; do not edit.\n"
            " * Apache-2.0. Compile orma.c with your program, and link with -pthread. */\n"
            "#ifndef ORMA_H\n#define ORMA_H\n\n" + tidy("\n".join(parts)) + "#endif\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, out = map(pathlib.Path, sys.argv[1:])
    version = re.search(r"version: '([^']*)'", (root / "meson.build").read_text(encoding="utf-8")).group(1)
    a = Amalgam(root)
    taken = collections.Counter()
    for name in SOURCES:
        text = INCLUDE.sub("", a.read(name))
        taken.update(set().union(*file_names(text)))
    for name in SOURCES:
        a.add_source(name, taken)
    header = public_header(root)
    body = prune(a.with_numbers(a.text()), set(re.findall(r"\b(orma_\w+)\(", header)))
    body = joined(tidy(without_unused(body)))
    head = ("/* Orma's SDK, all of it but the public header. Made by tools/amalgamate.py; do not edit.\n"
            " * Apache-2.0. The sources with their comments are in the project's sdk/. */\n"
            "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n"
            f'#ifndef ORMA_VERSION\n#define ORMA_VERSION "{version}"\n#endif\n'
            "#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12\n"
            "/* Lists of those who wait hold what stands on their stacks. */\n"
            '#pragma GCC diagnostic ignored "-Wdangling-pointer"\n#endif\n'
            '#include "orma.h"\n\n' + "".join(f"#include <{n}>\n" for n in sorted(a.system)) +
            "\n#pragma GCC visibility push(hidden)\n\n")
    cold = "#define ORMA_COLD __attribute__((cold, noinline))\n"
    if body.count(cold) != 1:
        sys.exit("ORMA_COLD is not where it was")
    # gcc makes such functions small by itself.
    body = body.replace(cold, "#ifdef __clang__\n" + cold.replace("noinline", "noinline, minsize") + "#else\n" + cold + "#endif\n")
    out.mkdir(parents=True, exist_ok=True)
    (out / "orma.h").write_text(header, encoding="utf-8")
    # Programs written for the library find it under the name that it has there: -IOUT.
    (out / "orma").mkdir(exist_ok=True)
    (out / "orma/orma.h").write_text('#include "../orma.h"\n', encoding="utf-8")
    (out / "orma.c").write_text(head + body +
                                "\n#pragma GCC visibility pop\n", encoding="utf-8")


if __name__ == "__main__":
    main()
