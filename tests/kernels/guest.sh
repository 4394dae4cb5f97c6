#!/bin/busybox sh
# /init of the kernel laboratory. Runs one function for each feature; what it leaves in /out/FEATURE goes to the host on a disk
# without a file system, as a tar, and is judged there (judge.py). A feature has `seconds` at most.
seconds=40
T=/sys/kernel/tracing

prepare() {
    /bin/busybox --install -s /bin
    export PATH=/bin HOME=/tmp
    mount -t proc proc /proc
    mount -t sysfs sys /sys
    mount -t devtmpfs dev /dev
    mount -t tmpfs tmp /tmp
    mount -t tmpfs run /run
    mount -t tracefs tracefs $T
    echo 1408 >$T/buffer_size_kb # so that it is not "expanded" by the first user
    mkdir -p /dev/shm
    for _ in 1 2; do # those that need each other, in any order
        for m in /modules/*.ko; do
            insmod "$m" 2>/dev/null
        done
    done
}

# Everything of the tracer that a recording may change, to be compared. Sizes are settings, counts are not.
state() {
    for f in current_tracer trace_clock buffer_size_kb buffer_percent tracing_on set_event set_event_pid kprobe_events uprobe_events \
        dynamic_events synthetic_events set_ftrace_filter set_graph_function max_graph_depth tracing_cpumask buffer_subbuf_size_kb; do
        echo "$f: $(head -n 20 $T/$f 2>&1)"
    done
    for f in $T/options/*; do echo "$f: $(cat $f)"; done
    ls $T/instances
    cat /proc/sys/kernel/kptr_restrict
}

events='sched/sched_switch sched/sched_waking sched/sched_wakeup sched/sched_process_fork sched/sched_process_exit task/task_newtask
task/task_rename irq/irq_handler_entry irq/irq_handler_exit irq/softirq_raise irq/softirq_entry irq/softirq_exit timer/hrtimer_start
raw_syscalls/sys_enter raw_syscalls/sys_exit kmem/kmem_cache_alloc workqueue/workqueue_execute_start signal/signal_generate'

some_load() { load switches 200; load opens 50; load calls 10; ls -lR /sys/class >/dev/null; }

# config MS FIELDS...: a config of linux.ftrace with these fields.
config() {
    echo "duration_ms: $1"
    shift
    echo "buffers { size_kb: 65536 fill_policy: DISCARD }"
    echo "data_sources { config { name: \"linux.ftrace\" ftrace_config { $* } } }"
    echo 'data_sources { config { name: "linux.process_stats" process_stats_config { scan_all_processes_on_start: true } } }'
}

ftrace_events() { for e in "$@"; do printf 'ftrace_events: "%s" ' "$e"; done; }

# begin ARGS...: orma record ARGS in the background, once everything is being recorded; end: stops it and waits for it.
begin() {
    orma record "$@" --background 2>said || { cat said >&2; return 1; }
    cat said >&2
    recording=$(sed -n "s/.*'kill \([0-9]*\)'.*/\1/p" said)
}

end() {
    kill "$recording"
    for _ in $(seq 200); do
        grep -q '^State:.[^Z]' "/proc/$recording/status" 2>/dev/null || return 0
        usleep 50000
    done
    echo "the recording does not end" >&2
    return 1
}

# The same ring, read twice: as the kernel's text, which consumes nothing, then by orma.
feature_probes() {
    clock=$(sed 's/.*\[\(.*\)\].*/\1/' $T/trace_clock)
    echo boot >$T/trace_clock
    echo 8192 >$T/buffer_size_kb
    for e in $events; do echo 1 >$T/events/$e/enable || echo "no $e"; done
    echo 1 >$T/tracing_on
    some_load
    echo 0 >$T/tracing_on
    echo 0 >$T/options/hash-ptr
    cat $T/trace >text
    echo 1 >$T/options/hash-ptr
    echo 1 >$T/options/raw
    cat $T/trace >raw
    echo 0 >$T/options/raw
    config 300 "$(ftrace_events $events) preserve_ftrace_buffer: true symbolize_ksyms: true buffer_size_kb: 8192" >config.txt
    orma record -c config.txt --allow-unknown -o probes.pftrace
    echo 0 >$T/events/enable
    echo >$T/trace
    echo "$clock" >$T/trace_clock
    echo 1408 >$T/buffer_size_kb
    echo 1 >$T/tracing_on
}

# The same seconds, recorded by the kernel into an instance, and by orma.
feature_live() {
    mkdir $T/instances/oracle
    echo boot >$T/instances/oracle/trace_clock
    echo 8192 >$T/instances/oracle/buffer_size_kb
    for e in $events; do echo 1 >$T/instances/oracle/events/$e/enable; done
    config 30000 "$(ftrace_events $events) buffer_size_kb: 8192" >config.txt
    begin -c config.txt --allow-unknown -o live.pftrace
    some_load >load_pids
    echo 0 >$T/instances/oracle/tracing_on
    cat $T/instances/oracle/trace >text
    end
    rmdir $T/instances/oracle
}

# What the kernel's tracer did, as its text and by orma; then a recording of orma's own.
feature_function_graph() {
    if grep -q function_graph $T/available_tracers; then
        clock=$(sed 's/.*\[\(.*\)\].*/\1/' $T/trace_clock)
        echo boot >$T/trace_clock
        for option in funcgraph-abstime funcgraph-proc funcgraph-tail; do echo 1 >$T/options/$option; done
        echo 0 >$T/options/funcgraph-irqs # in emulation, a tick may take longer than the time to the next
        echo 'vfs_* seq_* rw_* security_* show_* __get_task_ioprio mutex_*' >$T/set_ftrace_filter # all of them take seconds
        echo 'vfs_read' >$T/set_graph_function
        echo 3 >$T/max_graph_depth
        echo >$T/trace
        echo function_graph >$T/current_tracer
        load reads 30 >pid_same
        echo 0 >$T/tracing_on
        cat $T/trace >text
        config 300 "enable_function_graph: true symbolize_ksyms: true preserve_ftrace_buffer: true" >config.txt
        orma record -c config.txt -o same.pftrace
        echo nop >$T/current_tracer
        for option in funcgraph-abstime funcgraph-proc funcgraph-tail; do echo 0 >$T/options/$option; done
        echo >$T/set_ftrace_filter
        echo >$T/set_graph_function
        echo 0 >$T/max_graph_depth
        echo "$clock" >$T/trace_clock
        echo >$T/trace
        echo 1 >$T/tracing_on
    fi
    orma record --function-graph 'vfs_read' --max-depth 3 -o own.pftrace -- load reads 20 >pid_own
    echo 1 >$T/options/funcgraph-irqs
    orma record --function-graph 'no_such_function*' -o none.pftrace -- load reads 20 && echo "a function that does not exist was taken"
    return 0
}

feature_kprobes() {
    config 30000 'kprobe_events { probe: "do_sys_openat2" type: KPROBE_TYPE_BOTH }' >config.txt
    begin -c config.txt -o both.pftrace
    load opens 40 >pid
    end
    orma record --kprobe 'do_sys_openat2 dfd=$arg1:s32 file=$arg2:string' --kretprobe 'do_sys_openat2 $retval:s32' \
        -o arguments.pftrace -- load opens 40
    orma record --kprobe 'do_sys_openat2 filename:string' -o names.pftrace -- load opens 10 2>names # by BTF
    cat names
    orma record --kprobe no_such_function -o none.pftrace -- load opens 1 && echo "a function that does not exist was taken"
    return 0
}

feature_uprobes() {
    case $(uname -m) in aarch64) first=%x0 ;; *) first=%di ;; esac
    orma record --uprobe "/bin/load:probe_site_called value=$first:s32" --uretprobe '/bin/load:probe_site_called $retval:s32' \
        -o uprobes.pftrace -- load calls 50
}

feature_usdt() {
    orma record --usdt /bin/load:orma_test:passed -o usdt.pftrace -- load calls 50
}

# Every data source that says it can record here, at once.
feature_sources() {
    traced_probes --check
    orma doctor
    {
        echo "duration_ms: 1500 buffers { size_kb: 16384 }"
        echo 'data_sources { config { name: "linux.ftrace" ftrace_config { ftrace_events: "sched/sched_switch" } } }'
        echo 'data_sources { config { name: "linux.process_stats" process_stats_config { scan_all_processes_on_start: true proc_stats_poll_ms: 200 } } }'
        echo 'data_sources { config { name: "linux.sys_stats" sys_stats_config { meminfo_period_ms: 200 vmstat_period_ms: 200 stat_period_ms: 200 psi_period_ms: 200 } } }'
        echo 'data_sources { config { name: "linux.system_info" system_info_config { irq_names: true } } }'
        echo 'data_sources { config { name: "linux.perf" perf_event_config { timebase { frequency: 100 counter: SW_CPU_CLOCK } callstack_sampling { kernel_frames: true } } } }'
    } >config.txt
    orma record -c config.txt -o sources.pftrace -- load burn 1000
}

feature_profile() {
    orma profile -F 500 -o profile -- load burn 1000
    orma profile report profile/raw-trace >report
}

# A recording that is killed leaves the tracer changed; --repair puts it back.
feature_repair() {
    [ -e $T/kprobe_events ] && probe='--kprobe do_sys_openat2' || probe=''
    ! grep -q function_graph $T/available_tracers || probe="$probe --function-graph vfs_read --max-depth 2"
    begin sched/sched_switch --uprobe /bin/load:probe_site_called $probe -b 8mb -o killed.pftrace
    state >during
    kill -9 "$recording"
    sleep 1
    state >killed
    orma status --repair
}

# More than the kernel's ring holds: what is there and what was lost are what was written.
feature_loss() {
    config 60000 'ftrace_events: "ftrace/print" buffer_size_kb: 64 drain_period_ms: 1000' >config.txt
    begin -c config.txt -o loss.pftrace
    load markers 20000
    load markers 20000
    end
    orma stats loss.pftrace
}

# A ring in memory that the boot loader leaves alone (reserve_mem, trace_instance), from before a reboot. The last feature.
feature_reboot() {
    ring=$T/instances/survivor
    if [ ! -d $ring ]; then
        read_survivor # says what is missing
        return 0
    fi
    echo 1 >$ring/tracing_on
    for i in $(seq 300); do echo "survivor $i" >$ring/trace_marker; done
    echo 0 >$ring/tracing_on
    cat $ring/trace >text
    touch first
}

read_survivor() {
    {
        echo "duration_ms: 500 buffers { size_kb: 16384 }"
        echo 'data_sources { config { name: "linux.frozen_ftrace" frozen_ftrace_config { instance_name: "survivor" } } }'
    } >config.txt
    orma record -c config.txt -o survivor.pftrace
}

run_feature() {
    mkdir -p "/out/$1"
    cd "/out/$1" || return
    state >before
    cut -d' ' -f1 /proc/uptime >begin
    (timeout -k 5 $seconds sh -x /init feature "$1") >log 2>&1
    echo $? >status
    tail -n 3 log
    cut -d' ' -f1 /proc/uptime >end
    state >after
    dmesg -c >dmesg
    cd /
}

deliver() {
    tar -C /out -cf /dev/vda .
    sync
}

if [ "${1-}" = read_survivor ]; then
    read_survivor
    exit
fi
if [ "${1-}" = feature ]; then
    "feature_$2"
    exit
fi
prepare
[ "$(head -c 1 /dev/vda | tr -d '\0')" = "" ] || tar -C /out -xf /dev/vda
if [ -e /out/reboot/first ]; then # the second boot
    cd /out/reboot || exit
    mv first second
    dmesg | grep -i -e 'ring buffer' -e reserve_mem >dmesg_second
    cat $T/instances/survivor/trace >text_second # what the kernel itself has found
    sh -x /init read_survivor >>log 2>&1
    echo $? >status
    deliver
    poweroff -f
fi
uname -r >/out/kernel
for feature in $(tr , ' ' </features); do
    echo "-- $feature"
    run_feature "$feature"
    deliver # each time: a kernel that stands still leaves what was before
done
if [ -e /out/reboot/first ]; then
    sleep 1
    reboot -f
fi
poweroff -f
