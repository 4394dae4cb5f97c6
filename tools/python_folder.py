#!/usr/bin/env python3
"""Prints the folder below PREFIX, relative to it, where python3 looks for packages.

    tools/python_folder.py PREFIX

Where python3 looks nowhere below PREFIX, the usual name of such a folder: who installs there is told to set PYTHONPATH.
"""
import site
import sys


def folder(prefix):
    for path in site.getsitepackages():
        for lib in ("lib", "lib64"):
            if path.startswith(f"{prefix}/{lib}/"):
                return path[len(prefix) + 1:]
    return f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"


if __name__ == "__main__":
    print(folder(sys.argv[1].rstrip("/")))
