#!/usr/bin/env python3
"""Makes the site: README, docs/ and the help of all commands as pages with a search, which need no server and no network.

    tools/make_site.py BUILD_DIR OUT_DIR

Needs Debian's packages furo and python3-myst-parser. docs/README.md is the table of contents: each heading of it is a part of
the navigation, each first link of a line a page. A link that leads nowhere, to an anchor that is not there, or to a page that
no part names, ends it with an error; so does whatever else Sphinx warns of.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s#]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
OUTSIDE = {"README.md": "about.md", "CHANGELOG.md": "changes.md", "SECURITY.md": "security.md", "CONTRIBUTING.md": "contributing.md"}


class Site:
    def __init__(self, build, source):
        self.build, self.source, self.faults = build, source, []

    def pages(self):
        """(file of the project, its name in the site)"""
        for page in sorted((ROOT / "docs").rglob("*.md")):
            name = page.relative_to(ROOT / "docs")
            yield page, "index.md" if str(name) == "README.md" else str(name)
        for page, name in OUTSIDE.items():
            yield ROOT / page, name

    def link(self, page, name, m):
        """A link of the project as one of the site: to a page, to a file that is copied, or as it is."""
        text, target, anchor = m.group(1), m.group(2), m.group(3) or ""
        if "://" in target or target.startswith("mailto:") or not target:
            return m.group(0)
        path = (page.parent / target).resolve()
        up = "../" * name.count("/")
        if not path.is_relative_to(ROOT) or not path.exists():
            self.faults.append(f"{page.relative_to(ROOT)}: no file {target}")
            return m.group(0)
        if path in self.names:
            return f"{text}({up}{self.names[path]}{anchor})"
        where = str(path.relative_to(ROOT))
        if path.is_dir():
            return text[1:-1]
        if where.startswith("docs/pictures/"):
            return f"{text}({up}{where[len('docs/'):]})"
        copy = self.source / "_static/files" / where
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        return f"[{text.lstrip('!')[1:-1]}]({'../' * name.count('/')}_static/files/{where})"

    def add(self, page, name):
        text, at, out = page.read_text(), 0, []
        for m in [*FENCE.finditer(text), None]:  # links in code are none
            end = m.start() if m else len(text)
            out.append(LINK.sub(lambda link: self.link(page, name, link), text[at:end]))
            if m:
                out.append(m.group(0))
                at = m.end()
        text = "".join(out)
        text = re.sub(r"^```(\w+) [\w.]+$", r"```\1", text, flags=re.M)  # the name of a file, which a test reads
        text = re.sub(r"^```cmake$", "```text", text, flags=re.M)
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def help_page(self):
        """One page of reference with the help of each command, as the program prints it."""
        def said(*args):
            return subprocess.run([self.build / "tools/orma", *args], capture_output=True, text=True, check=True).stdout.rstrip()

        overview = said("help")
        commands = re.findall(r"^(?:[a-z]+)? +([a-z]+)  +[A-Z]", overview, re.M)
        commands += re.split(r",? +", re.search(r"^also +(.*)$", overview, re.M).group(1))
        topics = re.search(r"^Help topics: (.*)$", overview, re.M).group(1).split(", ")
        text = ["# The help of each command", "", "As `orma COMMAND --help` and `orma help TOPIC` print it.", ""]
        for name in commands:
            text += [f"## orma {name}", "", "```text", said(name, "--help") if name != "help" else overview, "```", ""]
        for topic in topics:
            text += [f"## {topic}", "", "```text", said("help", topic), "```", ""]
        if not {"record", "report", "why", "profile"} <= set(commands):
            self.faults.append(f"orma help: commands not found in it: {commands}")
        (self.source / "help.md").write_text("\n".join(text))

    def contents(self):
        """The navigation, from docs/README.md."""
        index = (self.source / "index.md").read_text()
        named, trees = {"index.md"}, []
        for part in re.split(r"^## ", index, flags=re.M)[1:]:
            title, body = part.split("\n", 1)
            links = re.findall(r"\]\(([\w/.-]+\.md)\)", body)
            if title == "Reference":
                links.insert(1, "help.md")
            named.update(links)
            rows = "\n".join(link[:-3] for link in links if "recipes/" not in link or link == "recipes/README.md")
            trees.append(f"```{{toctree}}\n:caption: {title}\n:hidden:\n\n{rows}\n```\n")
        recipes = [link[len("recipes/"):-3] for link in sorted(named) if link.startswith("recipes/") and link != "recipes/README.md"]
        with open(self.source / "recipes/README.md", "a") as f:
            f.write("\n```{toctree}\n:hidden:\n\n" + "\n".join(recipes) + "\n```\n")
        (self.source / "index.md").write_text(index + "\n" + "\n".join(trees) +
                                              "\n```{toctree}\n:hidden:\n\nabout\n```\n")
        named.add("about.md")
        for _, name in self.pages():
            if name not in named:
                self.faults.append(f"docs/README.md does not name {name}")

    def make(self, out):
        self.names = {page.resolve(): name for page, name in self.pages()}
        (self.source / "_static").mkdir()
        shutil.copy(ROOT / "docs/site/conf.py", self.source)
        shutil.copy(ROOT / "docs/site/orma.css", self.source / "_static")
        shutil.copytree(ROOT / "docs/pictures", self.source / "pictures")
        for page, name in self.pages():
            self.add(page, name)
        self.help_page()
        self.contents()
        if self.faults:
            sys.exit("\n".join(self.faults))
        return subprocess.run(["sphinx-build", "-q", "-W", "--keep-going", "-b", "html", "-d", self.source.parent / "doctrees",
                               self.source, out]).returncode


def main(build, out):
    if not shutil.which("sphinx-build"):
        sys.exit("tools/make_site.py: sphinx-build is not there; on Debian: apt-get install furo python3-myst-parser python3-sphinx")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "source"
        source.mkdir()
        return Site(build, source).make(out)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
