#!/usr/bin/env python3
"""One name, one meaning; a module's names carry the module's prefixes.

    tests/lint/names.py ROOT BUILD            # the lint
    tests/lint/names.py ROOT BUILD --print    # the prefixes that each module uses, with how often

1. A tag of a struct, union or enum is defined once in the whole tree. Tags without a prefix may occur
   in many source files, each for itself, but not in a header and elsewhere.
2. What a module exports (every symbol that is not static) begins with a prefix of that module, and no two
   modules share one. The longest prefix that fits decides, so `orma_sql_` and `orma_sql_vtab_` may differ.
3. No symbol is defined in two files, and no source file declares what another one defines (`extern`).

Exceptions stand in the tables here, with their reasons; one that nothing needs any more is a finding.
"""
import collections
import pathlib
import re
import signal
import subprocess
import sys

import symbols
import tree

# A module's prefixes end in `_`; other words are whole names. Generated tables have the prefixes of their modules.
MODULES = {
    "sdk/base": "orma_arena_ orma_base64_ orma_buf_ orma_clock_ orma_fd_ orma_grow_ orma_guard_ orma_hash_ orma_log_"
                " orma_log orma_map_ orma_mapped_ orma_mem_ orma_nearest_ orma_path_ orma_plain_ orma_replace_ orma_shown_ orma_str_ orma_testpoint orma_utf8_"
                " orma_whole_ orma_assert_ orma_fork_ orma_standard_ orma_source_idset_",
    "sdk/wire": "orma_pb_",
    "sdk/shm": "orma_shm_",
    "sdk/ipc": "orma_ipc_ orma_sock_",
    "sdk/transport": "orma_reassembly_ orma_pool_ orma_writer_ orma_policy_ orma_commit_ orma_committer_ orma_producer_ orma_consumer_",
    "sdk/events": "orma_te_ orma_te orma_tsc_ orma_category_ orma_slice_ orma_scope_ orma_instant orma_instant_ orma_complete"
                  " orma_counter orma_counter_ orma_track_ orma_now orma_lost_unattributed orma_state",
    "sdk/sources": "orma_ds_ orma_data_source_ orma_packet_",
    "sdk/recording": "orma_recording_",
    "sdk/context": "orma_context_ otel_thread_ctx_v1",
    "sdk/tracing": "orma_init orma_shutdown orma_flush orma_trigger orma_wait_for_session orma_startup_",
    "sdk/cabi": "orma_cabi_ orma_cabi",
    "sdk/tracefile": "orma_tracefile_",
    "sdk/ftrace": "orma_ftrace_bundle_ orma_ftrace_format_ orma_ftrace_plan_ orma_ftrace_printk_ orma_ftrace_symbols_ orma_ftrace_translate_"
                  " orma_kallsyms_",
    "sdk/examples": "orma_category_demo orma_category_demo_",
    "protos": "orma_incident_ orma_loss_ orma_pbc_",
    "protos/perfetto": "perfetto__",
    "protos/tables": "orma_ftrace_names orma_ftrace_fields orma_ftrace_message_ orma_ftrace_messages orma_ftrace_messages_ orma_ftrace_tracepoint_ orma_ftrace_tracepoints"
                     " orma_ftrace_tracepoints_ orma_syscall_ orma_atrace_",
    "probes": "orma_probes_",
    "probes/core": "orma_source_ orma_proc_ orma_entries_",
    "probes/kernel": "orma_tracefs_",
    "probes/ftrace": "orma_ftrace_",
    "probes/perf": "orma_perf_",
    "probes/unwind": "orma_unwind_",
    "probes/python": "orma_python_",
    "probes/otel": "orma_otel_",
    "probes/process": "orma_process_execs_ orma_process_poll_ orma_process_stats_",
    "probes/system": "orma_system_",
    "probes/inodes": "orma_inode_",
    "probes/journal": "orma_journal_",
    "traced": "traced_service_ traced_recovery_ traced_usage_ traced_activation_ traced_sandbox_ traced_version traced_main",
    "traced/loop": "traced_loop_ traced_turns_ traced_reap traced_reaper_",
    "traced/rescue": "traced_rescue_",
    "traced/buffers": "traced_buffer_ traced_seq_ traced_record_ traced_packet_ traced_kept_",
    "traced/output": "traced_file_ traced_compress traced_compression_",
    "traced/config": "traced_config_ traced_names_ traced_patterns_ traced_regex_ traced_wanted_",
    "traced/network": "traced_network_ traced_closer_ traced_conn_ traced_user_ traced_users_",
    "traced/producers": "traced_producer_ traced_producers_ traced_target_ traced_targets_ traced_commit traced_commit_"
                        " traced_scrape traced_scrape_ traced_standstill_",
    "traced/sessions": "traced_session_ traced_sessions_ traced_instance_ traced_instances_ traced_flush traced_flush_"
                       " traced_flushes_ traced_next_file_ traced_gather_ traced_trigger_ traced_triggers_ traced_clone_"
                       " traced_snapshots_ traced_clocks_ traced_machine_ traced_machines_ traced_admission_ traced_awaited_ traced_boost_"
                       " traced_incidents_",
    "traced/endpoints": "traced_consumer_ traced_queries_ traced_relay_ traced_producer_endpoint traced_producer_relay_endpoint"
                        " traced_clone_request traced_clone_request_",
    "protos/reflect": "orma_embedded_ orma_field_ orma_json_ orma_number_ orma_reflect_ orma_scalar_"
                      " orma_scan_ orma_schema_ orma_seen_ orma_text_ orma_walk orma_walk_",
    "tools": "orma_applet_ orma_messages_ orma_applets orma_commands orma_cmd_ orma_cpu_profile_main orma_help_tables",
    "tools/base": "orma_cell_ orma_cli_ orma_inputs_ orma_ledger_ orma_signals_ orma_temporary_ orma_units_",
    "tools/clients": "orma_perfetto_ orma_cmd_perfetto orma_tracebox_ orma_cmd_tracebox orma_trigger_perfetto_"
                     " orma_cmd_trigger_perfetto orma_triggers_ orma_websocket_bridge_ orma_cmd_websocket_bridge",
    "tools/convert": "orma_convert_ orma_cmd_convert orma_traceconv_ orma_cmd_traceconv",
    "tools/help": "orma_help_ orma_cmd_help",
    "tools/load": "orma_load_",
    "tools/flight": "orma_flight_",
    "tools/doctor": "orma_doctor_",
    "tools/top": "orma_live_",
    "tools/follow": "orma_follow_",
    "tools/many": "orma_many_",
    "tools/pieces": "orma_pieces_",
    "tools/fleet": "orma_fleet_",
    "tools/output": "orma_output_",
    "tools/record": "orma_record_ orma_recorder_",
    "sdk/heap": "orma_hook_ malloc free calloc realloc reallocarray memalign aligned_alloc posix_memalign valloc pvalloc mmap mmap64 munmap mremap prctl syscall",
    "tools/heap": "orma_heap_",
    "tools/profile": "orma_profile_report_ orma_profile_session_ orma_cmd_profile_report orma_cmd_profile_diff",
    "tools/report": "orma_report_ orma_diff_",
    "tools/relay": "orma_relay_",
    "tools/service": "orma_service_",
    "tools/view": "orma_view_page orma_view_serve orma_view_serve_ orma_view_file_ orma_crowd_",
    "tools/shell": "orma_shell_ orma_cmd_shell orma_cmd_metrics orma_cmd_summarize orma_cmd_serve orma_cmd_export orma_line_editor_",
    "processor/threads": "orma_crew_",
    "processor/read": "orma_reader_ orma_sorter_ orma_damage_ orma_clocks_ orma_inflater_ orma_inflate orma_inflate_"
                      " orma_seq_ orma_seqs_ orma_pipe_ orma_bundle_ orma_stream_ orma_strays_ orma_burst_ orma_detect_ orma_foreign_ orma_run_ orma_loose_ orma_twice_"
                      " orma_timeline_",
    "processor/symbols": "orma_symbolizer_ orma_binary_ orma_lookup_ orma_finder_ orma_worker_ orma_dwarf_ orma_debuginfod_ orma_demangle orma_demangle_ orma_proguard_"
                         " orma_rust_",
    "processor/metrics": "orma_metrics_ orma_builder_ orma_structured_ orma_sq_ orma_summary_ orma_summarizers_ orma_msg_ orma_proto_sources_",
    "processor/sql": "orma_sql_open orma_sql_close orma_sql_reset orma_sql_data_ready orma_sql_override_stdlib orma_sql_views"
                     " orma_sql_builtins",
    "processor/sql/base": "orma_sql_ orma_sql_error_text orma_builtins_ orma_dataframe_ orma_ints_ orma_plan_table_ orma_result_ orma_rows_ orma_tvf_",
    "processor/sql/dialect": "orma_compat_ orma_macros_ orma_script_ orma_token_ orma_word_ orma_sql_class_ orma_sql_error_"
                             " orma_sql_fields_ orma_sql_is_macro_type orma_sql_parse_ orma_sql_put_"
                             " orma_sql_source_ orma_sql_text_ orma_sql_type_ orma_sql_unquote",
    "processor/sql/sqlite": "orma_sqlite_",
    "processor/sql/tables": "orma_dataframe_tables_ orma_derived_ orma_filter_ orma_index_ orma_indexes_ orma_number_texts_ orma_rowscan_ orma_sort_"
                            " orma_top_ orma_vtab_",
    "processor/sql/exec": "orma_exec_catalog orma_exec_funcs orma_exec_gave_up orma_exec_init orma_exec_may_run orma_exec_modules"
                          " orma_exec_next_batch orma_exec_note_function orma_exec_plan_of orma_exec_prepare"
                          " orma_exec_rows_read orma_exec_statement_",
    "processor/sql/exec/base": "orma_exec_",
    "processor/sql/exec/parse": "orma_exec_parse orma_exec_parser_",
    "processor/sql/exec/bind": "orma_exec_bind orma_exec_bind_ orma_exec_scope_",
    "processor/sql/exec/plan": "orma_exec_plan_",
    "processor/sql/exec/run": "orma_exec_run_",
    "processor/sql/functions": "orma_functions_ orma_date_ orma_json_args_ orma_sums_",
    "processor/sql/operators": "orma_operators_ orma_graph_ orma_span_",
    "processor/sql/profiles": "orma_profiles_ orma_fg_ orma_heap_tree_",
    "processor/sql/script": "orma_bound_ orma_deferred_ orma_modules_ orma_package_ orma_packages_ orma_script_legacy orma_script_statements"
                            " orma_runner_ orma_sql_create_ orma_sql_drop_index orma_sql_check_columns orma_sql_prepare_body"
                            " orma_sql_hint orma_sql_take_error orma_sql_result_error orma_sql_enter orma_sql_leave orma_sql_resume"
                            " orma_sql_run_script orma_sql_stmt_ orma_sql_user_ orma_sqlstats_ orma_stub_",
    "processor/sql/inspect": "orma_inspect_",
    "processor/sql/stdlib": "orma_sql_stdlib",
    "processor/store": "orma_args_ orma_table_ orma_block_ orma_strpool_ orma_storage_ orma_stats_ orma_stat_ orma_blobs_ orma_image_ orma_large_"
                       " orma_spill_ orma_arg_ orma_column_ orma_severity_",
    "processor/cache": "orma_cache_",
    "processor/model": "orma_model_ orma_processes_ orma_callstacks_ orma_sched_ orma_slices_ orma_flows_ orma_heap_graph_"
                       " orma_tracks_ orma_async_ orma_ids_ orma_metadata_ orma_lanes_ orma_legacy_ orma_translate_",
    "processor/import/core": "orma_import_ orma_file_ orma_files_ orma_manifest_ orma_account_ orma_accounts_",
    "processor/import/kernel": "orma_kernel_",
    "processor/import/events": "orma_events_",
    "processor/import/profile": "orma_profile_",
    "processor/import/linux": "orma_linux_",
    "processor/import/trace": "orma_trace_",
    "processor/import/android": "orma_android_",
    "processor/import/winscope": "orma_winscope_",
    "processor/import/formats": "orma_callgrind_ orma_format_ orma_formats_ orma_ctf_ orma_hprof_ orma_jfr_ orma_otlp_ orma_systrace_ orma_tracedat_ orma_uftrace_ orma_json_args orma_json_event_ orma_json_metadata"
                                " orma_json_profile_ orma_json_profiles_ orma_json_record_ orma_json_records_ orma_json_time",
    "processor/columns": "orma_columns_",
    "processor/library": "orma_free orma_processor_compute_ orma_processor_summarize orma_processor_version orma_query_arrow",
    "processor/extension": "orma_extension_ sqlite3_ormasqlite_init",
    "processor/assembly": "orma_importers orma_processor_new orma_processor_format",
    "processor/api": "orma_processor_ orma_archived_ orma_folder_ orma_tar_ orma_cached_ orma_query_ orma_script_at_ orma_script_close orma_script_offset orma_script_open"
                     " orma_script_step orma_result_close orma_result_open orma_result_query orma_result_refuse"
                     " orma_result_statement orma_symbolize_ orma_deobfuscate_",
    "processor/stacks": "orma_stacks_",
    "processor/flame": "orma_flame_",
    "processor/export": "orma_export_ orma_print_",
    "processor/view": "orma_view_",
    "processor/serve": "orma_http_ orma_job_ orma_jobs_ orma_listen orma_listeners_ orma_metatrace_ orma_outbox_ orma_peer_ orma_request_ orma_rpc_"
                       " orma_server_ orma_ws_",
}
# Symbols of no module: why.
FREE = {
    "main": "the entry of a program",
}
TWICE = {
    "main": "one a program",
}
# Tags with two meanings: why.
TAGS = {}
# `extern` in a source file: why.
EXTERNS = {
    ("tools/record/child.c", "extern char **environ"): "POSIX has it so: no header need declare it",
}

STRIP = re.compile(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|/\*.*?\*/|//[^\n]*', re.S)
TAG = re.compile(r"\b(?:struct|union|enum)\s+(?:__attribute__\s*\(\(.*?\)\)\s*|ORMA_[A-Z]+(?:\([^)]*\))?\s+)*(\w+)\s*\{")
EXTERN = re.compile(r'^[ \t]*(extern\b(?! *"C")[^;(]*)', re.M)
PREFIXED = ("orma_", "traced_", "ORMA_")


def code(path):
    """The text without comments and literals; lines stay where they are."""
    return STRIP.sub(lambda m: '""' if m.group(1) else " " + "\n" * m.group(0).count("\n"),
                     path.read_text(encoding="utf-8", errors="replace"))


def texts_of(root):
    tops = symbols.PRODUCT + ("tests",)
    return {p.relative_to(root).as_posix(): code(p) for p in tree.find(root, "*.[ch]", *tops)}


def check_tags(texts):
    where = collections.defaultdict(set)
    for name, text in texts.items():
        for tag in TAG.findall(text):
            where[tag].add(name)
    used = set()
    for tag, names in sorted(where.items()):
        if not tag.startswith(PREFIXED):  # of a test, or local: each file may have its own
            names = {n for n in names if not n.startswith("tests/")}
            if not any(n.endswith(".h") for n in names):
                continue
        if len(names) > 1 and tag in TAGS:
            used.add(tag)
        elif len(names) > 1:
            yield f"{tag}: this tag has a definition in each of {', '.join(sorted(names))}"
    yield from (f"TAGS: {tag} has one meaning now, take it out" for tag in sorted(set(TAGS) - used))


def check_externs(texts):
    used = set()
    for name, text in texts.items():
        for found in EXTERN.findall(text) if name.endswith(".c") and not name.startswith("tests/") else ():
            words = " ".join(found.split())
            if words.startswith("extern inline "):  # of a function in the header: its body where it is not inlined
                continue
            known = [k for k in EXTERNS if k[0] == name and words.startswith(k[1])]
            used.update(known)
            if not known:
                yield f"{name}: '{words}': declare it in the header of the file that defines it"
    yield from (f"EXTERNS: {name} has no such declaration any more, take it out" for name, _ in sorted(set(EXTERNS) - used))


def owner_of(symbol, prefixes):
    """The module whose word fits best, or None."""
    fits = [w for w in prefixes if symbol == w or (w.endswith("_") and symbol.startswith(w))]
    return prefixes[max(fits, key=len)] if fits else None


def check_prefixes(sources, texts, exported):
    prefixes, words_used = {}, set()
    for module, words in MODULES.items():
        for word in words.split():
            if word in prefixes:
                yield f"MODULES: '{word}' stands for {prefixes[word]} and for {module}"
            prefixes[word] = module
    modules = {s.module for s in sources.values()}
    yield from (f"MODULES: no row for {module}" for module in sorted(modules - set(MODULES)))
    yield from (f"MODULES: no module {module}, take the row out" for module in sorted(set(MODULES) - modules))
    for source in sorted(sources.values(), key=lambda s: s.name):
        # What libperfetto_c.so exports has the names that programs know.
        fixed = source.defines & exported if source.module == "sdk/cabi" else set()
        for symbol in sorted(source.defines - set(FREE) - fixed):
            owner = owner_of(symbol, prefixes)
            words_used.update(w for w in prefixes if symbol == w or (w.endswith("_") and symbol.startswith(w)))
            if owner != source.module and not symbol.startswith("__"):
                yield (f"{source.name}: '{symbol}' has no prefix of {source.module}"
                       f"{f', but one of {owner}' if owner else f' ({MODULES.get(source.module)})'}")
    for word in sorted(set(prefixes) - words_used):  # functions of headers, and test points, are not in every object
        headers = (t for n, t in texts.items() if n.endswith(".h") and n.rpartition("/")[0] == prefixes[word])
        if not any(re.search(rf"\b{word}", t) for t in headers):
            yield f"MODULES: nothing in {prefixes[word]} begins with '{word}', take it out"


def check_twice(sources):
    twice = {s: sorted(names) for s, names in symbols.homes(sources).items() if len(names) > 1 and not s.startswith("__")}
    yield from (f"{s}: defined in each of {', '.join(names)}" for s, names in sorted(twice.items()) if s not in TWICE)
    yield from (f"TWICE: {s} is defined once now, take it out" for s in sorted(set(TWICE) - set(twice)))


def show(sources):
    for module in sorted({s.module for s in sources.values()}):
        count = collections.Counter("_".join(d.split("_")[:2]) + ("_" if d.count("_") > 1 else "")
                                    for s in sources.values() if s.module == module for d in s.defines)
        print(f"{module}: {' '.join(f'{word}:{n}' for word, n in count.most_common())}")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `--print | head`
    root, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    sources = symbols.load(root, build)
    if sys.argv[3:] == ["--print"]:
        return show(sources)
    texts = texts_of(root)
    table = (root / "sdk/cabi/exports.txt").read_text(encoding="utf-8").splitlines()
    exported = {line.split()[0] for line in table if line and not line.startswith("#")}
    problems = [*check_tags(texts), *check_externs(texts), *check_prefixes(sources, texts, exported), *check_twice(sources)]
    for p in problems:
        print(p)
    print(f"{len(texts)} files, {sum(len(s.defines) for s in sources.values())} symbols, {len(problems)} problems")
    return sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
