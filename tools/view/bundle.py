#!/usr/bin/env python3
"""Bundles a source of the page as build.mjs does, by an esbuild that needs no Node.

    tools/view/bundle.py ESBUILD SOURCE OUT"""
import json
import pathlib
import subprocess
import sys


def main():
    esbuild, source, out = sys.argv[1:4]
    targets = json.loads((pathlib.Path(__file__).resolve().parent / "package.json").read_text())["browsers"]
    script = ["--format=iife", "--legal-comments=inline"] if source.endswith(".ts") else []
    subprocess.run([esbuild, source, "--bundle", "--charset=ascii", "--minify", "--log-level=warning", f"--outfile={out}",
                    f"--target={','.join(targets)}", *script], check=True)


if __name__ == "__main__":
    main()
