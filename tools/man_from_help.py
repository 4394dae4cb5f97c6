#!/usr/bin/env python3
"""A manual page on standard output from what a program says with --help: for programs whose options
are in no table of tools/base/cli.h.

    tools/man_from_help.py NAME 'what it is for' VERSION PROGRAM [ARG]...
"""
import re
import subprocess
import sys

OPTION = re.compile(r"^ +(-[-\w]+.*?)(?:  +(\S.*))?$")


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def page(name, summary, version, text):
    """Options become items; what is indented otherwise stands as it is; the rest is paragraphs."""
    out = [f'.TH "{name.upper()}" "1" "" "orma {version}" "Orma"', ".SH NAME",
           f"{escaped(name)} \\- {escaped(summary)}", ".SH DESCRIPTION"]
    exact = item = False
    for line in text.splitlines():
        option = OPTION.match(line)
        if exact and not line.startswith(" "):
            out.append(".fi")
            exact = False
        if not line.strip():
            item = False
            out.append(".PP")
        elif option and option.group(1).startswith("-"):
            out += [".TP", f"\\fB{escaped(option.group(1))}\\fR"]
            out += [escaped(option.group(2))] if option.group(2) else []
            item = True
        elif item and line.startswith("    "):
            out.append(escaped(line.strip()))
        else:
            if line.startswith(" ") and not exact:
                out.append(".nf")
                exact = True
            out.append(escaped(line))
    return "\n".join(out) + "\n"


def main():
    name, summary, version, *program = sys.argv[1:]
    done = subprocess.run([*program, "--help"], capture_output=True, text=True, check=True)
    sys.stdout.write(page(name, summary, version, done.stdout))


if __name__ == "__main__":
    main()
