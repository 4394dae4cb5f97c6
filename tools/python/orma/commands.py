"""The commands of `orma` as functions. Options are keywords: report(trace, "slices", process="app")."""
import json
import os
import shutil
import subprocess


class CommandFailed(Exception):
    """A command's exit code and what it said."""

    def __init__(self, argv, code, text):
        super().__init__(text.strip() or f"{argv[0]}: exit {code}")
        self.argv, self.code = argv, code


def program():
    """The path of orma: $ORMA, or the one in the search path."""
    found = os.environ.get("ORMA") or shutil.which("orma")
    if not found:
        raise FileNotFoundError("orma is not in the search path: install it, or set ORMA to its path")
    return found


def _options(options):
    for name, value in options.items():
        option = ("-" if len(name) == 1 else "--") + name.replace("_", "-")
        if value is True:
            yield option
        elif value is not None and value is not False:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                yield f"{option}={one}" if option.startswith("--") else option
                if not option.startswith("--"):
                    yield str(one)


def _run(*argv, after=()):
    argv = [program(), *map(os.fspath, argv), *(["--", *map(os.fspath, after)] if after else [])]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise CommandFailed(argv, done.returncode, done.stderr)
    return done.stdout


def record(output, *presets, command=(), **options):
    """Records into `output`, which is returned: a command, or for a time (t="5s")."""
    _run("record", "-o", output, *_options(options), *presets, after=command)
    return output


def profile(output, *, command=(), **options):
    """Call stacks by sampling, of a command, of processes (p=PID), of all (a=True, t="5s"). Returns `output`."""
    _run("profile", "-o", output, *_options(options), after=command)
    return output


def report(trace, *sections, **options):
    """Answers without SQL, as `orma report --json` has them."""
    return json.loads(_run("report", trace, *sections, "--json", *_options(options)))


def why(trace, *words, **options):
    """Where the time of a slice, a thread or a process went."""
    return json.loads(_run("why", trace, *words, "--json", *_options(options)))


def diff(before, after, **options):
    """What takes more or less in the second trace."""
    return json.loads(_run("diff", before, after, "--json", *_options(options)))
