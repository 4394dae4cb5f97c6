"""The project's files, for lints that walk folders: without what a .gitignore leaves out."""


def ignored(path):
    """Names of folders that it leaves out at any depth: packages that somebody installed, caches."""
    lines = path.read_text(encoding="utf-8").split() if path.exists() else []
    return {line.rstrip("/") for line in lines if line.endswith("/") and not line.startswith("/")}


def find(root, pattern, *tops):
    """Paths below these folders of the root, in order."""
    skip = ignored(root / ".gitignore")
    found = [p for top in tops for p in (root / top).rglob(pattern)
             if skip.isdisjoint(p.relative_to(root).parts[:-1])]
    # What a folder says of itself.
    own = {path.parent: ignored(path) for top in tops for path in (root / top).rglob(".gitignore")
           if skip.isdisjoint(path.relative_to(root).parts[:-1])}
    return sorted(p for p in found if not any(
        folder in p.parents and not names.isdisjoint(p.relative_to(folder).parts[:-1]) for folder, names in own.items()))
