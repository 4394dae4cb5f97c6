"""What programs publish for profilers (<orma/context.h>): attributes of the process, and trace ids with its samples."""
import platform

from profile_case import *
from test_profile import Pprof

INCLUDE = pathlib.Path(__file__).resolve().parents[3] / "sdk/include"
LIBRARY = BUILD / "sdk"
TRACES = {"first": ("1" * 32, "a" * 16), "second": ("2" * 32, "b" * 16)}
PROGRAM = r"""
#include <orma/context.h>
#include <pthread.h>
#include <time.h>
#ifdef BY_DLOPEN
#include <dlfcn.h>
#include <stdlib.h>
static int (*set)(const char *);
static void (*clear)(void);
static int (*publish)(const struct orma_attribute *, size_t);
static void begin(void)
{
    void *h = dlopen(BY_DLOPEN, RTLD_NOW | RTLD_LOCAL);
    if (!h) abort();
    set = dlsym(h, "orma_context_set_traceparent");
    clear = dlsym(h, "orma_context_clear");
    publish = dlsym(h, "orma_context_publish");
}
#else
#define begin()
#define set orma_context_set_traceparent
#define clear orma_context_clear
#define publish orma_context_publish
#endif
static volatile unsigned long sink;
static void burn(void)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    do {
        for (int i = 0; i < 100000; i++) sink += i;
        clock_gettime(CLOCK_MONOTONIC, &b);
    } while ((b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9 < 0.1);
}
__attribute__((noinline)) void first(void) { burn(); sink++; }
__attribute__((noinline)) void second(void) { burn(); sink++; }
__attribute__((noinline)) void neither(void) { burn(); sink++; }
static void *work(void *arg)
{
    for (int i = 0; i < 8; i++) {
        set("00-11111111111111111111111111111111-aaaaaaaaaaaaaaaa-01");
        first();
        set("00-22222222222222222222222222222222-bbbbbbbbbbbbbbbb-01");
        second();
        clear();
        neither();
    }
    return arg;
}
int main(void)
{
    static const struct orma_attribute about[] = {{"service.name", "shop"}, {"service.version", "1.2"}};
    pthread_t thread;
    begin();
    if (publish(about, 2)) return 1;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
"""
SAMPLES = """
    SELECT s.callsite_id AS site, c.trace_id, c.span_id, s.utid FROM perf_sample s
    LEFT JOIN __intrinsic_profiler_sample_context c ON c.profiler_sample_id = s.id"""

SAID = """
packet { trusted_packet_sequence_id: 2 timestamp: 20 sequence_flags: 1 trace_packet_defaults { perf_sample_defaults { timebase { frequency: 100 } } }
  interned_data { mapping_paths { iid: 1 str: "app" } function_names { iid: 1 str: "work" } mappings { iid: 1 path_string_ids: 1 }
    frames { iid: 1 function_name_id: 1 mapping_id: 1 rel_pc: 16 } callstacks { iid: 1 frame_ids: 1 } }
  perf_sample { cpu: 0 pid: 5 tid: 5 callstack_iid: 1 [perfetto.protos.orma_trace_id]: "0123456789abcde\\377" [perfetto.protos.orma_span_id]: "\\001\\002\\003\\004\\005\\006\\007\\010" } }
packet { trusted_packet_sequence_id: 2 timestamp: 30 sequence_flags: 2 perf_sample { cpu: 0 pid: 5 tid: 6 callstack_iid: 1 } }
packet { trusted_packet_sequence_id: 2 timestamp: 40 sequence_flags: 2 perf_sample { cpu: 0 pid: 5 tid: 6 callstack_iid: 1 } }
"""


class Labels(ProfileCase):
    """What samples said is kept in files of pprof."""

    def test_samples_of_a_request_are_apart(self):
        (self.dir / "said.txt").write_text(SAID)
        self.orma("convert", "binary", self.dir / "said.txt", self.trace)
        self.orma("convert", "--output-dir", self.out, "profile", self.trace)
        (path,) = self.out.glob("*.pb")
        profile = Pprof(path.read_bytes())
        got = {}
        for labels, (_, values) in zip(profile.labels, profile.samples):
            ids = tuple(sorted((profile.strings[x[1]], profile.strings[x[2]]) for x in labels))
            got[ids] = got.get(ids, 0) + values[0]
        self.assertEqual(got, {(("span_id", "0102030405060708"), ("trace_id", "303132333435363738396162636465ff")): 1, (): 2})


@unittest.skipUnless(platform.machine() == "x86_64", "contexts of threads are found on x86-64 only")
@unittest.skipIf(SLOW > 1, "a library of a sanitizer")
@unittest.skipUnless((LIBRARY / "liborma.so").exists() and (LIBRARY / "liborma.a").exists(), "liborma was not built")
class Contexts(ProfileCase):
    def check(self, program):
        self.profile("--", program)
        sites = {r["id"]: r for r in self.query(self.trace, CALLSITES)}
        found, wrong, threads = 0, 0, set()
        for row in self.query(self.trace, SAMPLES):
            at, stage = row["site"], None
            while at in sites and stage is None:
                stage = sites[at]["name"] if sites[at]["name"] in ("first", "second", "neither") else None
                at = sites[at]["parent_id"]
            ids = (row["trace_id"], row["span_id"])
            if stage in TRACES and ids in TRACES.values():
                found += ids == TRACES[stage]
                wrong += ids != TRACES[stage]
                threads.add(row["utid"])
            if stage == "neither" and ids in TRACES.values():
                wrong += 1
        # Read right after the sample: a few are of what the thread did next.
        self.assertGreater(found, 20)
        self.assertLessEqual(wrong, 2 + found // 20)
        self.assertEqual(len(threads), 2)
        self.labels(found)
        args = self.query(self.trace, "SELECT a.key, a.display_value AS value FROM process p JOIN args a USING (arg_set_id) "
                                      "WHERE a.key LIKE 'otel.%' ORDER BY a.key")
        self.assertEqual([(r["key"], r["value"]) for r in args], [("otel.service.name", "shop"), ("otel.service.version", "1.2")])

    def labels(self, least):
        """The files of pprof tell the requests, too: that of all processes and that of each."""
        each = self.dir / "each"
        each.mkdir()
        self.orma("convert", "--output-dir", each, "profile", self.trace)
        for path in (self.out / "profile.pb", max(each.iterdir(), key=lambda path: path.stat().st_size)):
            profile = Pprof(path.read_bytes())
            found = 0
            for labels, (_, values) in zip(profile.labels, profile.samples):
                ids = {profile.strings[x[1]]: profile.strings[x[2]] for x in labels if 2 in x}
                self.assertEqual("trace_id" in ids, "span_id" in ids)
                if "trace_id" in ids:
                    self.assertIn((ids["trace_id"], ids["span_id"]), TRACES.values())
                    found += values[0]
            self.assertGreaterEqual(found, least, path.name)

    def test_library_that_was_linked(self):
        self.check(self.compile(PROGRAM, "linked", f"-I{INCLUDE}", f"-L{LIBRARY}", "-Wl,--no-as-needed", "-lorma",
                                f"-Wl,-rpath,{LIBRARY}"))

    def test_library_that_was_opened(self):
        self.check(self.compile(PROGRAM, "opened", f"-I{INCLUDE}", f'-DBY_DLOPEN="{LIBRARY}/liborma.so"', "-ldl"))

    def test_program_of_one_piece(self):
        source = self.dir / "whole.c"
        source.write_text(PROGRAM)
        subprocess.run([COMPILER, "-O1", "-g", f"-I{INCLUDE}", "-o", self.dir / "whole", source, LIBRARY / "liborma.a", "-pthread"],
                       check=True)
        self.check(self.dir / "whole")


if __name__ == "__main__":
    main()
