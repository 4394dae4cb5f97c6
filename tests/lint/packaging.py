"""packaging/ and debian/ name options, units and versions that exist; what a tool of Debian's can parse, it parses.
Usage: packaging.py SOURCE_ROOT"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
RECIPES = [p for p in (ROOT / "packaging").glob("*/*")] + [ROOT / "debian/rules"]
problems = []

options = set(re.findall(r"^option\('(\w+)'", (ROOT / "meson_options.txt").read_text(), re.M))
version = re.search(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text()).group(1)
units = {p.name.removesuffix(".in") for p in (ROOT / "traced/units").iterdir()} | {p.name.removesuffix(".in")
                                                                                     for p in (ROOT / "probes").rglob("*.service.in")}
for path in RECIPES:
    text, name = path.read_text(), path.relative_to(ROOT)
    for option in re.findall(r"-D([\w.]+)=", text):
        if option not in options and not re.match(r"python\.|b_|c_", option):
            problems.append(f"{name}: meson_options.txt has no '{option}'")
    for unit in re.findall(r"\btraced[\w-]*\.(?:service|socket)\b", text):
        if unit not in units:
            problems.append(f"{name}: there is no unit {unit}")
    for md5 in re.findall(r"file://LICENSE;md5=(\w+)", text):
        if md5 != hashlib.md5((ROOT / "LICENSE").read_bytes()).hexdigest():
            problems.append(f"{name}: LICENSE has another sum")
for path in (ROOT / "packaging/yocto").iterdir():
    if path.name != f"orma_{version}.bb":
        problems.append(f"{path.relative_to(ROOT)}: the version is {version}")
if not re.match(rf"orma \({re.escape(version)}[-~)]", (ROOT / "debian/changelog").read_text()):
    problems.append(f"debian/changelog: does not begin with version {version}")
if not re.search(rf"^Version:\s+{re.escape(version)}$", (ROOT / "packaging/rpm/orma.spec").read_text(), re.M):
    problems.append(f"packaging/rpm/orma.spec: the version is {version}")

# The tool, its package, and the command that fails on what cannot be parsed. Nothing in Debian parses recipes of Yocto.
PARSERS = [("rpmspec", "rpm", ["--parse", "packaging/rpm/orma.spec"]),
           ("nix-instantiate", "nix-bin", ["--store", "dummy://", "--parse", "packaging/nix/default.nix"])]
for tool, package, argv in PARSERS:
    if not shutil.which(tool):
        print(f"{argv[-1]}: not parsed: {tool} is not here (package {package})")
        continue
    done = subprocess.run([tool, *argv], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        problems.append(f"{argv[-1]}: {tool} says: {done.stderr.strip()}")
    else:
        print(f"{argv[-1]}: parsed by {tool}")

print("\n".join(problems) or f"{len(RECIPES)} recipes")
sys.exit(bool(problems))
