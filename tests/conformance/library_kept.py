"""Where rows of our SQL library differ from the reference's on purpose: the rules, by what the rows say.

A rule says of one row of theirs whether one of ours means the same; `loose` names columns that are not compared where the
rule holds. A whole rule judges all rows of an object at once, where no rows correspond one to one."""
import re

NUMBERS = "arg sets have numbers of ours: equal sets have one number; both are NULL or none is"
ARG_SETS = {"arg_set_id", "args_set_id", "dimension_arg_set_id", "source_arg_set_id", "extract_arg_set_id"}

# object: columns, why. Every cell of them means the same.
LOOSE = {
    "chrome_event_latency_stage_descriptions": ("description", "in our own words"),
    "chrome_scroll_jank_cause_descriptions": ("cause_description", "in our own words"),
    "chrome_scroll_jank_causes_with_event_latencies": ("description cause_description", "in our own words"),
    "counter_track": ("description", "in our own words"),
    "process_counter_track": ("description", "in our own words"),
    "args": ("id arg_set_id", "rows are in the order of the numbers of arg sets"),
    "flow": ("id", "a number of the row; flows that end in the same slice come in the order of their slices"),
    "_binder_server_flat_descendants": ("id", "a number of the row"),
    "_critical_path_thread_state_slice_raw": ("cr_id th_id", "numbers of rows of other tables"),
    "_mipmap_startup_slices_with_ids": ("group_hash", "a hash that groups rows; which value it has says nothing"),
    "chrome_tasks": ("thread_name", "a thread that was renamed has its last name, as in the table of threads"),
    "chrome_scheduler_tasks": ("thread_name", "a thread that was renamed has its last name, as in the table of threads"),
}
for name in ("_job_states", "_job_started", "android_job_scheduler_states", "android_job_scheduler_with_screen_charging_states"):
    LOOSE[name] = ("has_flex_constraint", "the reference has is_periodic here, ours is what the atom says")
# Cells that mean the same if they are NULL there.
UNKNOWN = {"millicycles", "megacycles"}  # where the thread ran at a known frequency ours are the cycles of these runs

# Whose rows are not compared; they have to answer, with the columns of the reference.
# What rests on measurements of devices that are content of the reference: there are none here, so nothing is estimated.
POWER = re.compile(r"wattson\.curves\.|wattson\.(cpu\.(estimates|pivot)|estimates|tasks\.(attribution|idle_transitions_attribution)|ui\.continuous_estimates)$")
# Helpers of the reference that are not exposed; ours has its own.
NOT_HERE = {"_export_to_firefox_table"}


def statistics(theirs, ours):
    """Keys of statistics are ours, as are descriptions; values are counted anew, and rows are in the order of our keys."""
    have = {row["name"]: row["severity"] for row in ours}
    return all(have.get(row["name"]) == row["severity"] for row in theirs)


def metrics(theirs, ours):
    """Some metrics of the reference are not there."""
    return bool(ours)


def utilization(theirs, ours):
    """Ours count all of a run that lies in two periods, theirs lose the part after the first; and theirs take 1 ns off for each
    run without an end."""
    return [r["ts"] for r in theirs] == [r["ts"] for r in ours] and all(
        float(have["unnormalized_utilization"][1:]) >= float(want["unnormalized_utilization"][1:]) for want, have in zip(theirs, ours))


def no_processor(theirs, ours):
    """Of a trace without times and without such a processor there are two equal rows of zeros there, one here."""
    return [row for i, row in enumerate(theirs) if row not in theirs[:i]] == ours


WHOLE = {"stats": statistics, "trace_metrics": metrics, "cpu_utilization_per_second": utilization,
         "_tpu_combined_state": no_processor}


def described(row):
    """A row of args that is a description of a track."""
    return row.get("key") == "sdescription"


def means(name, columns, row, unknown=False):
    """What a row says but for what rules leave open; with `unknown`, but for what is NULL there."""
    loose = set(LOOSE.get(name, ("", ""))[0].split()) | (UNKNOWN if unknown else set())
    values = dict(zip(columns, row))
    if name == "args" and described(values):
        loose |= {"string_value", "display_value"}
    return tuple("" if c in loose else cell is None if c in ARG_SETS else cell for c, cell in values.items())
