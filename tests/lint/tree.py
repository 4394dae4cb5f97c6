"""The project's files, for lints that walk folders: without what .gitignore leaves out in any folder."""


def ignored(root):
    """Names of such folders: packages that somebody installed, caches."""
    lines = (root / ".gitignore").read_text(encoding="utf-8").split() if (root / ".gitignore").exists() else []
    return {line.rstrip("/") for line in lines if line.endswith("/") and not line.startswith("/")}


def find(root, pattern, *tops):
    """Paths below these folders of the root, in order."""
    skip = ignored(root)
    found = [p for top in tops for p in (root / top).rglob(pattern)]
    return sorted(p for p in found if skip.isdisjoint(p.relative_to(root).parts[:-1]))
