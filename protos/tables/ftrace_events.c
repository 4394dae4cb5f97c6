/* Ftrace messages and the tracepoints they stand for. Made by tools/gen_protos.py. */
#include "protos/tables/ftrace_events.h"

#include <stddef.h>

static const struct orma_ftrace_field fields_print_ftrace_event[] = {
    {"ip", 1, ORMA_PB_TYPE_UINT64, false},
    {"buf", 2, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_sched_switch_ftrace_event[] = {
    {"prev_comm", 1, ORMA_PB_TYPE_STRING, false},
    {"prev_pid", 2, ORMA_PB_TYPE_INT32, false},
    {"prev_prio", 3, ORMA_PB_TYPE_INT32, false},
    {"prev_state", 4, ORMA_PB_TYPE_INT64, false},
    {"next_comm", 5, ORMA_PB_TYPE_STRING, false},
    {"next_pid", 6, ORMA_PB_TYPE_INT32, false},
    {"next_prio", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_cpu_frequency_ftrace_event[] = {
    {"state", 1, ORMA_PB_TYPE_UINT32, false},
    {"cpu_id", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_cpu_frequency_limits_ftrace_event[] = {
    {"min_freq", 1, ORMA_PB_TYPE_UINT32, false},
    {"max_freq", 2, ORMA_PB_TYPE_UINT32, false},
    {"cpu_id", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_cpu_idle_ftrace_event[] = {
    {"state", 1, ORMA_PB_TYPE_UINT32, false},
    {"cpu_id", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_clock_enable_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"state", 2, ORMA_PB_TYPE_UINT64, false},
    {"cpu_id", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_clock_disable_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"state", 2, ORMA_PB_TYPE_UINT64, false},
    {"cpu_id", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_clock_set_rate_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"state", 2, ORMA_PB_TYPE_UINT64, false},
    {"cpu_id", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_sched_wakeup_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"prio", 3, ORMA_PB_TYPE_INT32, false},
    {"success", 4, ORMA_PB_TYPE_INT32, false},
    {"target_cpu", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_sched_blocked_reason_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
    {"caller", 2, ORMA_PB_TYPE_UINT64, false},
    {"io_wait", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_sched_cpu_hotplug_ftrace_event[] = {
    {"affected_cpu", 1, ORMA_PB_TYPE_INT32, false},
    {"error", 2, ORMA_PB_TYPE_INT32, false},
    {"status", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_sched_waking_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"prio", 3, ORMA_PB_TYPE_INT32, false},
    {"success", 4, ORMA_PB_TYPE_INT32, false},
    {"target_cpu", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ipi_entry_ftrace_event[] = {
    {"reason", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_ipi_exit_ftrace_event[] = {
    {"reason", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_ipi_raise_ftrace_event[] = {
    {"target_cpus", 1, ORMA_PB_TYPE_UINT32, false},
    {"reason", 2, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_softirq_entry_ftrace_event[] = {
    {"vec", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_softirq_exit_ftrace_event[] = {
    {"vec", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_softirq_raise_ftrace_event[] = {
    {"vec", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_i2c_read_ftrace_event[] = {
    {"adapter_nr", 1, ORMA_PB_TYPE_INT32, false},
    {"msg_nr", 2, ORMA_PB_TYPE_UINT32, false},
    {"addr", 3, ORMA_PB_TYPE_UINT32, false},
    {"flags", 4, ORMA_PB_TYPE_UINT32, false},
    {"len", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_i2c_write_ftrace_event[] = {
    {"adapter_nr", 1, ORMA_PB_TYPE_INT32, false},
    {"msg_nr", 2, ORMA_PB_TYPE_UINT32, false},
    {"addr", 3, ORMA_PB_TYPE_UINT32, false},
    {"flags", 4, ORMA_PB_TYPE_UINT32, false},
    {"len", 5, ORMA_PB_TYPE_UINT32, false},
    {"buf", 7, ORMA_PB_TYPE_BYTES, false},
};

static const struct orma_ftrace_field fields_i2c_result_ftrace_event[] = {
    {"adapter_nr", 1, ORMA_PB_TYPE_INT32, false},
    {"nr_msgs", 2, ORMA_PB_TYPE_UINT32, false},
    {"ret", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_i2c_reply_ftrace_event[] = {
    {"adapter_nr", 1, ORMA_PB_TYPE_INT32, false},
    {"msg_nr", 2, ORMA_PB_TYPE_UINT32, false},
    {"addr", 3, ORMA_PB_TYPE_UINT32, false},
    {"flags", 4, ORMA_PB_TYPE_UINT32, false},
    {"len", 5, ORMA_PB_TYPE_UINT32, false},
    {"buf", 7, ORMA_PB_TYPE_BYTES, false},
};

static const struct orma_ftrace_field fields_smbus_read_ftrace_event[] = {
    {"adapter_nr", 1, ORMA_PB_TYPE_INT32, false},
    {"flags", 2, ORMA_PB_TYPE_UINT32, false},
    {"addr", 3, ORMA_PB_TYPE_UINT32, false},
    {"command", 4, ORMA_PB_TYPE_UINT32, false},
    {"protocol", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_smbus_write_ftrace_event[] = {
    {"adapter_nr", 1, ORMA_PB_TYPE_INT32, false},
    {"addr", 2, ORMA_PB_TYPE_UINT32, false},
    {"flags", 3, ORMA_PB_TYPE_UINT32, false},
    {"command", 4, ORMA_PB_TYPE_UINT32, false},
    {"len", 5, ORMA_PB_TYPE_UINT32, false},
    {"protocol", 6, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_smbus_result_ftrace_event[] = {
    {"adapter_nr", 1, ORMA_PB_TYPE_INT32, false},
    {"addr", 2, ORMA_PB_TYPE_UINT32, false},
    {"flags", 3, ORMA_PB_TYPE_UINT32, false},
    {"read_write", 4, ORMA_PB_TYPE_UINT32, false},
    {"command", 5, ORMA_PB_TYPE_UINT32, false},
    {"res", 6, ORMA_PB_TYPE_INT32, false},
    {"protocol", 7, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_smbus_reply_ftrace_event[] = {
    {"adapter_nr", 1, ORMA_PB_TYPE_INT32, false},
    {"addr", 2, ORMA_PB_TYPE_UINT32, false},
    {"flags", 3, ORMA_PB_TYPE_UINT32, false},
    {"command", 4, ORMA_PB_TYPE_UINT32, false},
    {"len", 5, ORMA_PB_TYPE_UINT32, false},
    {"protocol", 6, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_lowmemory_kill_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"pagecache_size", 3, ORMA_PB_TYPE_INT64, false},
    {"pagecache_limit", 4, ORMA_PB_TYPE_INT64, false},
    {"free", 5, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_irq_handler_entry_ftrace_event[] = {
    {"irq", 1, ORMA_PB_TYPE_INT32, false},
    {"name", 2, ORMA_PB_TYPE_STRING, false},
    {"handler", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_irq_handler_exit_ftrace_event[] = {
    {"irq", 1, ORMA_PB_TYPE_INT32, false},
    {"ret", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_sync_pt_ftrace_event[] = {
    {"timeline", 1, ORMA_PB_TYPE_STRING, false},
    {"value", 2, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_sync_timeline_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"value", 2, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_sync_wait_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"status", 2, ORMA_PB_TYPE_INT32, false},
    {"begin", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_da_write_begin_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pos", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"flags", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_da_write_end_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pos", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"copied", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_sync_file_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"parent", 3, ORMA_PB_TYPE_UINT64, false},
    {"datasync", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_sync_file_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"ret", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_block_rq_issue_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"bytes", 4, ORMA_PB_TYPE_UINT32, false},
    {"rwbs", 5, ORMA_PB_TYPE_STRING, false},
    {"comm", 6, ORMA_PB_TYPE_STRING, false},
    {"cmd", 7, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_mm_vmscan_direct_reclaim_begin_ftrace_event[] = {
    {"order", 1, ORMA_PB_TYPE_INT32, false},
    {"may_writepage", 2, ORMA_PB_TYPE_INT32, false},
    {"gfp_flags", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mm_vmscan_direct_reclaim_end_ftrace_event[] = {
    {"nr_reclaimed", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_vmscan_kswapd_wake_ftrace_event[] = {
    {"nid", 1, ORMA_PB_TYPE_INT32, false},
    {"order", 2, ORMA_PB_TYPE_INT32, false},
    {"zid", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_vmscan_kswapd_sleep_ftrace_event[] = {
    {"nid", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_binder_transaction_ftrace_event[] = {
    {"debug_id", 1, ORMA_PB_TYPE_INT32, false},
    {"target_node", 2, ORMA_PB_TYPE_INT32, false},
    {"to_proc", 3, ORMA_PB_TYPE_INT32, false},
    {"to_thread", 4, ORMA_PB_TYPE_INT32, false},
    {"reply", 5, ORMA_PB_TYPE_INT32, false},
    {"code", 6, ORMA_PB_TYPE_UINT32, false},
    {"flags", 7, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_binder_transaction_received_ftrace_event[] = {
    {"debug_id", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_binder_set_priority_ftrace_event[] = {
    {"proc", 1, ORMA_PB_TYPE_INT32, false},
    {"thread", 2, ORMA_PB_TYPE_INT32, false},
    {"old_prio", 3, ORMA_PB_TYPE_UINT32, false},
    {"new_prio", 4, ORMA_PB_TYPE_UINT32, false},
    {"desired_prio", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_binder_lock_ftrace_event[] = {
    {"tag", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_binder_locked_ftrace_event[] = {
    {"tag", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_binder_unlock_ftrace_event[] = {
    {"tag", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_workqueue_activate_work_ftrace_event[] = {
    {"work", 1, ORMA_PB_TYPE_UINT64, false},
    {"function", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_workqueue_execute_end_ftrace_event[] = {
    {"work", 1, ORMA_PB_TYPE_UINT64, false},
    {"function", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_workqueue_execute_start_ftrace_event[] = {
    {"work", 1, ORMA_PB_TYPE_UINT64, false},
    {"function", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_workqueue_queue_work_ftrace_event[] = {
    {"work", 1, ORMA_PB_TYPE_UINT64, false},
    {"function", 2, ORMA_PB_TYPE_UINT64, false},
    {"req_cpu", 4, ORMA_PB_TYPE_INT32, false},
    {"cpu", 5, ORMA_PB_TYPE_INT32, false},
    {"workqueue", 6, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_regulator_disable_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_regulator_disable_complete_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_regulator_enable_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_regulator_enable_complete_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_regulator_enable_delay_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_regulator_set_voltage_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"min", 2, ORMA_PB_TYPE_INT32, false},
    {"max", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_regulator_set_voltage_complete_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"val", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_cgroup_attach_task_ftrace_event[] = {
    {"dst_root", 1, ORMA_PB_TYPE_INT32, false},
    {"dst_id", 2, ORMA_PB_TYPE_INT32, false},
    {"pid", 3, ORMA_PB_TYPE_INT32, false},
    {"comm", 4, ORMA_PB_TYPE_STRING, false},
    {"cname", 5, ORMA_PB_TYPE_STRING, false},
    {"dst_level", 6, ORMA_PB_TYPE_INT32, false},
    {"dst_path", 7, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cgroup_mkdir_ftrace_event[] = {
    {"root", 1, ORMA_PB_TYPE_INT32, false},
    {"id", 2, ORMA_PB_TYPE_INT32, false},
    {"cname", 3, ORMA_PB_TYPE_STRING, false},
    {"level", 4, ORMA_PB_TYPE_INT32, false},
    {"path", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cgroup_remount_ftrace_event[] = {
    {"root", 1, ORMA_PB_TYPE_INT32, false},
    {"ss_mask", 2, ORMA_PB_TYPE_UINT32, false},
    {"name", 3, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cgroup_rmdir_ftrace_event[] = {
    {"root", 1, ORMA_PB_TYPE_INT32, false},
    {"id", 2, ORMA_PB_TYPE_INT32, false},
    {"cname", 3, ORMA_PB_TYPE_STRING, false},
    {"level", 4, ORMA_PB_TYPE_INT32, false},
    {"path", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cgroup_transfer_tasks_ftrace_event[] = {
    {"dst_root", 1, ORMA_PB_TYPE_INT32, false},
    {"dst_id", 2, ORMA_PB_TYPE_INT32, false},
    {"pid", 3, ORMA_PB_TYPE_INT32, false},
    {"comm", 4, ORMA_PB_TYPE_STRING, false},
    {"cname", 5, ORMA_PB_TYPE_STRING, false},
    {"dst_level", 6, ORMA_PB_TYPE_INT32, false},
    {"dst_path", 7, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cgroup_destroy_root_ftrace_event[] = {
    {"root", 1, ORMA_PB_TYPE_INT32, false},
    {"ss_mask", 2, ORMA_PB_TYPE_UINT32, false},
    {"name", 3, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cgroup_release_ftrace_event[] = {
    {"root", 1, ORMA_PB_TYPE_INT32, false},
    {"id", 2, ORMA_PB_TYPE_INT32, false},
    {"cname", 3, ORMA_PB_TYPE_STRING, false},
    {"level", 4, ORMA_PB_TYPE_INT32, false},
    {"path", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cgroup_rename_ftrace_event[] = {
    {"root", 1, ORMA_PB_TYPE_INT32, false},
    {"id", 2, ORMA_PB_TYPE_INT32, false},
    {"cname", 3, ORMA_PB_TYPE_STRING, false},
    {"level", 4, ORMA_PB_TYPE_INT32, false},
    {"path", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cgroup_setup_root_ftrace_event[] = {
    {"root", 1, ORMA_PB_TYPE_INT32, false},
    {"ss_mask", 2, ORMA_PB_TYPE_UINT32, false},
    {"name", 3, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_mdp_cmd_kickoff_ftrace_event[] = {
    {"ctl_num", 1, ORMA_PB_TYPE_UINT32, false},
    {"kickoff_cnt", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mdp_commit_ftrace_event[] = {
    {"num", 1, ORMA_PB_TYPE_UINT32, false},
    {"play_cnt", 2, ORMA_PB_TYPE_UINT32, false},
    {"clk_rate", 3, ORMA_PB_TYPE_UINT32, false},
    {"bandwidth", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mdp_perf_set_ot_ftrace_event[] = {
    {"pnum", 1, ORMA_PB_TYPE_UINT32, false},
    {"xin_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"rd_lim", 3, ORMA_PB_TYPE_UINT32, false},
    {"is_vbif_rt", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_sspp_change_ftrace_event[] = {
    {"num", 1, ORMA_PB_TYPE_UINT32, false},
    {"play_cnt", 2, ORMA_PB_TYPE_UINT32, false},
    {"mixer", 3, ORMA_PB_TYPE_UINT32, false},
    {"stage", 4, ORMA_PB_TYPE_UINT32, false},
    {"flags", 5, ORMA_PB_TYPE_UINT32, false},
    {"format", 6, ORMA_PB_TYPE_UINT32, false},
    {"img_w", 7, ORMA_PB_TYPE_UINT32, false},
    {"img_h", 8, ORMA_PB_TYPE_UINT32, false},
    {"src_x", 9, ORMA_PB_TYPE_UINT32, false},
    {"src_y", 10, ORMA_PB_TYPE_UINT32, false},
    {"src_w", 11, ORMA_PB_TYPE_UINT32, false},
    {"src_h", 12, ORMA_PB_TYPE_UINT32, false},
    {"dst_x", 13, ORMA_PB_TYPE_UINT32, false},
    {"dst_y", 14, ORMA_PB_TYPE_UINT32, false},
    {"dst_w", 15, ORMA_PB_TYPE_UINT32, false},
    {"dst_h", 16, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_tracing_mark_write_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
    {"trace_name", 2, ORMA_PB_TYPE_STRING, false},
    {"trace_begin", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_cmd_pingpong_done_ftrace_event[] = {
    {"ctl_num", 1, ORMA_PB_TYPE_UINT32, false},
    {"intf_num", 2, ORMA_PB_TYPE_UINT32, false},
    {"pp_num", 3, ORMA_PB_TYPE_UINT32, false},
    {"koff_cnt", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mdp_compare_bw_ftrace_event[] = {
    {"new_ab", 1, ORMA_PB_TYPE_UINT64, false},
    {"new_ib", 2, ORMA_PB_TYPE_UINT64, false},
    {"new_wb", 3, ORMA_PB_TYPE_UINT64, false},
    {"old_ab", 4, ORMA_PB_TYPE_UINT64, false},
    {"old_ib", 5, ORMA_PB_TYPE_UINT64, false},
    {"old_wb", 6, ORMA_PB_TYPE_UINT64, false},
    {"params_changed", 7, ORMA_PB_TYPE_UINT32, false},
    {"update_bw", 8, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_perf_set_panic_luts_ftrace_event[] = {
    {"pnum", 1, ORMA_PB_TYPE_UINT32, false},
    {"fmt", 2, ORMA_PB_TYPE_UINT32, false},
    {"mode", 3, ORMA_PB_TYPE_UINT32, false},
    {"panic_lut", 4, ORMA_PB_TYPE_UINT32, false},
    {"robust_lut", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_sspp_set_ftrace_event[] = {
    {"num", 1, ORMA_PB_TYPE_UINT32, false},
    {"play_cnt", 2, ORMA_PB_TYPE_UINT32, false},
    {"mixer", 3, ORMA_PB_TYPE_UINT32, false},
    {"stage", 4, ORMA_PB_TYPE_UINT32, false},
    {"flags", 5, ORMA_PB_TYPE_UINT32, false},
    {"format", 6, ORMA_PB_TYPE_UINT32, false},
    {"img_w", 7, ORMA_PB_TYPE_UINT32, false},
    {"img_h", 8, ORMA_PB_TYPE_UINT32, false},
    {"src_x", 9, ORMA_PB_TYPE_UINT32, false},
    {"src_y", 10, ORMA_PB_TYPE_UINT32, false},
    {"src_w", 11, ORMA_PB_TYPE_UINT32, false},
    {"src_h", 12, ORMA_PB_TYPE_UINT32, false},
    {"dst_x", 13, ORMA_PB_TYPE_UINT32, false},
    {"dst_y", 14, ORMA_PB_TYPE_UINT32, false},
    {"dst_w", 15, ORMA_PB_TYPE_UINT32, false},
    {"dst_h", 16, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_cmd_readptr_done_ftrace_event[] = {
    {"ctl_num", 1, ORMA_PB_TYPE_UINT32, false},
    {"koff_cnt", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mdp_misr_crc_ftrace_event[] = {
    {"block_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"vsync_cnt", 2, ORMA_PB_TYPE_UINT32, false},
    {"crc", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_perf_set_qos_luts_ftrace_event[] = {
    {"pnum", 1, ORMA_PB_TYPE_UINT32, false},
    {"fmt", 2, ORMA_PB_TYPE_UINT32, false},
    {"intf", 3, ORMA_PB_TYPE_UINT32, false},
    {"rot", 4, ORMA_PB_TYPE_UINT32, false},
    {"fl", 5, ORMA_PB_TYPE_UINT32, false},
    {"lut", 6, ORMA_PB_TYPE_UINT32, false},
    {"linear", 7, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_trace_counter_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
    {"counter_name", 2, ORMA_PB_TYPE_STRING, false},
    {"value", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mdp_cmd_release_bw_ftrace_event[] = {
    {"ctl_num", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_mixer_update_ftrace_event[] = {
    {"mixer_num", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_perf_set_wm_levels_ftrace_event[] = {
    {"pnum", 1, ORMA_PB_TYPE_UINT32, false},
    {"use_space", 2, ORMA_PB_TYPE_UINT32, false},
    {"priority_bytes", 3, ORMA_PB_TYPE_UINT32, false},
    {"wm0", 4, ORMA_PB_TYPE_UINT32, false},
    {"wm1", 5, ORMA_PB_TYPE_UINT32, false},
    {"wm2", 6, ORMA_PB_TYPE_UINT32, false},
    {"mb_cnt", 7, ORMA_PB_TYPE_UINT32, false},
    {"mb_size", 8, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_video_underrun_done_ftrace_event[] = {
    {"ctl_num", 1, ORMA_PB_TYPE_UINT32, false},
    {"underrun_cnt", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_cmd_wait_pingpong_ftrace_event[] = {
    {"ctl_num", 1, ORMA_PB_TYPE_UINT32, false},
    {"kickoff_cnt", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mdp_perf_prefill_calc_ftrace_event[] = {
    {"pnum", 1, ORMA_PB_TYPE_UINT32, false},
    {"latency_buf", 2, ORMA_PB_TYPE_UINT32, false},
    {"ot", 3, ORMA_PB_TYPE_UINT32, false},
    {"y_buf", 4, ORMA_PB_TYPE_UINT32, false},
    {"y_scaler", 5, ORMA_PB_TYPE_UINT32, false},
    {"pp_lines", 6, ORMA_PB_TYPE_UINT32, false},
    {"pp_bytes", 7, ORMA_PB_TYPE_UINT32, false},
    {"post_sc", 8, ORMA_PB_TYPE_UINT32, false},
    {"fbc_bytes", 9, ORMA_PB_TYPE_UINT32, false},
    {"prefill_bytes", 10, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mdp_perf_update_bus_ftrace_event[] = {
    {"client", 1, ORMA_PB_TYPE_INT32, false},
    {"ab_quota", 2, ORMA_PB_TYPE_UINT64, false},
    {"ib_quota", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_rotator_bw_ao_as_context_ftrace_event[] = {
    {"state", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mm_filemap_add_to_page_cache_ftrace_event[] = {
    {"pfn", 1, ORMA_PB_TYPE_UINT64, false},
    {"i_ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"index", 3, ORMA_PB_TYPE_UINT64, false},
    {"s_dev", 4, ORMA_PB_TYPE_UINT64, false},
    {"page", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_filemap_delete_from_page_cache_ftrace_event[] = {
    {"pfn", 1, ORMA_PB_TYPE_UINT64, false},
    {"i_ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"index", 3, ORMA_PB_TYPE_UINT64, false},
    {"s_dev", 4, ORMA_PB_TYPE_UINT64, false},
    {"page", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_compaction_begin_ftrace_event[] = {
    {"zone_start", 1, ORMA_PB_TYPE_UINT64, false},
    {"migrate_pfn", 2, ORMA_PB_TYPE_UINT64, false},
    {"free_pfn", 3, ORMA_PB_TYPE_UINT64, false},
    {"zone_end", 4, ORMA_PB_TYPE_UINT64, false},
    {"sync", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mm_compaction_defer_compaction_ftrace_event[] = {
    {"nid", 1, ORMA_PB_TYPE_INT32, false},
    {"idx", 2, ORMA_PB_TYPE_UINT32, false},
    {"order", 3, ORMA_PB_TYPE_INT32, false},
    {"considered", 4, ORMA_PB_TYPE_UINT32, false},
    {"defer_shift", 5, ORMA_PB_TYPE_UINT32, false},
    {"order_failed", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_compaction_deferred_ftrace_event[] = {
    {"nid", 1, ORMA_PB_TYPE_INT32, false},
    {"idx", 2, ORMA_PB_TYPE_UINT32, false},
    {"order", 3, ORMA_PB_TYPE_INT32, false},
    {"considered", 4, ORMA_PB_TYPE_UINT32, false},
    {"defer_shift", 5, ORMA_PB_TYPE_UINT32, false},
    {"order_failed", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_compaction_defer_reset_ftrace_event[] = {
    {"nid", 1, ORMA_PB_TYPE_INT32, false},
    {"idx", 2, ORMA_PB_TYPE_UINT32, false},
    {"order", 3, ORMA_PB_TYPE_INT32, false},
    {"considered", 4, ORMA_PB_TYPE_UINT32, false},
    {"defer_shift", 5, ORMA_PB_TYPE_UINT32, false},
    {"order_failed", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_compaction_end_ftrace_event[] = {
    {"zone_start", 1, ORMA_PB_TYPE_UINT64, false},
    {"migrate_pfn", 2, ORMA_PB_TYPE_UINT64, false},
    {"free_pfn", 3, ORMA_PB_TYPE_UINT64, false},
    {"zone_end", 4, ORMA_PB_TYPE_UINT64, false},
    {"sync", 5, ORMA_PB_TYPE_UINT32, false},
    {"status", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_compaction_finished_ftrace_event[] = {
    {"nid", 1, ORMA_PB_TYPE_INT32, false},
    {"idx", 2, ORMA_PB_TYPE_UINT32, false},
    {"order", 3, ORMA_PB_TYPE_INT32, false},
    {"ret", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_compaction_isolate_freepages_ftrace_event[] = {
    {"start_pfn", 1, ORMA_PB_TYPE_UINT64, false},
    {"end_pfn", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_scanned", 3, ORMA_PB_TYPE_UINT64, false},
    {"nr_taken", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_compaction_isolate_migratepages_ftrace_event[] = {
    {"start_pfn", 1, ORMA_PB_TYPE_UINT64, false},
    {"end_pfn", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_scanned", 3, ORMA_PB_TYPE_UINT64, false},
    {"nr_taken", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_compaction_kcompactd_sleep_ftrace_event[] = {
    {"nid", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_compaction_kcompactd_wake_ftrace_event[] = {
    {"nid", 1, ORMA_PB_TYPE_INT32, false},
    {"order", 2, ORMA_PB_TYPE_INT32, false},
    {"classzone_idx", 3, ORMA_PB_TYPE_UINT32, false},
    {"highest_zoneidx", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mm_compaction_migratepages_ftrace_event[] = {
    {"nr_migrated", 1, ORMA_PB_TYPE_UINT64, false},
    {"nr_failed", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_compaction_suitable_ftrace_event[] = {
    {"nid", 1, ORMA_PB_TYPE_INT32, false},
    {"idx", 2, ORMA_PB_TYPE_UINT32, false},
    {"order", 3, ORMA_PB_TYPE_INT32, false},
    {"ret", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_compaction_try_to_compact_pages_ftrace_event[] = {
    {"order", 1, ORMA_PB_TYPE_INT32, false},
    {"gfp_mask", 2, ORMA_PB_TYPE_UINT32, false},
    {"mode", 3, ORMA_PB_TYPE_UINT32, false},
    {"prio", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_compaction_wakeup_kcompactd_ftrace_event[] = {
    {"nid", 1, ORMA_PB_TYPE_INT32, false},
    {"order", 2, ORMA_PB_TYPE_INT32, false},
    {"classzone_idx", 3, ORMA_PB_TYPE_UINT32, false},
    {"highest_zoneidx", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_suspend_resume_ftrace_event[] = {
    {"action", 1, ORMA_PB_TYPE_STRING, false},
    {"val", 2, ORMA_PB_TYPE_INT32, false},
    {"start", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_sched_wakeup_new_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"prio", 3, ORMA_PB_TYPE_INT32, false},
    {"success", 4, ORMA_PB_TYPE_INT32, false},
    {"target_cpu", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_block_bio_backmerge_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"rwbs", 4, ORMA_PB_TYPE_STRING, false},
    {"comm", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_bio_bounce_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"rwbs", 4, ORMA_PB_TYPE_STRING, false},
    {"comm", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_bio_complete_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"error", 4, ORMA_PB_TYPE_INT32, false},
    {"rwbs", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_bio_frontmerge_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"rwbs", 4, ORMA_PB_TYPE_STRING, false},
    {"comm", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_bio_queue_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"rwbs", 4, ORMA_PB_TYPE_STRING, false},
    {"comm", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_bio_remap_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"old_dev", 4, ORMA_PB_TYPE_UINT64, false},
    {"old_sector", 5, ORMA_PB_TYPE_UINT64, false},
    {"rwbs", 6, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_dirty_buffer_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"size", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_block_getrq_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"rwbs", 4, ORMA_PB_TYPE_STRING, false},
    {"comm", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_plug_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_rq_abort_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"errors", 4, ORMA_PB_TYPE_INT32, false},
    {"rwbs", 5, ORMA_PB_TYPE_STRING, false},
    {"cmd", 6, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_rq_complete_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"errors", 4, ORMA_PB_TYPE_INT32, false},
    {"rwbs", 5, ORMA_PB_TYPE_STRING, false},
    {"cmd", 6, ORMA_PB_TYPE_STRING, false},
    {"error", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_block_rq_insert_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"bytes", 4, ORMA_PB_TYPE_UINT32, false},
    {"rwbs", 5, ORMA_PB_TYPE_STRING, false},
    {"comm", 6, ORMA_PB_TYPE_STRING, false},
    {"cmd", 7, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_rq_remap_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"old_dev", 4, ORMA_PB_TYPE_UINT64, false},
    {"old_sector", 5, ORMA_PB_TYPE_UINT64, false},
    {"nr_bios", 6, ORMA_PB_TYPE_UINT32, false},
    {"rwbs", 7, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_rq_requeue_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"errors", 4, ORMA_PB_TYPE_INT32, false},
    {"rwbs", 5, ORMA_PB_TYPE_STRING, false},
    {"cmd", 6, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_sleeprq_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"rwbs", 4, ORMA_PB_TYPE_STRING, false},
    {"comm", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_split_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"new_sector", 3, ORMA_PB_TYPE_UINT64, false},
    {"rwbs", 4, ORMA_PB_TYPE_STRING, false},
    {"comm", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_touch_buffer_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"size", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_block_unplug_ftrace_event[] = {
    {"nr_rq", 1, ORMA_PB_TYPE_INT32, false},
    {"comm", 2, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_ext4_alloc_da_blocks_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"data_blocks", 3, ORMA_PB_TYPE_UINT32, false},
    {"meta_blocks", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_allocate_blocks_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"block", 3, ORMA_PB_TYPE_UINT64, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"logical", 5, ORMA_PB_TYPE_UINT32, false},
    {"lleft", 6, ORMA_PB_TYPE_UINT32, false},
    {"lright", 7, ORMA_PB_TYPE_UINT32, false},
    {"goal", 8, ORMA_PB_TYPE_UINT64, false},
    {"pleft", 9, ORMA_PB_TYPE_UINT64, false},
    {"pright", 10, ORMA_PB_TYPE_UINT64, false},
    {"flags", 11, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_allocate_inode_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"dir", 3, ORMA_PB_TYPE_UINT64, false},
    {"mode", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_begin_ordered_truncate_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"new_size", 3, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_ext4_collapse_range_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"offset", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_ext4_da_release_space_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"i_blocks", 3, ORMA_PB_TYPE_UINT64, false},
    {"freed_blocks", 4, ORMA_PB_TYPE_INT32, false},
    {"reserved_data_blocks", 5, ORMA_PB_TYPE_INT32, false},
    {"reserved_meta_blocks", 6, ORMA_PB_TYPE_INT32, false},
    {"allocated_meta_blocks", 7, ORMA_PB_TYPE_INT32, false},
    {"mode", 8, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_da_reserve_space_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"i_blocks", 3, ORMA_PB_TYPE_UINT64, false},
    {"reserved_data_blocks", 4, ORMA_PB_TYPE_INT32, false},
    {"reserved_meta_blocks", 5, ORMA_PB_TYPE_INT32, false},
    {"mode", 6, ORMA_PB_TYPE_UINT32, false},
    {"md_needed", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_da_update_reserve_space_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"i_blocks", 3, ORMA_PB_TYPE_UINT64, false},
    {"used_blocks", 4, ORMA_PB_TYPE_INT32, false},
    {"reserved_data_blocks", 5, ORMA_PB_TYPE_INT32, false},
    {"reserved_meta_blocks", 6, ORMA_PB_TYPE_INT32, false},
    {"allocated_meta_blocks", 7, ORMA_PB_TYPE_INT32, false},
    {"quota_claim", 8, ORMA_PB_TYPE_INT32, false},
    {"mode", 9, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_da_write_pages_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"first_page", 3, ORMA_PB_TYPE_UINT64, false},
    {"nr_to_write", 4, ORMA_PB_TYPE_INT64, false},
    {"sync_mode", 5, ORMA_PB_TYPE_INT32, false},
    {"b_blocknr", 6, ORMA_PB_TYPE_UINT64, false},
    {"b_size", 7, ORMA_PB_TYPE_UINT32, false},
    {"b_state", 8, ORMA_PB_TYPE_UINT32, false},
    {"io_done", 9, ORMA_PB_TYPE_INT32, false},
    {"pages_written", 10, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_da_write_pages_extent_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT64, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"flags", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_direct_io_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pos", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_UINT64, false},
    {"rw", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_direct_io_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pos", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_UINT64, false},
    {"rw", 5, ORMA_PB_TYPE_INT32, false},
    {"ret", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_discard_blocks_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"blk", 2, ORMA_PB_TYPE_UINT64, false},
    {"count", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_discard_preallocations_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"len", 3, ORMA_PB_TYPE_UINT32, false},
    {"needed", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_drop_inode_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"drop", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_es_cache_extent_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"pblk", 5, ORMA_PB_TYPE_UINT64, false},
    {"status", 6, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_es_find_delayed_extent_range_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_es_find_delayed_extent_range_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"pblk", 5, ORMA_PB_TYPE_UINT64, false},
    {"status", 6, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_es_insert_extent_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"pblk", 5, ORMA_PB_TYPE_UINT64, false},
    {"status", 6, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_es_lookup_extent_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_es_lookup_extent_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"pblk", 5, ORMA_PB_TYPE_UINT64, false},
    {"status", 6, ORMA_PB_TYPE_UINT64, false},
    {"found", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_es_remove_extent_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_ext4_es_shrink_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"nr_shrunk", 2, ORMA_PB_TYPE_INT32, false},
    {"scan_time", 3, ORMA_PB_TYPE_UINT64, false},
    {"nr_skipped", 4, ORMA_PB_TYPE_INT32, false},
    {"retried", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_es_shrink_count_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"nr_to_scan", 2, ORMA_PB_TYPE_INT32, false},
    {"cache_cnt", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_es_shrink_scan_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"nr_to_scan", 2, ORMA_PB_TYPE_INT32, false},
    {"cache_cnt", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_es_shrink_scan_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"nr_shrunk", 2, ORMA_PB_TYPE_INT32, false},
    {"cache_cnt", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_evict_inode_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"nlink", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_ext_convert_to_initialized_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"m_lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"m_len", 4, ORMA_PB_TYPE_UINT32, false},
    {"u_lblk", 5, ORMA_PB_TYPE_UINT32, false},
    {"u_len", 6, ORMA_PB_TYPE_UINT32, false},
    {"u_pblk", 7, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_ext_convert_to_initialized_fastpath_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"m_lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"m_len", 4, ORMA_PB_TYPE_UINT32, false},
    {"u_lblk", 5, ORMA_PB_TYPE_UINT32, false},
    {"u_len", 6, ORMA_PB_TYPE_UINT32, false},
    {"u_pblk", 7, ORMA_PB_TYPE_UINT64, false},
    {"i_lblk", 8, ORMA_PB_TYPE_UINT32, false},
    {"i_len", 9, ORMA_PB_TYPE_UINT32, false},
    {"i_pblk", 10, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_ext_handle_unwritten_extents_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"flags", 3, ORMA_PB_TYPE_INT32, false},
    {"lblk", 4, ORMA_PB_TYPE_UINT32, false},
    {"pblk", 5, ORMA_PB_TYPE_UINT64, false},
    {"len", 6, ORMA_PB_TYPE_UINT32, false},
    {"allocated", 7, ORMA_PB_TYPE_UINT32, false},
    {"newblk", 8, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_ext_in_cache_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"ret", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_ext_load_extent_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pblk", 3, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_ext_map_blocks_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"flags", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_ext_map_blocks_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"flags", 3, ORMA_PB_TYPE_UINT32, false},
    {"pblk", 4, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 5, ORMA_PB_TYPE_UINT32, false},
    {"len", 6, ORMA_PB_TYPE_UINT32, false},
    {"mflags", 7, ORMA_PB_TYPE_UINT32, false},
    {"ret", 8, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_ext_put_in_cache_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"start", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_ext_remove_space_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"start", 3, ORMA_PB_TYPE_UINT32, false},
    {"end", 4, ORMA_PB_TYPE_UINT32, false},
    {"depth", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_ext_remove_space_done_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"start", 3, ORMA_PB_TYPE_UINT32, false},
    {"end", 4, ORMA_PB_TYPE_UINT32, false},
    {"depth", 5, ORMA_PB_TYPE_INT32, false},
    {"partial", 6, ORMA_PB_TYPE_INT64, false},
    {"eh_entries", 7, ORMA_PB_TYPE_UINT32, false},
    {"pc_lblk", 8, ORMA_PB_TYPE_UINT32, false},
    {"pc_pclu", 9, ORMA_PB_TYPE_UINT64, false},
    {"pc_state", 10, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_ext_rm_idx_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pblk", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_ext_rm_leaf_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"partial", 3, ORMA_PB_TYPE_INT64, false},
    {"start", 4, ORMA_PB_TYPE_UINT32, false},
    {"ee_lblk", 5, ORMA_PB_TYPE_UINT32, false},
    {"ee_pblk", 6, ORMA_PB_TYPE_UINT64, false},
    {"ee_len", 7, ORMA_PB_TYPE_INT32, false},
    {"pc_lblk", 8, ORMA_PB_TYPE_UINT32, false},
    {"pc_pclu", 9, ORMA_PB_TYPE_UINT64, false},
    {"pc_state", 10, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_ext_show_extent_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pblk", 3, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 4, ORMA_PB_TYPE_UINT32, false},
    {"len", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_fallocate_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"offset", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_INT64, false},
    {"mode", 5, ORMA_PB_TYPE_INT32, false},
    {"pos", 6, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_ext4_fallocate_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pos", 3, ORMA_PB_TYPE_INT64, false},
    {"blocks", 4, ORMA_PB_TYPE_UINT32, false},
    {"ret", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_find_delalloc_range_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"from", 3, ORMA_PB_TYPE_UINT32, false},
    {"to", 4, ORMA_PB_TYPE_UINT32, false},
    {"reverse", 5, ORMA_PB_TYPE_INT32, false},
    {"found", 6, ORMA_PB_TYPE_INT32, false},
    {"found_blk", 7, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_forget_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"block", 3, ORMA_PB_TYPE_UINT64, false},
    {"is_metadata", 4, ORMA_PB_TYPE_INT32, false},
    {"mode", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_free_blocks_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"block", 3, ORMA_PB_TYPE_UINT64, false},
    {"count", 4, ORMA_PB_TYPE_UINT64, false},
    {"flags", 5, ORMA_PB_TYPE_INT32, false},
    {"mode", 6, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_free_inode_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"uid", 3, ORMA_PB_TYPE_UINT32, false},
    {"gid", 4, ORMA_PB_TYPE_UINT32, false},
    {"blocks", 5, ORMA_PB_TYPE_UINT64, false},
    {"mode", 6, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_get_implied_cluster_alloc_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"flags", 2, ORMA_PB_TYPE_UINT32, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"pblk", 4, ORMA_PB_TYPE_UINT64, false},
    {"len", 5, ORMA_PB_TYPE_UINT32, false},
    {"ret", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_get_reserved_cluster_alloc_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_ind_map_blocks_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 3, ORMA_PB_TYPE_UINT32, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"flags", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_ind_map_blocks_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"flags", 3, ORMA_PB_TYPE_UINT32, false},
    {"pblk", 4, ORMA_PB_TYPE_UINT64, false},
    {"lblk", 5, ORMA_PB_TYPE_UINT32, false},
    {"len", 6, ORMA_PB_TYPE_UINT32, false},
    {"mflags", 7, ORMA_PB_TYPE_UINT32, false},
    {"ret", 8, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_insert_range_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"offset", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_ext4_invalidatepage_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"index", 3, ORMA_PB_TYPE_UINT64, false},
    {"offset", 4, ORMA_PB_TYPE_UINT64, false},
    {"length", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_journal_start_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ip", 2, ORMA_PB_TYPE_UINT64, false},
    {"blocks", 3, ORMA_PB_TYPE_INT32, false},
    {"rsv_blocks", 4, ORMA_PB_TYPE_INT32, false},
    {"nblocks", 5, ORMA_PB_TYPE_INT32, false},
    {"revoke_creds", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_journal_start_reserved_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ip", 2, ORMA_PB_TYPE_UINT64, false},
    {"blocks", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_journalled_invalidatepage_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"index", 3, ORMA_PB_TYPE_UINT64, false},
    {"offset", 4, ORMA_PB_TYPE_UINT64, false},
    {"length", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_journalled_write_end_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pos", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"copied", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_load_inode_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_load_inode_bitmap_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"group", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_mark_inode_dirty_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"ip", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_mb_bitmap_load_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"group", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_mb_buddy_bitmap_load_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"group", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_mb_discard_preallocations_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"needed", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_mb_new_group_pa_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pa_pstart", 3, ORMA_PB_TYPE_UINT64, false},
    {"pa_lstart", 4, ORMA_PB_TYPE_UINT64, false},
    {"pa_len", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_mb_new_inode_pa_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pa_pstart", 3, ORMA_PB_TYPE_UINT64, false},
    {"pa_lstart", 4, ORMA_PB_TYPE_UINT64, false},
    {"pa_len", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_mb_release_group_pa_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"pa_pstart", 2, ORMA_PB_TYPE_UINT64, false},
    {"pa_len", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_mb_release_inode_pa_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"block", 3, ORMA_PB_TYPE_UINT64, false},
    {"count", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_mballoc_alloc_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"orig_logical", 3, ORMA_PB_TYPE_UINT32, false},
    {"orig_start", 4, ORMA_PB_TYPE_INT32, false},
    {"orig_group", 5, ORMA_PB_TYPE_UINT32, false},
    {"orig_len", 6, ORMA_PB_TYPE_INT32, false},
    {"goal_logical", 7, ORMA_PB_TYPE_UINT32, false},
    {"goal_start", 8, ORMA_PB_TYPE_INT32, false},
    {"goal_group", 9, ORMA_PB_TYPE_UINT32, false},
    {"goal_len", 10, ORMA_PB_TYPE_INT32, false},
    {"result_logical", 11, ORMA_PB_TYPE_UINT32, false},
    {"result_start", 12, ORMA_PB_TYPE_INT32, false},
    {"result_group", 13, ORMA_PB_TYPE_UINT32, false},
    {"result_len", 14, ORMA_PB_TYPE_INT32, false},
    {"found", 15, ORMA_PB_TYPE_UINT32, false},
    {"groups", 16, ORMA_PB_TYPE_UINT32, false},
    {"buddy", 17, ORMA_PB_TYPE_UINT32, false},
    {"flags", 18, ORMA_PB_TYPE_UINT32, false},
    {"tail", 19, ORMA_PB_TYPE_UINT32, false},
    {"cr", 20, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_mballoc_discard_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"result_start", 3, ORMA_PB_TYPE_INT32, false},
    {"result_group", 4, ORMA_PB_TYPE_UINT32, false},
    {"result_len", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_mballoc_free_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"result_start", 3, ORMA_PB_TYPE_INT32, false},
    {"result_group", 4, ORMA_PB_TYPE_UINT32, false},
    {"result_len", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_mballoc_prealloc_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"orig_logical", 3, ORMA_PB_TYPE_UINT32, false},
    {"orig_start", 4, ORMA_PB_TYPE_INT32, false},
    {"orig_group", 5, ORMA_PB_TYPE_UINT32, false},
    {"orig_len", 6, ORMA_PB_TYPE_INT32, false},
    {"result_logical", 7, ORMA_PB_TYPE_UINT32, false},
    {"result_start", 8, ORMA_PB_TYPE_INT32, false},
    {"result_group", 9, ORMA_PB_TYPE_UINT32, false},
    {"result_len", 10, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_other_inode_update_time_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"orig_ino", 3, ORMA_PB_TYPE_UINT64, false},
    {"uid", 4, ORMA_PB_TYPE_UINT32, false},
    {"gid", 5, ORMA_PB_TYPE_UINT32, false},
    {"mode", 6, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_punch_hole_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"offset", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_INT64, false},
    {"mode", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_read_block_bitmap_load_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"group", 2, ORMA_PB_TYPE_UINT32, false},
    {"prefetch", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_readpage_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"index", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_releasepage_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"index", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_remove_blocks_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"from", 3, ORMA_PB_TYPE_UINT32, false},
    {"to", 4, ORMA_PB_TYPE_UINT32, false},
    {"partial", 5, ORMA_PB_TYPE_INT64, false},
    {"ee_pblk", 6, ORMA_PB_TYPE_UINT64, false},
    {"ee_lblk", 7, ORMA_PB_TYPE_UINT32, false},
    {"ee_len", 8, ORMA_PB_TYPE_UINT32, false},
    {"pc_lblk", 9, ORMA_PB_TYPE_UINT32, false},
    {"pc_pclu", 10, ORMA_PB_TYPE_UINT64, false},
    {"pc_state", 11, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_request_blocks_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"len", 3, ORMA_PB_TYPE_UINT32, false},
    {"logical", 4, ORMA_PB_TYPE_UINT32, false},
    {"lleft", 5, ORMA_PB_TYPE_UINT32, false},
    {"lright", 6, ORMA_PB_TYPE_UINT32, false},
    {"goal", 7, ORMA_PB_TYPE_UINT64, false},
    {"pleft", 8, ORMA_PB_TYPE_UINT64, false},
    {"pright", 9, ORMA_PB_TYPE_UINT64, false},
    {"flags", 10, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_request_inode_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"dir", 2, ORMA_PB_TYPE_UINT64, false},
    {"mode", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_sync_fs_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"wait", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_trim_all_free_ftrace_event[] = {
    {"dev_major", 1, ORMA_PB_TYPE_INT32, false},
    {"dev_minor", 2, ORMA_PB_TYPE_INT32, false},
    {"group", 3, ORMA_PB_TYPE_UINT32, false},
    {"start", 4, ORMA_PB_TYPE_INT32, false},
    {"len", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_trim_extent_ftrace_event[] = {
    {"dev_major", 1, ORMA_PB_TYPE_INT32, false},
    {"dev_minor", 2, ORMA_PB_TYPE_INT32, false},
    {"group", 3, ORMA_PB_TYPE_UINT32, false},
    {"start", 4, ORMA_PB_TYPE_INT32, false},
    {"len", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_truncate_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"blocks", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_truncate_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"blocks", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_unlink_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"parent", 3, ORMA_PB_TYPE_UINT64, false},
    {"size", 4, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_ext4_unlink_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"ret", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_write_begin_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pos", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"flags", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_write_end_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pos", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"copied", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_writepage_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"index", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ext4_writepages_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_to_write", 3, ORMA_PB_TYPE_INT64, false},
    {"pages_skipped", 4, ORMA_PB_TYPE_INT64, false},
    {"range_start", 5, ORMA_PB_TYPE_INT64, false},
    {"range_end", 6, ORMA_PB_TYPE_INT64, false},
    {"writeback_index", 7, ORMA_PB_TYPE_UINT64, false},
    {"sync_mode", 8, ORMA_PB_TYPE_INT32, false},
    {"for_kupdate", 9, ORMA_PB_TYPE_UINT32, false},
    {"range_cyclic", 10, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ext4_writepages_result_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"ret", 3, ORMA_PB_TYPE_INT32, false},
    {"pages_written", 4, ORMA_PB_TYPE_INT32, false},
    {"pages_skipped", 5, ORMA_PB_TYPE_INT64, false},
    {"writeback_index", 6, ORMA_PB_TYPE_UINT64, false},
    {"sync_mode", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ext4_zero_range_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"offset", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_INT64, false},
    {"mode", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_task_newtask_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
    {"comm", 2, ORMA_PB_TYPE_STRING, false},
    {"clone_flags", 3, ORMA_PB_TYPE_UINT64, false},
    {"oom_score_adj", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_task_rename_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
    {"oldcomm", 2, ORMA_PB_TYPE_STRING, false},
    {"newcomm", 3, ORMA_PB_TYPE_STRING, false},
    {"oom_score_adj", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_sched_process_exec_ftrace_event[] = {
    {"filename", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"old_pid", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_sched_process_exit_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"tgid", 3, ORMA_PB_TYPE_INT32, false},
    {"prio", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_sched_process_fork_ftrace_event[] = {
    {"parent_comm", 1, ORMA_PB_TYPE_STRING, false},
    {"parent_pid", 2, ORMA_PB_TYPE_INT32, false},
    {"child_comm", 3, ORMA_PB_TYPE_STRING, false},
    {"child_pid", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_sched_process_free_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"prio", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_sched_process_hang_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_sched_process_wait_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"prio", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_do_submit_bio_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"btype", 2, ORMA_PB_TYPE_INT32, false},
    {"sync", 3, ORMA_PB_TYPE_UINT32, false},
    {"sector", 4, ORMA_PB_TYPE_UINT64, false},
    {"size", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_evict_inode_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pino", 3, ORMA_PB_TYPE_UINT64, false},
    {"mode", 4, ORMA_PB_TYPE_UINT32, false},
    {"size", 5, ORMA_PB_TYPE_INT64, false},
    {"nlink", 6, ORMA_PB_TYPE_UINT32, false},
    {"blocks", 7, ORMA_PB_TYPE_UINT64, false},
    {"advise", 8, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_fallocate_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"mode", 3, ORMA_PB_TYPE_INT32, false},
    {"offset", 4, ORMA_PB_TYPE_INT64, false},
    {"len", 5, ORMA_PB_TYPE_INT64, false},
    {"size", 6, ORMA_PB_TYPE_INT64, false},
    {"blocks", 7, ORMA_PB_TYPE_UINT64, false},
    {"ret", 8, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_get_data_block_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"iblock", 3, ORMA_PB_TYPE_UINT64, false},
    {"bh_start", 4, ORMA_PB_TYPE_UINT64, false},
    {"bh_size", 5, ORMA_PB_TYPE_UINT64, false},
    {"ret", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_get_victim_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"type", 2, ORMA_PB_TYPE_INT32, false},
    {"gc_type", 3, ORMA_PB_TYPE_INT32, false},
    {"alloc_mode", 4, ORMA_PB_TYPE_INT32, false},
    {"gc_mode", 5, ORMA_PB_TYPE_INT32, false},
    {"victim", 6, ORMA_PB_TYPE_UINT32, false},
    {"ofs_unit", 7, ORMA_PB_TYPE_UINT32, false},
    {"pre_victim", 8, ORMA_PB_TYPE_UINT32, false},
    {"prefree", 9, ORMA_PB_TYPE_UINT32, false},
    {"free", 10, ORMA_PB_TYPE_UINT32, false},
    {"cost", 11, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_iget_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pino", 3, ORMA_PB_TYPE_UINT64, false},
    {"mode", 4, ORMA_PB_TYPE_UINT32, false},
    {"size", 5, ORMA_PB_TYPE_INT64, false},
    {"nlink", 6, ORMA_PB_TYPE_UINT32, false},
    {"blocks", 7, ORMA_PB_TYPE_UINT64, false},
    {"advise", 8, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_iget_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"ret", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_new_inode_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"ret", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_readpage_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"index", 3, ORMA_PB_TYPE_UINT64, false},
    {"blkaddr", 4, ORMA_PB_TYPE_UINT64, false},
    {"type", 5, ORMA_PB_TYPE_INT32, false},
    {"dir", 6, ORMA_PB_TYPE_INT32, false},
    {"dirty", 7, ORMA_PB_TYPE_INT32, false},
    {"uptodate", 8, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_reserve_new_block_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"nid", 2, ORMA_PB_TYPE_UINT32, false},
    {"ofs_in_node", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_set_page_dirty_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"type", 3, ORMA_PB_TYPE_INT32, false},
    {"dir", 4, ORMA_PB_TYPE_INT32, false},
    {"index", 5, ORMA_PB_TYPE_UINT64, false},
    {"dirty", 6, ORMA_PB_TYPE_INT32, false},
    {"uptodate", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_submit_write_page_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"type", 3, ORMA_PB_TYPE_INT32, false},
    {"index", 4, ORMA_PB_TYPE_UINT64, false},
    {"block", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_sync_file_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pino", 3, ORMA_PB_TYPE_UINT64, false},
    {"mode", 4, ORMA_PB_TYPE_UINT32, false},
    {"size", 5, ORMA_PB_TYPE_INT64, false},
    {"nlink", 6, ORMA_PB_TYPE_UINT32, false},
    {"blocks", 7, ORMA_PB_TYPE_UINT64, false},
    {"advise", 8, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_sync_file_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"need_cp", 3, ORMA_PB_TYPE_UINT32, false},
    {"datasync", 4, ORMA_PB_TYPE_INT32, false},
    {"ret", 5, ORMA_PB_TYPE_INT32, false},
    {"cp_reason", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_sync_fs_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"dirty", 2, ORMA_PB_TYPE_INT32, false},
    {"wait", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_truncate_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pino", 3, ORMA_PB_TYPE_UINT64, false},
    {"mode", 4, ORMA_PB_TYPE_UINT32, false},
    {"size", 5, ORMA_PB_TYPE_INT64, false},
    {"nlink", 6, ORMA_PB_TYPE_UINT32, false},
    {"blocks", 7, ORMA_PB_TYPE_UINT64, false},
    {"advise", 8, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_truncate_blocks_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"size", 3, ORMA_PB_TYPE_INT64, false},
    {"blocks", 4, ORMA_PB_TYPE_UINT64, false},
    {"from", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_f2fs_truncate_blocks_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"ret", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_truncate_data_blocks_range_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"nid", 3, ORMA_PB_TYPE_UINT32, false},
    {"ofs", 4, ORMA_PB_TYPE_UINT32, false},
    {"free", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_truncate_inode_blocks_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"size", 3, ORMA_PB_TYPE_INT64, false},
    {"blocks", 4, ORMA_PB_TYPE_UINT64, false},
    {"from", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_f2fs_truncate_inode_blocks_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"ret", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_truncate_node_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"nid", 3, ORMA_PB_TYPE_UINT32, false},
    {"blk_addr", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_truncate_nodes_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"nid", 3, ORMA_PB_TYPE_UINT32, false},
    {"blk_addr", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_truncate_nodes_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"ret", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_truncate_partial_nodes_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"nid", 3, ORMA_PB_TYPE_UINT32, false},
    {"depth", 4, ORMA_PB_TYPE_INT32, false},
    {"err", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_unlink_enter_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"size", 3, ORMA_PB_TYPE_INT64, false},
    {"blocks", 4, ORMA_PB_TYPE_UINT64, false},
    {"name", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_f2fs_unlink_exit_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"ret", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_vm_page_mkwrite_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"type", 3, ORMA_PB_TYPE_INT32, false},
    {"dir", 4, ORMA_PB_TYPE_INT32, false},
    {"index", 5, ORMA_PB_TYPE_UINT64, false},
    {"dirty", 6, ORMA_PB_TYPE_INT32, false},
    {"uptodate", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_f2fs_write_begin_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pos", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"flags", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_write_checkpoint_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"is_umount", 2, ORMA_PB_TYPE_UINT32, false},
    {"msg", 3, ORMA_PB_TYPE_STRING, false},
    {"reason", 4, ORMA_PB_TYPE_INT32, false},
    {"phase", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_write_end_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"pos", 3, ORMA_PB_TYPE_INT64, false},
    {"len", 4, ORMA_PB_TYPE_UINT32, false},
    {"copied", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_alloc_pages_iommu_end_ftrace_event[] = {
    {"gfp_flags", 1, ORMA_PB_TYPE_UINT32, false},
    {"order", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_alloc_pages_iommu_fail_ftrace_event[] = {
    {"gfp_flags", 1, ORMA_PB_TYPE_UINT32, false},
    {"order", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_alloc_pages_iommu_start_ftrace_event[] = {
    {"gfp_flags", 1, ORMA_PB_TYPE_UINT32, false},
    {"order", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_alloc_pages_sys_end_ftrace_event[] = {
    {"gfp_flags", 1, ORMA_PB_TYPE_UINT32, false},
    {"order", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_alloc_pages_sys_fail_ftrace_event[] = {
    {"gfp_flags", 1, ORMA_PB_TYPE_UINT32, false},
    {"order", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_alloc_pages_sys_start_ftrace_event[] = {
    {"gfp_flags", 1, ORMA_PB_TYPE_UINT32, false},
    {"order", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_dma_alloc_contiguous_retry_ftrace_event[] = {
    {"tries", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_iommu_map_range_ftrace_event[] = {
    {"chunk_size", 1, ORMA_PB_TYPE_UINT64, false},
    {"len", 2, ORMA_PB_TYPE_UINT64, false},
    {"pa", 3, ORMA_PB_TYPE_UINT64, false},
    {"va", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_iommu_sec_ptbl_map_range_end_ftrace_event[] = {
    {"len", 1, ORMA_PB_TYPE_UINT64, false},
    {"num", 2, ORMA_PB_TYPE_INT32, false},
    {"pa", 3, ORMA_PB_TYPE_UINT32, false},
    {"sec_id", 4, ORMA_PB_TYPE_INT32, false},
    {"va", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_iommu_sec_ptbl_map_range_start_ftrace_event[] = {
    {"len", 1, ORMA_PB_TYPE_UINT64, false},
    {"num", 2, ORMA_PB_TYPE_INT32, false},
    {"pa", 3, ORMA_PB_TYPE_UINT32, false},
    {"sec_id", 4, ORMA_PB_TYPE_INT32, false},
    {"va", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ion_alloc_buffer_end_ftrace_event[] = {
    {"client_name", 1, ORMA_PB_TYPE_STRING, false},
    {"flags", 2, ORMA_PB_TYPE_UINT32, false},
    {"heap_name", 3, ORMA_PB_TYPE_STRING, false},
    {"len", 4, ORMA_PB_TYPE_UINT64, false},
    {"mask", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ion_alloc_buffer_fail_ftrace_event[] = {
    {"client_name", 1, ORMA_PB_TYPE_STRING, false},
    {"error", 2, ORMA_PB_TYPE_INT64, false},
    {"flags", 3, ORMA_PB_TYPE_UINT32, false},
    {"heap_name", 4, ORMA_PB_TYPE_STRING, false},
    {"len", 5, ORMA_PB_TYPE_UINT64, false},
    {"mask", 6, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ion_alloc_buffer_fallback_ftrace_event[] = {
    {"client_name", 1, ORMA_PB_TYPE_STRING, false},
    {"error", 2, ORMA_PB_TYPE_INT64, false},
    {"flags", 3, ORMA_PB_TYPE_UINT32, false},
    {"heap_name", 4, ORMA_PB_TYPE_STRING, false},
    {"len", 5, ORMA_PB_TYPE_UINT64, false},
    {"mask", 6, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ion_alloc_buffer_start_ftrace_event[] = {
    {"client_name", 1, ORMA_PB_TYPE_STRING, false},
    {"flags", 2, ORMA_PB_TYPE_UINT32, false},
    {"heap_name", 3, ORMA_PB_TYPE_STRING, false},
    {"len", 4, ORMA_PB_TYPE_UINT64, false},
    {"mask", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ion_cp_alloc_retry_ftrace_event[] = {
    {"tries", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ion_cp_secure_buffer_end_ftrace_event[] = {
    {"align", 1, ORMA_PB_TYPE_UINT64, false},
    {"flags", 2, ORMA_PB_TYPE_UINT64, false},
    {"heap_name", 3, ORMA_PB_TYPE_STRING, false},
    {"len", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ion_cp_secure_buffer_start_ftrace_event[] = {
    {"align", 1, ORMA_PB_TYPE_UINT64, false},
    {"flags", 2, ORMA_PB_TYPE_UINT64, false},
    {"heap_name", 3, ORMA_PB_TYPE_STRING, false},
    {"len", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ion_prefetching_ftrace_event[] = {
    {"len", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ion_secure_cma_add_to_pool_end_ftrace_event[] = {
    {"is_prefetch", 1, ORMA_PB_TYPE_UINT32, false},
    {"len", 2, ORMA_PB_TYPE_UINT64, false},
    {"pool_total", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ion_secure_cma_add_to_pool_start_ftrace_event[] = {
    {"is_prefetch", 1, ORMA_PB_TYPE_UINT32, false},
    {"len", 2, ORMA_PB_TYPE_UINT64, false},
    {"pool_total", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ion_secure_cma_allocate_end_ftrace_event[] = {
    {"align", 1, ORMA_PB_TYPE_UINT64, false},
    {"flags", 2, ORMA_PB_TYPE_UINT64, false},
    {"heap_name", 3, ORMA_PB_TYPE_STRING, false},
    {"len", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ion_secure_cma_allocate_start_ftrace_event[] = {
    {"align", 1, ORMA_PB_TYPE_UINT64, false},
    {"flags", 2, ORMA_PB_TYPE_UINT64, false},
    {"heap_name", 3, ORMA_PB_TYPE_STRING, false},
    {"len", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ion_secure_cma_shrink_pool_end_ftrace_event[] = {
    {"drained_size", 1, ORMA_PB_TYPE_UINT64, false},
    {"skipped_size", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ion_secure_cma_shrink_pool_start_ftrace_event[] = {
    {"drained_size", 1, ORMA_PB_TYPE_UINT64, false},
    {"skipped_size", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kfree_ftrace_event[] = {
    {"call_site", 1, ORMA_PB_TYPE_UINT64, false},
    {"ptr", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kmalloc_ftrace_event[] = {
    {"bytes_alloc", 1, ORMA_PB_TYPE_UINT64, false},
    {"bytes_req", 2, ORMA_PB_TYPE_UINT64, false},
    {"call_site", 3, ORMA_PB_TYPE_UINT64, false},
    {"gfp_flags", 4, ORMA_PB_TYPE_UINT32, false},
    {"ptr", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kmalloc_node_ftrace_event[] = {
    {"bytes_alloc", 1, ORMA_PB_TYPE_UINT64, false},
    {"bytes_req", 2, ORMA_PB_TYPE_UINT64, false},
    {"call_site", 3, ORMA_PB_TYPE_UINT64, false},
    {"gfp_flags", 4, ORMA_PB_TYPE_UINT32, false},
    {"node", 5, ORMA_PB_TYPE_INT32, false},
    {"ptr", 6, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kmem_cache_alloc_ftrace_event[] = {
    {"bytes_alloc", 1, ORMA_PB_TYPE_UINT64, false},
    {"bytes_req", 2, ORMA_PB_TYPE_UINT64, false},
    {"call_site", 3, ORMA_PB_TYPE_UINT64, false},
    {"gfp_flags", 4, ORMA_PB_TYPE_UINT32, false},
    {"ptr", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kmem_cache_alloc_node_ftrace_event[] = {
    {"bytes_alloc", 1, ORMA_PB_TYPE_UINT64, false},
    {"bytes_req", 2, ORMA_PB_TYPE_UINT64, false},
    {"call_site", 3, ORMA_PB_TYPE_UINT64, false},
    {"gfp_flags", 4, ORMA_PB_TYPE_UINT32, false},
    {"node", 5, ORMA_PB_TYPE_INT32, false},
    {"ptr", 6, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kmem_cache_free_ftrace_event[] = {
    {"call_site", 1, ORMA_PB_TYPE_UINT64, false},
    {"ptr", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_migrate_pages_end_ftrace_event[] = {
    {"mode", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_migrate_pages_start_ftrace_event[] = {
    {"mode", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_migrate_retry_ftrace_event[] = {
    {"tries", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_page_alloc_ftrace_event[] = {
    {"gfp_flags", 1, ORMA_PB_TYPE_UINT32, false},
    {"migratetype", 2, ORMA_PB_TYPE_INT32, false},
    {"order", 3, ORMA_PB_TYPE_UINT32, false},
    {"page", 4, ORMA_PB_TYPE_UINT64, false},
    {"pfn", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_page_alloc_extfrag_ftrace_event[] = {
    {"alloc_migratetype", 1, ORMA_PB_TYPE_INT32, false},
    {"alloc_order", 2, ORMA_PB_TYPE_INT32, false},
    {"fallback_migratetype", 3, ORMA_PB_TYPE_INT32, false},
    {"fallback_order", 4, ORMA_PB_TYPE_INT32, false},
    {"page", 5, ORMA_PB_TYPE_UINT64, false},
    {"change_ownership", 6, ORMA_PB_TYPE_INT32, false},
    {"pfn", 7, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_page_alloc_zone_locked_ftrace_event[] = {
    {"migratetype", 1, ORMA_PB_TYPE_INT32, false},
    {"order", 2, ORMA_PB_TYPE_UINT32, false},
    {"page", 3, ORMA_PB_TYPE_UINT64, false},
    {"pfn", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_page_free_ftrace_event[] = {
    {"order", 1, ORMA_PB_TYPE_UINT32, false},
    {"page", 2, ORMA_PB_TYPE_UINT64, false},
    {"pfn", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_page_free_batched_ftrace_event[] = {
    {"cold", 1, ORMA_PB_TYPE_INT32, false},
    {"page", 2, ORMA_PB_TYPE_UINT64, false},
    {"pfn", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_page_pcpu_drain_ftrace_event[] = {
    {"migratetype", 1, ORMA_PB_TYPE_INT32, false},
    {"order", 2, ORMA_PB_TYPE_UINT32, false},
    {"page", 3, ORMA_PB_TYPE_UINT64, false},
    {"pfn", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_rss_stat_ftrace_event[] = {
    {"member", 1, ORMA_PB_TYPE_INT32, false},
    {"size", 2, ORMA_PB_TYPE_INT64, false},
    {"curr", 3, ORMA_PB_TYPE_UINT32, false},
    {"mm_id", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ion_heap_shrink_ftrace_event[] = {
    {"heap_name", 1, ORMA_PB_TYPE_STRING, false},
    {"len", 2, ORMA_PB_TYPE_UINT64, false},
    {"total_allocated", 3, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_ion_heap_grow_ftrace_event[] = {
    {"heap_name", 1, ORMA_PB_TYPE_STRING, false},
    {"len", 2, ORMA_PB_TYPE_UINT64, false},
    {"total_allocated", 3, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_fence_init_ftrace_event[] = {
    {"context", 1, ORMA_PB_TYPE_UINT32, false},
    {"driver", 2, ORMA_PB_TYPE_STRING, false},
    {"seqno", 3, ORMA_PB_TYPE_UINT32, false},
    {"timeline", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_fence_destroy_ftrace_event[] = {
    {"context", 1, ORMA_PB_TYPE_UINT32, false},
    {"driver", 2, ORMA_PB_TYPE_STRING, false},
    {"seqno", 3, ORMA_PB_TYPE_UINT32, false},
    {"timeline", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_fence_enable_signal_ftrace_event[] = {
    {"context", 1, ORMA_PB_TYPE_UINT32, false},
    {"driver", 2, ORMA_PB_TYPE_STRING, false},
    {"seqno", 3, ORMA_PB_TYPE_UINT32, false},
    {"timeline", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_fence_signaled_ftrace_event[] = {
    {"context", 1, ORMA_PB_TYPE_UINT32, false},
    {"driver", 2, ORMA_PB_TYPE_STRING, false},
    {"seqno", 3, ORMA_PB_TYPE_UINT32, false},
    {"timeline", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_clk_enable_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_clk_disable_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_clk_set_rate_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"rate", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_binder_transaction_alloc_buf_ftrace_event[] = {
    {"data_size", 1, ORMA_PB_TYPE_UINT64, false},
    {"debug_id", 2, ORMA_PB_TYPE_INT32, false},
    {"offsets_size", 3, ORMA_PB_TYPE_UINT64, false},
    {"extra_buffers_size", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_signal_deliver_ftrace_event[] = {
    {"code", 1, ORMA_PB_TYPE_INT32, false},
    {"sa_flags", 2, ORMA_PB_TYPE_UINT64, false},
    {"sig", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_signal_generate_ftrace_event[] = {
    {"code", 1, ORMA_PB_TYPE_INT32, false},
    {"comm", 2, ORMA_PB_TYPE_STRING, false},
    {"group", 3, ORMA_PB_TYPE_INT32, false},
    {"pid", 4, ORMA_PB_TYPE_INT32, false},
    {"result", 5, ORMA_PB_TYPE_INT32, false},
    {"sig", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_oom_score_adj_update_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"oom_score_adj", 2, ORMA_PB_TYPE_INT32, false},
    {"pid", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_generic_ftrace_event[] = {
    {"event_name", 1, ORMA_PB_TYPE_STRING, false},
    {"field", 2, ORMA_PB_TYPE_MESSAGE, true},
};

static const struct orma_ftrace_field fields_mm_event_record_ftrace_event[] = {
    {"avg_lat", 1, ORMA_PB_TYPE_UINT32, false},
    {"count", 2, ORMA_PB_TYPE_UINT32, false},
    {"max_lat", 3, ORMA_PB_TYPE_UINT32, false},
    {"type", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_sys_enter_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_INT64, false},
    {"args", 2, ORMA_PB_TYPE_UINT64, true},
};

static const struct orma_ftrace_field fields_sys_exit_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_INT64, false},
    {"ret", 2, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_zero_ftrace_event[] = {
    {"flag", 1, ORMA_PB_TYPE_INT32, false},
    {"name", 2, ORMA_PB_TYPE_STRING, false},
    {"pid", 3, ORMA_PB_TYPE_INT32, false},
    {"value", 4, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_gpu_frequency_ftrace_event[] = {
    {"gpu_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"state", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_sde_tracing_mark_write_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
    {"trace_name", 2, ORMA_PB_TYPE_STRING, false},
    {"trace_type", 3, ORMA_PB_TYPE_UINT32, false},
    {"value", 4, ORMA_PB_TYPE_INT32, false},
    {"trace_begin", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mark_victim_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_ion_stat_ftrace_event[] = {
    {"buffer_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"len", 2, ORMA_PB_TYPE_INT64, false},
    {"total_allocated", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ion_buffer_create_ftrace_event[] = {
    {"addr", 1, ORMA_PB_TYPE_UINT64, false},
    {"len", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ion_buffer_destroy_ftrace_event[] = {
    {"addr", 1, ORMA_PB_TYPE_UINT64, false},
    {"len", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_scm_call_start_ftrace_event[] = {
    {"arginfo", 1, ORMA_PB_TYPE_UINT32, false},
    {"x0", 2, ORMA_PB_TYPE_UINT64, false},
    {"x5", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_gpu_mem_total_ftrace_event[] = {
    {"gpu_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"pid", 2, ORMA_PB_TYPE_UINT32, false},
    {"size", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_thermal_temperature_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_INT32, false},
    {"temp", 2, ORMA_PB_TYPE_INT32, false},
    {"temp_prev", 3, ORMA_PB_TYPE_INT32, false},
    {"thermal_zone", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cdev_update_ftrace_event[] = {
    {"target", 1, ORMA_PB_TYPE_UINT64, false},
    {"type", 2, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cpuhp_exit_ftrace_event[] = {
    {"cpu", 1, ORMA_PB_TYPE_UINT32, false},
    {"idx", 2, ORMA_PB_TYPE_INT32, false},
    {"ret", 3, ORMA_PB_TYPE_INT32, false},
    {"state", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_cpuhp_multi_enter_ftrace_event[] = {
    {"cpu", 1, ORMA_PB_TYPE_UINT32, false},
    {"fun", 2, ORMA_PB_TYPE_UINT64, false},
    {"idx", 3, ORMA_PB_TYPE_INT32, false},
    {"target", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_cpuhp_enter_ftrace_event[] = {
    {"cpu", 1, ORMA_PB_TYPE_UINT32, false},
    {"fun", 2, ORMA_PB_TYPE_UINT64, false},
    {"idx", 3, ORMA_PB_TYPE_INT32, false},
    {"target", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_cpuhp_latency_ftrace_event[] = {
    {"cpu", 1, ORMA_PB_TYPE_UINT32, false},
    {"ret", 2, ORMA_PB_TYPE_INT32, false},
    {"state", 3, ORMA_PB_TYPE_UINT32, false},
    {"time", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_fastrpc_dma_stat_ftrace_event[] = {
    {"cid", 1, ORMA_PB_TYPE_INT32, false},
    {"len", 2, ORMA_PB_TYPE_INT64, false},
    {"total_allocated", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_dpu_tracing_mark_write_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
    {"trace_name", 2, ORMA_PB_TYPE_STRING, false},
    {"trace_begin", 3, ORMA_PB_TYPE_UINT32, false},
    {"name", 4, ORMA_PB_TYPE_STRING, false},
    {"type", 5, ORMA_PB_TYPE_UINT32, false},
    {"value", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_g2d_tracing_mark_write_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
    {"name", 4, ORMA_PB_TYPE_STRING, false},
    {"type", 5, ORMA_PB_TYPE_UINT32, false},
    {"value", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mali_tracing_mark_write_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"type", 3, ORMA_PB_TYPE_UINT32, false},
    {"value", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dma_heap_stat_ftrace_event[] = {
    {"inode", 1, ORMA_PB_TYPE_UINT64, false},
    {"len", 2, ORMA_PB_TYPE_INT64, false},
    {"total_allocated", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_cpuhp_pause_ftrace_event[] = {
    {"active_cpus", 1, ORMA_PB_TYPE_UINT32, false},
    {"cpus", 2, ORMA_PB_TYPE_UINT32, false},
    {"pause", 3, ORMA_PB_TYPE_UINT32, false},
    {"time", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_sched_pi_setprio_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"newprio", 2, ORMA_PB_TYPE_INT32, false},
    {"oldprio", 3, ORMA_PB_TYPE_INT32, false},
    {"pid", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_sde_sde_evtlog_ftrace_event[] = {
    {"evtlog_tag", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"tag_id", 3, ORMA_PB_TYPE_UINT32, false},
    {"d00", 4, ORMA_PB_TYPE_UINT32, false},
    {"d01", 5, ORMA_PB_TYPE_UINT32, false},
    {"d02", 6, ORMA_PB_TYPE_UINT32, false},
    {"d03", 7, ORMA_PB_TYPE_UINT32, false},
    {"d04", 8, ORMA_PB_TYPE_UINT32, false},
    {"d05", 9, ORMA_PB_TYPE_UINT32, false},
    {"d06", 10, ORMA_PB_TYPE_UINT32, false},
    {"d07", 11, ORMA_PB_TYPE_UINT32, false},
    {"d08", 12, ORMA_PB_TYPE_UINT32, false},
    {"d09", 13, ORMA_PB_TYPE_UINT32, false},
    {"d10", 14, ORMA_PB_TYPE_UINT32, false},
    {"d11", 15, ORMA_PB_TYPE_UINT32, false},
    {"d12", 16, ORMA_PB_TYPE_UINT32, false},
    {"d13", 17, ORMA_PB_TYPE_UINT32, false},
    {"d14", 18, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_sde_sde_perf_calc_crtc_ftrace_event[] = {
    {"bw_ctl_ebi", 1, ORMA_PB_TYPE_UINT64, false},
    {"bw_ctl_llcc", 2, ORMA_PB_TYPE_UINT64, false},
    {"bw_ctl_mnoc", 3, ORMA_PB_TYPE_UINT64, false},
    {"core_clk_rate", 4, ORMA_PB_TYPE_UINT32, false},
    {"crtc", 5, ORMA_PB_TYPE_UINT32, false},
    {"ib_ebi", 6, ORMA_PB_TYPE_UINT64, false},
    {"ib_llcc", 7, ORMA_PB_TYPE_UINT64, false},
    {"ib_mnoc", 8, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_sde_sde_perf_crtc_update_ftrace_event[] = {
    {"bw_ctl_ebi", 1, ORMA_PB_TYPE_UINT64, false},
    {"bw_ctl_llcc", 2, ORMA_PB_TYPE_UINT64, false},
    {"bw_ctl_mnoc", 3, ORMA_PB_TYPE_UINT64, false},
    {"core_clk_rate", 4, ORMA_PB_TYPE_UINT32, false},
    {"crtc", 5, ORMA_PB_TYPE_UINT32, false},
    {"params", 6, ORMA_PB_TYPE_INT32, false},
    {"per_pipe_ib_ebi", 7, ORMA_PB_TYPE_UINT64, false},
    {"per_pipe_ib_llcc", 8, ORMA_PB_TYPE_UINT64, false},
    {"per_pipe_ib_mnoc", 9, ORMA_PB_TYPE_UINT64, false},
    {"stop_req", 10, ORMA_PB_TYPE_UINT32, false},
    {"update_bus", 11, ORMA_PB_TYPE_UINT32, false},
    {"update_clk", 12, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_sde_sde_perf_set_qos_luts_ftrace_event[] = {
    {"fl", 1, ORMA_PB_TYPE_UINT32, false},
    {"fmt", 2, ORMA_PB_TYPE_UINT32, false},
    {"lut", 3, ORMA_PB_TYPE_UINT64, false},
    {"lut_usage", 4, ORMA_PB_TYPE_UINT32, false},
    {"pnum", 5, ORMA_PB_TYPE_UINT32, false},
    {"rt", 6, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_sde_sde_perf_update_bus_ftrace_event[] = {
    {"ab_quota", 1, ORMA_PB_TYPE_UINT64, false},
    {"bus_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"client", 3, ORMA_PB_TYPE_INT32, false},
    {"ib_quota", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_rss_stat_throttled_ftrace_event[] = {
    {"curr", 1, ORMA_PB_TYPE_UINT32, false},
    {"member", 2, ORMA_PB_TYPE_INT32, false},
    {"mm_id", 3, ORMA_PB_TYPE_UINT32, false},
    {"size", 4, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_netif_receive_skb_ftrace_event[] = {
    {"len", 1, ORMA_PB_TYPE_UINT32, false},
    {"name", 2, ORMA_PB_TYPE_STRING, false},
    {"skbaddr", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_net_dev_xmit_ftrace_event[] = {
    {"len", 1, ORMA_PB_TYPE_UINT32, false},
    {"name", 2, ORMA_PB_TYPE_STRING, false},
    {"rc", 3, ORMA_PB_TYPE_INT32, false},
    {"skbaddr", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_inet_sock_set_state_ftrace_event[] = {
    {"daddr", 1, ORMA_PB_TYPE_UINT32, false},
    {"dport", 2, ORMA_PB_TYPE_UINT32, false},
    {"family", 3, ORMA_PB_TYPE_UINT32, false},
    {"newstate", 4, ORMA_PB_TYPE_INT32, false},
    {"oldstate", 5, ORMA_PB_TYPE_INT32, false},
    {"protocol", 6, ORMA_PB_TYPE_UINT32, false},
    {"saddr", 7, ORMA_PB_TYPE_UINT32, false},
    {"skaddr", 8, ORMA_PB_TYPE_UINT64, false},
    {"sport", 9, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_tcp_retransmit_skb_ftrace_event[] = {
    {"daddr", 1, ORMA_PB_TYPE_UINT32, false},
    {"dport", 2, ORMA_PB_TYPE_UINT32, false},
    {"saddr", 3, ORMA_PB_TYPE_UINT32, false},
    {"skaddr", 4, ORMA_PB_TYPE_UINT64, false},
    {"skbaddr", 5, ORMA_PB_TYPE_UINT64, false},
    {"sport", 6, ORMA_PB_TYPE_UINT32, false},
    {"state", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_cros_ec_sensorhub_data_ftrace_event[] = {
    {"current_time", 1, ORMA_PB_TYPE_INT64, false},
    {"current_timestamp", 2, ORMA_PB_TYPE_INT64, false},
    {"delta", 3, ORMA_PB_TYPE_INT64, false},
    {"ec_fifo_timestamp", 4, ORMA_PB_TYPE_UINT32, false},
    {"ec_sensor_num", 5, ORMA_PB_TYPE_UINT32, false},
    {"fifo_timestamp", 6, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_napi_gro_receive_entry_ftrace_event[] = {
    {"data_len", 1, ORMA_PB_TYPE_UINT32, false},
    {"gso_size", 2, ORMA_PB_TYPE_UINT32, false},
    {"gso_type", 3, ORMA_PB_TYPE_UINT32, false},
    {"hash", 4, ORMA_PB_TYPE_UINT32, false},
    {"ip_summed", 5, ORMA_PB_TYPE_UINT32, false},
    {"l4_hash", 6, ORMA_PB_TYPE_UINT32, false},
    {"len", 7, ORMA_PB_TYPE_UINT32, false},
    {"mac_header", 8, ORMA_PB_TYPE_INT32, false},
    {"mac_header_valid", 9, ORMA_PB_TYPE_UINT32, false},
    {"name", 10, ORMA_PB_TYPE_STRING, false},
    {"napi_id", 11, ORMA_PB_TYPE_UINT32, false},
    {"nr_frags", 12, ORMA_PB_TYPE_UINT32, false},
    {"protocol", 13, ORMA_PB_TYPE_UINT32, false},
    {"queue_mapping", 14, ORMA_PB_TYPE_UINT32, false},
    {"skbaddr", 15, ORMA_PB_TYPE_UINT64, false},
    {"truesize", 16, ORMA_PB_TYPE_UINT32, false},
    {"vlan_proto", 17, ORMA_PB_TYPE_UINT32, false},
    {"vlan_tagged", 18, ORMA_PB_TYPE_UINT32, false},
    {"vlan_tci", 19, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_napi_gro_receive_exit_ftrace_event[] = {
    {"ret", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_kfree_skb_ftrace_event[] = {
    {"location", 1, ORMA_PB_TYPE_UINT64, false},
    {"protocol", 2, ORMA_PB_TYPE_UINT32, false},
    {"skbaddr", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_access_fault_ftrace_event[] = {
    {"ipa", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_ack_irq_ftrace_event[] = {
    {"irqchip", 1, ORMA_PB_TYPE_UINT32, false},
    {"pin", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_kvm_age_hva_ftrace_event[] = {
    {"end", 1, ORMA_PB_TYPE_UINT64, false},
    {"start", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_age_page_ftrace_event[] = {
    {"gfn", 1, ORMA_PB_TYPE_UINT64, false},
    {"hva", 2, ORMA_PB_TYPE_UINT64, false},
    {"level", 3, ORMA_PB_TYPE_UINT32, false},
    {"referenced", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_kvm_arm_clear_debug_ftrace_event[] = {
    {"guest_debug", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_kvm_arm_set_dreg32_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"value", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_kvm_arm_set_regset_ftrace_event[] = {
    {"len", 1, ORMA_PB_TYPE_INT32, false},
    {"name", 2, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_kvm_arm_setup_debug_ftrace_event[] = {
    {"guest_debug", 1, ORMA_PB_TYPE_UINT32, false},
    {"vcpu", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_entry_ftrace_event[] = {
    {"vcpu_pc", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_exit_ftrace_event[] = {
    {"esr_ec", 1, ORMA_PB_TYPE_UINT32, false},
    {"ret", 2, ORMA_PB_TYPE_INT32, false},
    {"vcpu_pc", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_fpu_ftrace_event[] = {
    {"load", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_kvm_get_timer_map_ftrace_event[] = {
    {"direct_ptimer", 1, ORMA_PB_TYPE_INT32, false},
    {"direct_vtimer", 2, ORMA_PB_TYPE_INT32, false},
    {"emul_ptimer", 3, ORMA_PB_TYPE_INT32, false},
    {"vcpu_id", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_guest_fault_ftrace_event[] = {
    {"hsr", 1, ORMA_PB_TYPE_UINT64, false},
    {"hxfar", 2, ORMA_PB_TYPE_UINT64, false},
    {"ipa", 3, ORMA_PB_TYPE_UINT64, false},
    {"vcpu_pc", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_handle_sys_reg_ftrace_event[] = {
    {"hsr", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_hvc_arm64_ftrace_event[] = {
    {"imm", 1, ORMA_PB_TYPE_UINT64, false},
    {"r0", 2, ORMA_PB_TYPE_UINT64, false},
    {"vcpu_pc", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_irq_line_ftrace_event[] = {
    {"irq_num", 1, ORMA_PB_TYPE_INT32, false},
    {"level", 2, ORMA_PB_TYPE_INT32, false},
    {"type", 3, ORMA_PB_TYPE_UINT32, false},
    {"vcpu_idx", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_kvm_mmio_ftrace_event[] = {
    {"gpa", 1, ORMA_PB_TYPE_UINT64, false},
    {"len", 2, ORMA_PB_TYPE_UINT32, false},
    {"type", 3, ORMA_PB_TYPE_UINT32, false},
    {"val", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_mmio_emulate_ftrace_event[] = {
    {"cpsr", 1, ORMA_PB_TYPE_UINT64, false},
    {"instr", 2, ORMA_PB_TYPE_UINT64, false},
    {"vcpu_pc", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_set_guest_debug_ftrace_event[] = {
    {"guest_debug", 1, ORMA_PB_TYPE_UINT32, false},
    {"vcpu", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_set_irq_ftrace_event[] = {
    {"gsi", 1, ORMA_PB_TYPE_UINT32, false},
    {"irq_source_id", 2, ORMA_PB_TYPE_INT32, false},
    {"level", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_kvm_set_spte_hva_ftrace_event[] = {
    {"hva", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_set_way_flush_ftrace_event[] = {
    {"cache", 1, ORMA_PB_TYPE_UINT32, false},
    {"vcpu_pc", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_sys_access_ftrace_event[] = {
    {"CRm", 1, ORMA_PB_TYPE_UINT32, false},
    {"CRn", 2, ORMA_PB_TYPE_UINT32, false},
    {"Op0", 3, ORMA_PB_TYPE_UINT32, false},
    {"Op1", 4, ORMA_PB_TYPE_UINT32, false},
    {"Op2", 5, ORMA_PB_TYPE_UINT32, false},
    {"is_write", 6, ORMA_PB_TYPE_UINT32, false},
    {"name", 7, ORMA_PB_TYPE_STRING, false},
    {"vcpu_pc", 8, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_test_age_hva_ftrace_event[] = {
    {"hva", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_timer_emulate_ftrace_event[] = {
    {"should_fire", 1, ORMA_PB_TYPE_UINT32, false},
    {"timer_idx", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_kvm_timer_hrtimer_expire_ftrace_event[] = {
    {"timer_idx", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_kvm_timer_restore_state_ftrace_event[] = {
    {"ctl", 1, ORMA_PB_TYPE_UINT64, false},
    {"cval", 2, ORMA_PB_TYPE_UINT64, false},
    {"timer_idx", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_kvm_timer_save_state_ftrace_event[] = {
    {"ctl", 1, ORMA_PB_TYPE_UINT64, false},
    {"cval", 2, ORMA_PB_TYPE_UINT64, false},
    {"timer_idx", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_kvm_timer_update_irq_ftrace_event[] = {
    {"irq", 1, ORMA_PB_TYPE_UINT32, false},
    {"level", 2, ORMA_PB_TYPE_INT32, false},
    {"vcpu_id", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_toggle_cache_ftrace_event[] = {
    {"now", 1, ORMA_PB_TYPE_UINT32, false},
    {"vcpu_pc", 2, ORMA_PB_TYPE_UINT64, false},
    {"was", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_kvm_unmap_hva_range_ftrace_event[] = {
    {"end", 1, ORMA_PB_TYPE_UINT64, false},
    {"start", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kvm_userspace_exit_ftrace_event[] = {
    {"reason", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_kvm_vcpu_wakeup_ftrace_event[] = {
    {"ns", 1, ORMA_PB_TYPE_UINT64, false},
    {"valid", 2, ORMA_PB_TYPE_UINT32, false},
    {"waited", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_kvm_wfx_arm64_ftrace_event[] = {
    {"is_wfe", 1, ORMA_PB_TYPE_UINT32, false},
    {"vcpu_pc", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_trap_reg_ftrace_event[] = {
    {"fn", 1, ORMA_PB_TYPE_STRING, false},
    {"is_write", 2, ORMA_PB_TYPE_UINT32, false},
    {"reg", 3, ORMA_PB_TYPE_INT32, false},
    {"write_value", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_vgic_update_irq_pending_ftrace_event[] = {
    {"irq", 1, ORMA_PB_TYPE_UINT32, false},
    {"level", 2, ORMA_PB_TYPE_UINT32, false},
    {"vcpu_id", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_wakeup_source_activate_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"state", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_wakeup_source_deactivate_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"state", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_ufshcd_command_ftrace_event[] = {
    {"dev_name", 1, ORMA_PB_TYPE_STRING, false},
    {"doorbell", 2, ORMA_PB_TYPE_UINT32, false},
    {"intr", 3, ORMA_PB_TYPE_UINT32, false},
    {"lba", 4, ORMA_PB_TYPE_UINT64, false},
    {"opcode", 5, ORMA_PB_TYPE_UINT32, false},
    {"str", 6, ORMA_PB_TYPE_STRING, false},
    {"tag", 7, ORMA_PB_TYPE_UINT32, false},
    {"transfer_len", 8, ORMA_PB_TYPE_INT32, false},
    {"group_id", 9, ORMA_PB_TYPE_UINT32, false},
    {"str_t", 10, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_ufshcd_clk_gating_ftrace_event[] = {
    {"dev_name", 1, ORMA_PB_TYPE_STRING, false},
    {"state", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_console_ftrace_event[] = {
    {"msg", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_drm_vblank_event_ftrace_event[] = {
    {"crtc", 1, ORMA_PB_TYPE_INT32, false},
    {"high_prec", 2, ORMA_PB_TYPE_UINT32, false},
    {"seq", 3, ORMA_PB_TYPE_UINT32, false},
    {"time", 4, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_drm_vblank_event_delivered_ftrace_event[] = {
    {"crtc", 1, ORMA_PB_TYPE_INT32, false},
    {"file", 2, ORMA_PB_TYPE_UINT64, false},
    {"seq", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_drm_sched_job_ftrace_event[] = {
    {"entity", 1, ORMA_PB_TYPE_UINT64, false},
    {"fence", 2, ORMA_PB_TYPE_UINT64, false},
    {"hw_job_count", 3, ORMA_PB_TYPE_INT32, false},
    {"id", 4, ORMA_PB_TYPE_UINT64, false},
    {"job_count", 5, ORMA_PB_TYPE_UINT32, false},
    {"name", 6, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_drm_run_job_ftrace_event[] = {
    {"entity", 1, ORMA_PB_TYPE_UINT64, false},
    {"fence", 2, ORMA_PB_TYPE_UINT64, false},
    {"hw_job_count", 3, ORMA_PB_TYPE_INT32, false},
    {"id", 4, ORMA_PB_TYPE_UINT64, false},
    {"job_count", 5, ORMA_PB_TYPE_UINT32, false},
    {"name", 6, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_drm_sched_process_job_ftrace_event[] = {
    {"fence", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_dma_fence_init_ftrace_event[] = {
    {"context", 1, ORMA_PB_TYPE_UINT32, false},
    {"driver", 2, ORMA_PB_TYPE_STRING, false},
    {"seqno", 3, ORMA_PB_TYPE_UINT32, false},
    {"timeline", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_dma_fence_emit_ftrace_event[] = {
    {"context", 1, ORMA_PB_TYPE_UINT32, false},
    {"driver", 2, ORMA_PB_TYPE_STRING, false},
    {"seqno", 3, ORMA_PB_TYPE_UINT32, false},
    {"timeline", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_dma_fence_signaled_ftrace_event[] = {
    {"context", 1, ORMA_PB_TYPE_UINT32, false},
    {"driver", 2, ORMA_PB_TYPE_STRING, false},
    {"seqno", 3, ORMA_PB_TYPE_UINT32, false},
    {"timeline", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_dma_fence_wait_start_ftrace_event[] = {
    {"context", 1, ORMA_PB_TYPE_UINT32, false},
    {"driver", 2, ORMA_PB_TYPE_STRING, false},
    {"seqno", 3, ORMA_PB_TYPE_UINT32, false},
    {"timeline", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_dma_fence_wait_end_ftrace_event[] = {
    {"context", 1, ORMA_PB_TYPE_UINT32, false},
    {"driver", 2, ORMA_PB_TYPE_STRING, false},
    {"seqno", 3, ORMA_PB_TYPE_UINT32, false},
    {"timeline", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_f2fs_iostat_ftrace_event[] = {
    {"app_bio", 1, ORMA_PB_TYPE_UINT64, false},
    {"app_brio", 2, ORMA_PB_TYPE_UINT64, false},
    {"app_dio", 3, ORMA_PB_TYPE_UINT64, false},
    {"app_drio", 4, ORMA_PB_TYPE_UINT64, false},
    {"app_mio", 5, ORMA_PB_TYPE_UINT64, false},
    {"app_mrio", 6, ORMA_PB_TYPE_UINT64, false},
    {"app_rio", 7, ORMA_PB_TYPE_UINT64, false},
    {"app_wio", 8, ORMA_PB_TYPE_UINT64, false},
    {"dev", 9, ORMA_PB_TYPE_UINT64, false},
    {"fs_cdrio", 10, ORMA_PB_TYPE_UINT64, false},
    {"fs_cp_dio", 11, ORMA_PB_TYPE_UINT64, false},
    {"fs_cp_mio", 12, ORMA_PB_TYPE_UINT64, false},
    {"fs_cp_nio", 13, ORMA_PB_TYPE_UINT64, false},
    {"fs_dio", 14, ORMA_PB_TYPE_UINT64, false},
    {"fs_discard", 15, ORMA_PB_TYPE_UINT64, false},
    {"fs_drio", 16, ORMA_PB_TYPE_UINT64, false},
    {"fs_gc_dio", 17, ORMA_PB_TYPE_UINT64, false},
    {"fs_gc_nio", 18, ORMA_PB_TYPE_UINT64, false},
    {"fs_gdrio", 19, ORMA_PB_TYPE_UINT64, false},
    {"fs_mio", 20, ORMA_PB_TYPE_UINT64, false},
    {"fs_mrio", 21, ORMA_PB_TYPE_UINT64, false},
    {"fs_nio", 22, ORMA_PB_TYPE_UINT64, false},
    {"fs_nrio", 23, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_f2fs_iostat_latency_ftrace_event[] = {
    {"d_rd_avg", 1, ORMA_PB_TYPE_UINT32, false},
    {"d_rd_cnt", 2, ORMA_PB_TYPE_UINT32, false},
    {"d_rd_peak", 3, ORMA_PB_TYPE_UINT32, false},
    {"d_wr_as_avg", 4, ORMA_PB_TYPE_UINT32, false},
    {"d_wr_as_cnt", 5, ORMA_PB_TYPE_UINT32, false},
    {"d_wr_as_peak", 6, ORMA_PB_TYPE_UINT32, false},
    {"d_wr_s_avg", 7, ORMA_PB_TYPE_UINT32, false},
    {"d_wr_s_cnt", 8, ORMA_PB_TYPE_UINT32, false},
    {"d_wr_s_peak", 9, ORMA_PB_TYPE_UINT32, false},
    {"dev", 10, ORMA_PB_TYPE_UINT64, false},
    {"m_rd_avg", 11, ORMA_PB_TYPE_UINT32, false},
    {"m_rd_cnt", 12, ORMA_PB_TYPE_UINT32, false},
    {"m_rd_peak", 13, ORMA_PB_TYPE_UINT32, false},
    {"m_wr_as_avg", 14, ORMA_PB_TYPE_UINT32, false},
    {"m_wr_as_cnt", 15, ORMA_PB_TYPE_UINT32, false},
    {"m_wr_as_peak", 16, ORMA_PB_TYPE_UINT32, false},
    {"m_wr_s_avg", 17, ORMA_PB_TYPE_UINT32, false},
    {"m_wr_s_cnt", 18, ORMA_PB_TYPE_UINT32, false},
    {"m_wr_s_peak", 19, ORMA_PB_TYPE_UINT32, false},
    {"n_rd_avg", 20, ORMA_PB_TYPE_UINT32, false},
    {"n_rd_cnt", 21, ORMA_PB_TYPE_UINT32, false},
    {"n_rd_peak", 22, ORMA_PB_TYPE_UINT32, false},
    {"n_wr_as_avg", 23, ORMA_PB_TYPE_UINT32, false},
    {"n_wr_as_cnt", 24, ORMA_PB_TYPE_UINT32, false},
    {"n_wr_as_peak", 25, ORMA_PB_TYPE_UINT32, false},
    {"n_wr_s_avg", 26, ORMA_PB_TYPE_UINT32, false},
    {"n_wr_s_cnt", 27, ORMA_PB_TYPE_UINT32, false},
    {"n_wr_s_peak", 28, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_sched_cpu_util_cfs_ftrace_event[] = {
    {"active", 1, ORMA_PB_TYPE_INT32, false},
    {"capacity", 2, ORMA_PB_TYPE_UINT64, false},
    {"capacity_orig", 3, ORMA_PB_TYPE_UINT64, false},
    {"cpu", 4, ORMA_PB_TYPE_UINT32, false},
    {"cpu_importance", 5, ORMA_PB_TYPE_UINT64, false},
    {"cpu_util", 6, ORMA_PB_TYPE_UINT64, false},
    {"exit_lat", 7, ORMA_PB_TYPE_UINT32, false},
    {"group_capacity", 8, ORMA_PB_TYPE_UINT64, false},
    {"grp_overutilized", 9, ORMA_PB_TYPE_UINT32, false},
    {"idle_cpu", 10, ORMA_PB_TYPE_UINT32, false},
    {"nr_running", 11, ORMA_PB_TYPE_UINT32, false},
    {"spare_cap", 12, ORMA_PB_TYPE_INT64, false},
    {"task_fits", 13, ORMA_PB_TYPE_UINT32, false},
    {"wake_group_util", 14, ORMA_PB_TYPE_UINT64, false},
    {"wake_util", 15, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_v4l2_qbuf_ftrace_event[] = {
    {"bytesused", 1, ORMA_PB_TYPE_UINT32, false},
    {"field", 2, ORMA_PB_TYPE_UINT32, false},
    {"flags", 3, ORMA_PB_TYPE_UINT32, false},
    {"index", 4, ORMA_PB_TYPE_UINT32, false},
    {"minor", 5, ORMA_PB_TYPE_INT32, false},
    {"sequence", 6, ORMA_PB_TYPE_UINT32, false},
    {"timecode_flags", 7, ORMA_PB_TYPE_UINT32, false},
    {"timecode_frames", 8, ORMA_PB_TYPE_UINT32, false},
    {"timecode_hours", 9, ORMA_PB_TYPE_UINT32, false},
    {"timecode_minutes", 10, ORMA_PB_TYPE_UINT32, false},
    {"timecode_seconds", 11, ORMA_PB_TYPE_UINT32, false},
    {"timecode_type", 12, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits0", 13, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits1", 14, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits2", 15, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits3", 16, ORMA_PB_TYPE_UINT32, false},
    {"timestamp", 17, ORMA_PB_TYPE_INT64, false},
    {"type", 18, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_v4l2_dqbuf_ftrace_event[] = {
    {"bytesused", 1, ORMA_PB_TYPE_UINT32, false},
    {"field", 2, ORMA_PB_TYPE_UINT32, false},
    {"flags", 3, ORMA_PB_TYPE_UINT32, false},
    {"index", 4, ORMA_PB_TYPE_UINT32, false},
    {"minor", 5, ORMA_PB_TYPE_INT32, false},
    {"sequence", 6, ORMA_PB_TYPE_UINT32, false},
    {"timecode_flags", 7, ORMA_PB_TYPE_UINT32, false},
    {"timecode_frames", 8, ORMA_PB_TYPE_UINT32, false},
    {"timecode_hours", 9, ORMA_PB_TYPE_UINT32, false},
    {"timecode_minutes", 10, ORMA_PB_TYPE_UINT32, false},
    {"timecode_seconds", 11, ORMA_PB_TYPE_UINT32, false},
    {"timecode_type", 12, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits0", 13, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits1", 14, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits2", 15, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits3", 16, ORMA_PB_TYPE_UINT32, false},
    {"timestamp", 17, ORMA_PB_TYPE_INT64, false},
    {"type", 18, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_vb2_v4l2_buf_queue_ftrace_event[] = {
    {"field", 1, ORMA_PB_TYPE_UINT32, false},
    {"flags", 2, ORMA_PB_TYPE_UINT32, false},
    {"minor", 3, ORMA_PB_TYPE_INT32, false},
    {"sequence", 4, ORMA_PB_TYPE_UINT32, false},
    {"timecode_flags", 5, ORMA_PB_TYPE_UINT32, false},
    {"timecode_frames", 6, ORMA_PB_TYPE_UINT32, false},
    {"timecode_hours", 7, ORMA_PB_TYPE_UINT32, false},
    {"timecode_minutes", 8, ORMA_PB_TYPE_UINT32, false},
    {"timecode_seconds", 9, ORMA_PB_TYPE_UINT32, false},
    {"timecode_type", 10, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits0", 11, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits1", 12, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits2", 13, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits3", 14, ORMA_PB_TYPE_UINT32, false},
    {"timestamp", 15, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_vb2_v4l2_buf_done_ftrace_event[] = {
    {"field", 1, ORMA_PB_TYPE_UINT32, false},
    {"flags", 2, ORMA_PB_TYPE_UINT32, false},
    {"minor", 3, ORMA_PB_TYPE_INT32, false},
    {"sequence", 4, ORMA_PB_TYPE_UINT32, false},
    {"timecode_flags", 5, ORMA_PB_TYPE_UINT32, false},
    {"timecode_frames", 6, ORMA_PB_TYPE_UINT32, false},
    {"timecode_hours", 7, ORMA_PB_TYPE_UINT32, false},
    {"timecode_minutes", 8, ORMA_PB_TYPE_UINT32, false},
    {"timecode_seconds", 9, ORMA_PB_TYPE_UINT32, false},
    {"timecode_type", 10, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits0", 11, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits1", 12, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits2", 13, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits3", 14, ORMA_PB_TYPE_UINT32, false},
    {"timestamp", 15, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_vb2_v4l2_qbuf_ftrace_event[] = {
    {"field", 1, ORMA_PB_TYPE_UINT32, false},
    {"flags", 2, ORMA_PB_TYPE_UINT32, false},
    {"minor", 3, ORMA_PB_TYPE_INT32, false},
    {"sequence", 4, ORMA_PB_TYPE_UINT32, false},
    {"timecode_flags", 5, ORMA_PB_TYPE_UINT32, false},
    {"timecode_frames", 6, ORMA_PB_TYPE_UINT32, false},
    {"timecode_hours", 7, ORMA_PB_TYPE_UINT32, false},
    {"timecode_minutes", 8, ORMA_PB_TYPE_UINT32, false},
    {"timecode_seconds", 9, ORMA_PB_TYPE_UINT32, false},
    {"timecode_type", 10, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits0", 11, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits1", 12, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits2", 13, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits3", 14, ORMA_PB_TYPE_UINT32, false},
    {"timestamp", 15, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_vb2_v4l2_dqbuf_ftrace_event[] = {
    {"field", 1, ORMA_PB_TYPE_UINT32, false},
    {"flags", 2, ORMA_PB_TYPE_UINT32, false},
    {"minor", 3, ORMA_PB_TYPE_INT32, false},
    {"sequence", 4, ORMA_PB_TYPE_UINT32, false},
    {"timecode_flags", 5, ORMA_PB_TYPE_UINT32, false},
    {"timecode_frames", 6, ORMA_PB_TYPE_UINT32, false},
    {"timecode_hours", 7, ORMA_PB_TYPE_UINT32, false},
    {"timecode_minutes", 8, ORMA_PB_TYPE_UINT32, false},
    {"timecode_seconds", 9, ORMA_PB_TYPE_UINT32, false},
    {"timecode_type", 10, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits0", 11, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits1", 12, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits2", 13, ORMA_PB_TYPE_UINT32, false},
    {"timecode_userbits3", 14, ORMA_PB_TYPE_UINT32, false},
    {"timestamp", 15, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_dsi_cmd_fifo_status_ftrace_event[] = {
    {"header", 1, ORMA_PB_TYPE_UINT32, false},
    {"payload", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_dsi_rx_ftrace_event[] = {
    {"cmd", 1, ORMA_PB_TYPE_UINT32, false},
    {"rx_buf", 3, ORMA_PB_TYPE_BYTES, false},
};

static const struct orma_ftrace_field fields_dsi_tx_ftrace_event[] = {
    {"last", 1, ORMA_PB_TYPE_UINT32, false},
    {"type", 3, ORMA_PB_TYPE_UINT32, false},
    {"tx_buf", 4, ORMA_PB_TYPE_BYTES, false},
};

static const struct orma_ftrace_field fields_android_fs_dataread_end_ftrace_event[] = {
    {"bytes", 1, ORMA_PB_TYPE_INT32, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"offset", 3, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_android_fs_dataread_start_ftrace_event[] = {
    {"bytes", 1, ORMA_PB_TYPE_INT32, false},
    {"cmdline", 2, ORMA_PB_TYPE_STRING, false},
    {"i_size", 3, ORMA_PB_TYPE_INT64, false},
    {"ino", 4, ORMA_PB_TYPE_UINT64, false},
    {"offset", 5, ORMA_PB_TYPE_INT64, false},
    {"pathbuf", 6, ORMA_PB_TYPE_STRING, false},
    {"pid", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_android_fs_datawrite_end_ftrace_event[] = {
    {"bytes", 1, ORMA_PB_TYPE_INT32, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"offset", 3, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_android_fs_datawrite_start_ftrace_event[] = {
    {"bytes", 1, ORMA_PB_TYPE_INT32, false},
    {"cmdline", 2, ORMA_PB_TYPE_STRING, false},
    {"i_size", 3, ORMA_PB_TYPE_INT64, false},
    {"ino", 4, ORMA_PB_TYPE_UINT64, false},
    {"offset", 5, ORMA_PB_TYPE_INT64, false},
    {"pathbuf", 6, ORMA_PB_TYPE_STRING, false},
    {"pid", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_android_fs_fsync_end_ftrace_event[] = {
    {"bytes", 1, ORMA_PB_TYPE_INT32, false},
    {"ino", 2, ORMA_PB_TYPE_UINT64, false},
    {"offset", 3, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_android_fs_fsync_start_ftrace_event[] = {
    {"cmdline", 1, ORMA_PB_TYPE_STRING, false},
    {"i_size", 2, ORMA_PB_TYPE_INT64, false},
    {"ino", 3, ORMA_PB_TYPE_UINT64, false},
    {"pathbuf", 4, ORMA_PB_TYPE_STRING, false},
    {"pid", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_funcgraph_entry_ftrace_event[] = {
    {"depth", 1, ORMA_PB_TYPE_INT32, false},
    {"func", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_funcgraph_exit_ftrace_event[] = {
    {"calltime", 1, ORMA_PB_TYPE_UINT64, false},
    {"depth", 2, ORMA_PB_TYPE_INT32, false},
    {"func", 3, ORMA_PB_TYPE_UINT64, false},
    {"overrun", 4, ORMA_PB_TYPE_UINT64, false},
    {"rettime", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_virtio_video_cmd_ftrace_event[] = {
    {"stream_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"type", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_virtio_video_cmd_done_ftrace_event[] = {
    {"stream_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"type", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_virtio_video_resource_queue_ftrace_event[] = {
    {"data_size0", 1, ORMA_PB_TYPE_UINT32, false},
    {"data_size1", 2, ORMA_PB_TYPE_UINT32, false},
    {"data_size2", 3, ORMA_PB_TYPE_UINT32, false},
    {"data_size3", 4, ORMA_PB_TYPE_UINT32, false},
    {"queue_type", 5, ORMA_PB_TYPE_UINT32, false},
    {"resource_id", 6, ORMA_PB_TYPE_INT32, false},
    {"stream_id", 7, ORMA_PB_TYPE_INT32, false},
    {"timestamp", 8, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_virtio_video_resource_queue_done_ftrace_event[] = {
    {"data_size0", 1, ORMA_PB_TYPE_UINT32, false},
    {"data_size1", 2, ORMA_PB_TYPE_UINT32, false},
    {"data_size2", 3, ORMA_PB_TYPE_UINT32, false},
    {"data_size3", 4, ORMA_PB_TYPE_UINT32, false},
    {"queue_type", 5, ORMA_PB_TYPE_UINT32, false},
    {"resource_id", 6, ORMA_PB_TYPE_INT32, false},
    {"stream_id", 7, ORMA_PB_TYPE_INT32, false},
    {"timestamp", 8, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_shrink_slab_start_ftrace_event[] = {
    {"cache_items", 1, ORMA_PB_TYPE_UINT64, false},
    {"delta", 2, ORMA_PB_TYPE_UINT64, false},
    {"gfp_flags", 3, ORMA_PB_TYPE_UINT32, false},
    {"lru_pgs", 4, ORMA_PB_TYPE_UINT64, false},
    {"nr_objects_to_shrink", 5, ORMA_PB_TYPE_INT64, false},
    {"pgs_scanned", 6, ORMA_PB_TYPE_UINT64, false},
    {"shr", 7, ORMA_PB_TYPE_UINT64, false},
    {"shrink", 8, ORMA_PB_TYPE_UINT64, false},
    {"total_scan", 9, ORMA_PB_TYPE_UINT64, false},
    {"nid", 10, ORMA_PB_TYPE_INT32, false},
    {"priority", 11, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_shrink_slab_end_ftrace_event[] = {
    {"new_scan", 1, ORMA_PB_TYPE_INT64, false},
    {"retval", 2, ORMA_PB_TYPE_INT32, false},
    {"shr", 3, ORMA_PB_TYPE_UINT64, false},
    {"shrink", 4, ORMA_PB_TYPE_UINT64, false},
    {"total_scan", 5, ORMA_PB_TYPE_INT64, false},
    {"unused_scan", 6, ORMA_PB_TYPE_INT64, false},
    {"nid", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_trusty_smc_ftrace_event[] = {
    {"r0", 1, ORMA_PB_TYPE_UINT64, false},
    {"r1", 2, ORMA_PB_TYPE_UINT64, false},
    {"r2", 3, ORMA_PB_TYPE_UINT64, false},
    {"r3", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_trusty_smc_done_ftrace_event[] = {
    {"ret", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_trusty_std_call32_ftrace_event[] = {
    {"r0", 1, ORMA_PB_TYPE_UINT64, false},
    {"r1", 2, ORMA_PB_TYPE_UINT64, false},
    {"r2", 3, ORMA_PB_TYPE_UINT64, false},
    {"r3", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_trusty_std_call32_done_ftrace_event[] = {
    {"ret", 1, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_trusty_share_memory_ftrace_event[] = {
    {"len", 1, ORMA_PB_TYPE_UINT64, false},
    {"lend", 2, ORMA_PB_TYPE_UINT32, false},
    {"nents", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_trusty_share_memory_done_ftrace_event[] = {
    {"handle", 1, ORMA_PB_TYPE_UINT64, false},
    {"len", 2, ORMA_PB_TYPE_UINT64, false},
    {"lend", 3, ORMA_PB_TYPE_UINT32, false},
    {"nents", 4, ORMA_PB_TYPE_UINT32, false},
    {"ret", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_trusty_reclaim_memory_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_trusty_reclaim_memory_done_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT64, false},
    {"ret", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_trusty_irq_ftrace_event[] = {
    {"irq", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_trusty_ipc_handle_event_ftrace_event[] = {
    {"chan", 1, ORMA_PB_TYPE_UINT32, false},
    {"event_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"srv_name", 3, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_trusty_ipc_connect_ftrace_event[] = {
    {"chan", 1, ORMA_PB_TYPE_UINT32, false},
    {"port", 2, ORMA_PB_TYPE_STRING, false},
    {"state", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_trusty_ipc_connect_end_ftrace_event[] = {
    {"chan", 1, ORMA_PB_TYPE_UINT32, false},
    {"err", 2, ORMA_PB_TYPE_INT32, false},
    {"state", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_trusty_ipc_write_ftrace_event[] = {
    {"buf_id", 1, ORMA_PB_TYPE_UINT64, false},
    {"chan", 2, ORMA_PB_TYPE_UINT32, false},
    {"kind_shm", 3, ORMA_PB_TYPE_INT32, false},
    {"len_or_err", 4, ORMA_PB_TYPE_INT32, false},
    {"shm_cnt", 5, ORMA_PB_TYPE_UINT64, false},
    {"srv_name", 6, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_trusty_ipc_poll_ftrace_event[] = {
    {"chan", 1, ORMA_PB_TYPE_UINT32, false},
    {"poll_mask", 2, ORMA_PB_TYPE_UINT32, false},
    {"srv_name", 3, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_trusty_ipc_read_ftrace_event[] = {
    {"chan", 1, ORMA_PB_TYPE_UINT32, false},
    {"srv_name", 2, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_trusty_ipc_read_end_ftrace_event[] = {
    {"buf_id", 1, ORMA_PB_TYPE_UINT64, false},
    {"chan", 2, ORMA_PB_TYPE_UINT32, false},
    {"len_or_err", 3, ORMA_PB_TYPE_INT32, false},
    {"shm_cnt", 4, ORMA_PB_TYPE_UINT64, false},
    {"srv_name", 5, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_trusty_ipc_rx_ftrace_event[] = {
    {"buf_id", 1, ORMA_PB_TYPE_UINT64, false},
    {"chan", 2, ORMA_PB_TYPE_UINT32, false},
    {"srv_name", 3, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_trusty_enqueue_nop_ftrace_event[] = {
    {"arg1", 1, ORMA_PB_TYPE_UINT32, false},
    {"arg2", 2, ORMA_PB_TYPE_UINT32, false},
    {"arg3", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_cma_alloc_start_ftrace_event[] = {
    {"align", 1, ORMA_PB_TYPE_UINT32, false},
    {"count", 2, ORMA_PB_TYPE_UINT32, false},
    {"name", 3, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cma_alloc_info_ftrace_event[] = {
    {"align", 1, ORMA_PB_TYPE_UINT32, false},
    {"count", 2, ORMA_PB_TYPE_UINT32, false},
    {"err_iso", 3, ORMA_PB_TYPE_UINT32, false},
    {"err_mig", 4, ORMA_PB_TYPE_UINT32, false},
    {"err_test", 5, ORMA_PB_TYPE_UINT32, false},
    {"name", 6, ORMA_PB_TYPE_STRING, false},
    {"nr_mapped", 7, ORMA_PB_TYPE_UINT64, false},
    {"nr_migrated", 8, ORMA_PB_TYPE_UINT64, false},
    {"nr_reclaimed", 9, ORMA_PB_TYPE_UINT64, false},
    {"pfn", 10, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_lwis_tracing_mark_write_ftrace_event[] = {
    {"lwis_name", 1, ORMA_PB_TYPE_STRING, false},
    {"type", 2, ORMA_PB_TYPE_UINT32, false},
    {"pid", 3, ORMA_PB_TYPE_INT32, false},
    {"func_name", 4, ORMA_PB_TYPE_STRING, false},
    {"value", 5, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_virtio_gpu_cmd_queue_ftrace_event[] = {
    {"ctx_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"dev", 2, ORMA_PB_TYPE_INT32, false},
    {"fence_id", 3, ORMA_PB_TYPE_UINT64, false},
    {"flags", 4, ORMA_PB_TYPE_UINT32, false},
    {"name", 5, ORMA_PB_TYPE_STRING, false},
    {"num_free", 6, ORMA_PB_TYPE_UINT32, false},
    {"seqno", 7, ORMA_PB_TYPE_UINT32, false},
    {"type", 8, ORMA_PB_TYPE_UINT32, false},
    {"vq", 9, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_virtio_gpu_cmd_response_ftrace_event[] = {
    {"ctx_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"dev", 2, ORMA_PB_TYPE_INT32, false},
    {"fence_id", 3, ORMA_PB_TYPE_UINT64, false},
    {"flags", 4, ORMA_PB_TYPE_UINT32, false},
    {"name", 5, ORMA_PB_TYPE_STRING, false},
    {"num_free", 6, ORMA_PB_TYPE_UINT32, false},
    {"seqno", 7, ORMA_PB_TYPE_UINT32, false},
    {"type", 8, ORMA_PB_TYPE_UINT32, false},
    {"vq", 9, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mali_mali_kcpucqsset_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT32, false},
    {"info_val1", 2, ORMA_PB_TYPE_UINT64, false},
    {"info_val2", 3, ORMA_PB_TYPE_UINT64, false},
    {"kctx_id", 4, ORMA_PB_TYPE_UINT32, false},
    {"kctx_tgid", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mali_mali_kcpucqswaitstart_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT32, false},
    {"info_val1", 2, ORMA_PB_TYPE_UINT64, false},
    {"info_val2", 3, ORMA_PB_TYPE_UINT64, false},
    {"kctx_id", 4, ORMA_PB_TYPE_UINT32, false},
    {"kctx_tgid", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mali_mali_kcpucqswaitend_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT32, false},
    {"info_val1", 2, ORMA_PB_TYPE_UINT64, false},
    {"info_val2", 3, ORMA_PB_TYPE_UINT64, false},
    {"kctx_id", 4, ORMA_PB_TYPE_UINT32, false},
    {"kctx_tgid", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mali_mali_kcpufencesignal_ftrace_event[] = {
    {"info_val1", 1, ORMA_PB_TYPE_UINT64, false},
    {"info_val2", 2, ORMA_PB_TYPE_UINT64, false},
    {"kctx_tgid", 3, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 4, ORMA_PB_TYPE_UINT32, false},
    {"id", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mali_mali_kcpufencewaitstart_ftrace_event[] = {
    {"info_val1", 1, ORMA_PB_TYPE_UINT64, false},
    {"info_val2", 2, ORMA_PB_TYPE_UINT64, false},
    {"kctx_tgid", 3, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 4, ORMA_PB_TYPE_UINT32, false},
    {"id", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mali_mali_kcpufencewaitend_ftrace_event[] = {
    {"info_val1", 1, ORMA_PB_TYPE_UINT64, false},
    {"info_val2", 2, ORMA_PB_TYPE_UINT64, false},
    {"kctx_tgid", 3, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 4, ORMA_PB_TYPE_UINT32, false},
    {"id", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_host_hcall_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT32, false},
    {"invalid", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_host_smc_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT64, false},
    {"forwarded", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_host_mem_abort_ftrace_event[] = {
    {"esr", 1, ORMA_PB_TYPE_UINT64, false},
    {"addr", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_suspend_resume_minimal_ftrace_event[] = {
    {"start", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mali_mali_csfinterruptstart_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_csfinterruptend_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_samsung_tracing_mark_write_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
    {"trace_name", 2, ORMA_PB_TYPE_STRING, false},
    {"trace_begin", 3, ORMA_PB_TYPE_UINT32, false},
    {"trace_type", 4, ORMA_PB_TYPE_UINT32, false},
    {"value", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_binder_command_ftrace_event[] = {
    {"cmd", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_binder_return_ftrace_event[] = {
    {"cmd", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_sched_switch_with_ctrs_ftrace_event[] = {
    {"old_pid", 1, ORMA_PB_TYPE_INT32, false},
    {"new_pid", 2, ORMA_PB_TYPE_INT32, false},
    {"cctr", 3, ORMA_PB_TYPE_UINT64, false},
    {"ctr0", 4, ORMA_PB_TYPE_UINT64, false},
    {"ctr1", 5, ORMA_PB_TYPE_UINT64, false},
    {"ctr2", 6, ORMA_PB_TYPE_UINT64, false},
    {"ctr3", 7, ORMA_PB_TYPE_UINT64, false},
    {"lctr0", 8, ORMA_PB_TYPE_UINT32, false},
    {"lctr1", 9, ORMA_PB_TYPE_UINT32, false},
    {"ctr4", 10, ORMA_PB_TYPE_UINT64, false},
    {"ctr5", 11, ORMA_PB_TYPE_UINT64, false},
    {"prev_comm", 12, ORMA_PB_TYPE_STRING, false},
    {"prev_pid", 13, ORMA_PB_TYPE_INT32, false},
    {"cyc", 14, ORMA_PB_TYPE_UINT32, false},
    {"inst", 15, ORMA_PB_TYPE_UINT32, false},
    {"stallbm", 16, ORMA_PB_TYPE_UINT32, false},
    {"l3dm", 17, ORMA_PB_TYPE_UINT32, false},
    {"next_pid", 18, ORMA_PB_TYPE_INT32, false},
    {"next_comm", 19, ORMA_PB_TYPE_STRING, false},
    {"prev_state", 20, ORMA_PB_TYPE_INT64, false},
    {"amu0", 21, ORMA_PB_TYPE_UINT64, false},
    {"amu1", 22, ORMA_PB_TYPE_UINT64, false},
    {"amu2", 23, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_gpu_work_period_ftrace_event[] = {
    {"gpu_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"uid", 2, ORMA_PB_TYPE_UINT32, false},
    {"start_time_ns", 3, ORMA_PB_TYPE_UINT64, false},
    {"end_time_ns", 4, ORMA_PB_TYPE_UINT64, false},
    {"total_active_duration_ns", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_rpm_status_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"status", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_panel_write_generic_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
    {"trace_name", 2, ORMA_PB_TYPE_STRING, false},
    {"trace_begin", 3, ORMA_PB_TYPE_UINT32, false},
    {"name", 4, ORMA_PB_TYPE_STRING, false},
    {"type", 5, ORMA_PB_TYPE_UINT32, false},
    {"value", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_sched_migrate_task_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"prio", 3, ORMA_PB_TYPE_INT32, false},
    {"orig_cpu", 4, ORMA_PB_TYPE_INT32, false},
    {"dest_cpu", 5, ORMA_PB_TYPE_INT32, false},
    {"running", 6, ORMA_PB_TYPE_INT32, false},
    {"load", 7, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_dpu_dsi_cmd_fifo_status_ftrace_event[] = {
    {"header", 1, ORMA_PB_TYPE_UINT32, false},
    {"payload", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_dpu_dsi_rx_ftrace_event[] = {
    {"cmd", 1, ORMA_PB_TYPE_UINT32, false},
    {"rx_buf", 3, ORMA_PB_TYPE_BYTES, false},
};

static const struct orma_ftrace_field fields_dpu_dsi_tx_ftrace_event[] = {
    {"type", 1, ORMA_PB_TYPE_UINT32, false},
    {"last", 3, ORMA_PB_TYPE_UINT32, false},
    {"delay_ms", 4, ORMA_PB_TYPE_UINT32, false},
    {"tx_buf", 5, ORMA_PB_TYPE_BYTES, false},
};

static const struct orma_ftrace_field fields_f2fs_background_gc_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"wait_ms", 2, ORMA_PB_TYPE_UINT32, false},
    {"prefree", 3, ORMA_PB_TYPE_UINT32, false},
    {"free", 4, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_gc_begin_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sync", 2, ORMA_PB_TYPE_UINT32, false},
    {"background", 3, ORMA_PB_TYPE_UINT32, false},
    {"dirty_nodes", 4, ORMA_PB_TYPE_INT64, false},
    {"dirty_dents", 5, ORMA_PB_TYPE_INT64, false},
    {"dirty_imeta", 6, ORMA_PB_TYPE_INT64, false},
    {"free_sec", 7, ORMA_PB_TYPE_UINT32, false},
    {"free_seg", 8, ORMA_PB_TYPE_UINT32, false},
    {"reserved_seg", 9, ORMA_PB_TYPE_INT32, false},
    {"prefree_seg", 10, ORMA_PB_TYPE_UINT32, false},
    {"gc_type", 11, ORMA_PB_TYPE_INT32, false},
    {"no_bg_gc", 12, ORMA_PB_TYPE_UINT32, false},
    {"nr_free_secs", 13, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_gc_end_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"ret", 2, ORMA_PB_TYPE_INT32, false},
    {"seg_freed", 3, ORMA_PB_TYPE_INT32, false},
    {"sec_freed", 4, ORMA_PB_TYPE_INT32, false},
    {"dirty_nodes", 5, ORMA_PB_TYPE_INT64, false},
    {"dirty_dents", 6, ORMA_PB_TYPE_INT64, false},
    {"dirty_imeta", 7, ORMA_PB_TYPE_INT64, false},
    {"free_sec", 8, ORMA_PB_TYPE_UINT32, false},
    {"free_seg", 9, ORMA_PB_TYPE_UINT32, false},
    {"reserved_seg", 10, ORMA_PB_TYPE_INT32, false},
    {"prefree_seg", 11, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_fastrpc_dma_free_ftrace_event[] = {
    {"cid", 1, ORMA_PB_TYPE_INT32, false},
    {"phys", 2, ORMA_PB_TYPE_UINT64, false},
    {"size", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_fastrpc_dma_alloc_ftrace_event[] = {
    {"cid", 1, ORMA_PB_TYPE_INT32, false},
    {"phys", 2, ORMA_PB_TYPE_UINT64, false},
    {"size", 3, ORMA_PB_TYPE_UINT64, false},
    {"attr", 4, ORMA_PB_TYPE_UINT64, false},
    {"mflags", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_fastrpc_dma_unmap_ftrace_event[] = {
    {"cid", 1, ORMA_PB_TYPE_INT32, false},
    {"phys", 2, ORMA_PB_TYPE_UINT64, false},
    {"size", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_fastrpc_dma_map_ftrace_event[] = {
    {"cid", 1, ORMA_PB_TYPE_INT32, false},
    {"fd", 2, ORMA_PB_TYPE_INT32, false},
    {"phys", 3, ORMA_PB_TYPE_UINT64, false},
    {"size", 4, ORMA_PB_TYPE_UINT64, false},
    {"len", 5, ORMA_PB_TYPE_UINT64, false},
    {"attr", 6, ORMA_PB_TYPE_UINT32, false},
    {"mflags", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_google_icc_event_ftrace_event[] = {
    {"event", 1, ORMA_PB_TYPE_STRING, false},
    {"timestamp", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_google_irm_event_ftrace_event[] = {
    {"event", 1, ORMA_PB_TYPE_STRING, false},
    {"timestamp", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_device_pm_callback_start_ftrace_event[] = {
    {"device", 1, ORMA_PB_TYPE_STRING, false},
    {"driver", 2, ORMA_PB_TYPE_STRING, false},
    {"parent", 3, ORMA_PB_TYPE_STRING, false},
    {"pm_ops", 4, ORMA_PB_TYPE_STRING, false},
    {"event", 5, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_device_pm_callback_end_ftrace_event[] = {
    {"device", 1, ORMA_PB_TYPE_STRING, false},
    {"driver", 2, ORMA_PB_TYPE_STRING, false},
    {"error", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_thermal_exynos_acpm_bulk_ftrace_event[] = {
    {"tz_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"current_temp", 2, ORMA_PB_TYPE_UINT32, false},
    {"ctrl_temp", 3, ORMA_PB_TYPE_UINT32, false},
    {"cdev_state", 4, ORMA_PB_TYPE_UINT32, false},
    {"pid_et_p", 5, ORMA_PB_TYPE_INT32, false},
    {"pid_power_range", 6, ORMA_PB_TYPE_INT32, false},
    {"pid_p", 7, ORMA_PB_TYPE_INT32, false},
    {"pid_i", 8, ORMA_PB_TYPE_INT32, false},
    {"k_p", 9, ORMA_PB_TYPE_INT32, false},
    {"k_i", 10, ORMA_PB_TYPE_INT32, false},
    {"timestamp", 11, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_thermal_exynos_acpm_high_overhead_ftrace_event[] = {
    {"tz_id", 1, ORMA_PB_TYPE_INT32, false},
    {"current_temp", 2, ORMA_PB_TYPE_UINT32, false},
    {"ctrl_temp", 3, ORMA_PB_TYPE_UINT32, false},
    {"cdev_state", 4, ORMA_PB_TYPE_UINT32, false},
    {"pid_et_p", 5, ORMA_PB_TYPE_INT32, false},
    {"k_p", 6, ORMA_PB_TYPE_INT32, false},
    {"k_i", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dcvsh_freq_ftrace_event[] = {
    {"cpu", 1, ORMA_PB_TYPE_UINT64, false},
    {"freq", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kgsl_gpu_frequency_ftrace_event[] = {
    {"gpu_freq", 1, ORMA_PB_TYPE_UINT32, false},
    {"gpu_id", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuhctlcoresdownscalenotifypend_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuhctlcoresnotifypend_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuhctlcoreinactivepend_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuhctlmcuonrecheck_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuhctlshaderscoreoffpend_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuhctlshaderspendoff_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuhctlshaderspendon_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuhctlshadersreadyoff_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuinsleep_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuoff_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuon_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuoncoreattrupdatepend_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuonglbreinitpend_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuonhalt_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuonhwcntdisable_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuonhwcntenable_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuonpendhalt_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuonpendsleep_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuonsleepinitiate_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcupendoff_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcupendonreload_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcupowerdown_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mali_mali_pmmcuresetwait_ftrace_event[] = {
    {"kctx_tgid", 1, ORMA_PB_TYPE_INT32, false},
    {"kctx_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"info_val", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_bcl_irq_trigger_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_INT32, false},
    {"throttle", 2, ORMA_PB_TYPE_INT32, false},
    {"cpu0_limit", 3, ORMA_PB_TYPE_INT32, false},
    {"cpu1_limit", 4, ORMA_PB_TYPE_INT32, false},
    {"cpu2_limit", 5, ORMA_PB_TYPE_INT32, false},
    {"tpu_limit", 6, ORMA_PB_TYPE_INT32, false},
    {"gpu_limit", 7, ORMA_PB_TYPE_INT32, false},
    {"voltage", 8, ORMA_PB_TYPE_INT32, false},
    {"capacity", 9, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_kgsl_adreno_cmdbatch_queued_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT32, false},
    {"timestamp", 2, ORMA_PB_TYPE_UINT32, false},
    {"queued", 3, ORMA_PB_TYPE_UINT32, false},
    {"flags", 4, ORMA_PB_TYPE_UINT32, false},
    {"prio", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_kgsl_adreno_cmdbatch_submitted_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT32, false},
    {"timestamp", 2, ORMA_PB_TYPE_UINT32, false},
    {"inflight", 3, ORMA_PB_TYPE_INT64, false},
    {"flags", 4, ORMA_PB_TYPE_UINT32, false},
    {"ticks", 5, ORMA_PB_TYPE_UINT64, false},
    {"secs", 6, ORMA_PB_TYPE_UINT64, false},
    {"usecs", 7, ORMA_PB_TYPE_UINT64, false},
    {"prio", 8, ORMA_PB_TYPE_INT32, false},
    {"rb_id", 9, ORMA_PB_TYPE_INT32, false},
    {"rptr", 10, ORMA_PB_TYPE_UINT32, false},
    {"wptr", 11, ORMA_PB_TYPE_UINT32, false},
    {"q_inflight", 12, ORMA_PB_TYPE_INT32, false},
    {"dispatch_queue", 13, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_kgsl_adreno_cmdbatch_sync_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT32, false},
    {"timestamp", 2, ORMA_PB_TYPE_UINT32, false},
    {"ticks", 3, ORMA_PB_TYPE_UINT64, false},
    {"prio", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_kgsl_adreno_cmdbatch_retired_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT32, false},
    {"timestamp", 2, ORMA_PB_TYPE_UINT32, false},
    {"inflight", 3, ORMA_PB_TYPE_INT64, false},
    {"recovery", 4, ORMA_PB_TYPE_UINT32, false},
    {"flags", 5, ORMA_PB_TYPE_UINT32, false},
    {"start", 6, ORMA_PB_TYPE_UINT64, false},
    {"retire", 7, ORMA_PB_TYPE_UINT64, false},
    {"prio", 8, ORMA_PB_TYPE_INT32, false},
    {"rb_id", 9, ORMA_PB_TYPE_INT32, false},
    {"rptr", 10, ORMA_PB_TYPE_UINT32, false},
    {"wptr", 11, ORMA_PB_TYPE_UINT32, false},
    {"q_inflight", 12, ORMA_PB_TYPE_INT32, false},
    {"fault_recovery", 13, ORMA_PB_TYPE_UINT64, false},
    {"dispatch_queue", 14, ORMA_PB_TYPE_UINT32, false},
    {"submitted_to_rb", 15, ORMA_PB_TYPE_UINT64, false},
    {"retired_on_gmu", 16, ORMA_PB_TYPE_UINT64, false},
    {"active", 17, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_pixel_mm_kswapd_wake_ftrace_event[] = {
    {"whatever", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_pixel_mm_kswapd_done_ftrace_event[] = {
    {"delta_nr_scanned", 1, ORMA_PB_TYPE_UINT64, false},
    {"delta_nr_reclaimed", 2, ORMA_PB_TYPE_UINT64, false},
    {"delta_nr_allocated", 3, ORMA_PB_TYPE_UINT64, false},
    {"duration_ns", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_sched_wakeup_task_attr_ftrace_event[] = {
    {"pid", 1, ORMA_PB_TYPE_INT32, false},
    {"cpu_affinity", 2, ORMA_PB_TYPE_UINT64, false},
    {"task_util", 3, ORMA_PB_TYPE_UINT64, false},
    {"uclamp_min", 4, ORMA_PB_TYPE_UINT64, false},
    {"vruntime", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_devfreq_frequency_ftrace_event[] = {
    {"dev_name", 1, ORMA_PB_TYPE_STRING, false},
    {"freq", 2, ORMA_PB_TYPE_UINT64, false},
    {"prev_freq", 3, ORMA_PB_TYPE_UINT64, false},
    {"busy_time", 4, ORMA_PB_TYPE_UINT64, false},
    {"total_time", 5, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_kprobe_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"type", 2, ORMA_PB_TYPE_ENUM, false},
};

static const struct orma_ftrace_field fields_param_set_value_cpm_ftrace_event[] = {
    {"body", 1, ORMA_PB_TYPE_STRING, false},
    {"value", 2, ORMA_PB_TYPE_UINT32, false},
    {"timestamp", 3, ORMA_PB_TYPE_INT64, false},
};

static const struct orma_ftrace_field fields_do_sys_open_ftrace_event[] = {
    {"filename", 1, ORMA_PB_TYPE_STRING, false},
    {"flags", 2, ORMA_PB_TYPE_INT32, false},
    {"mode", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_open_exec_ftrace_event[] = {
    {"filename", 1, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_io_start_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"bytes", 4, ORMA_PB_TYPE_UINT32, false},
    {"ioprio", 5, ORMA_PB_TYPE_UINT32, false},
    {"rwbs", 6, ORMA_PB_TYPE_STRING, false},
    {"comm", 7, ORMA_PB_TYPE_STRING, false},
    {"cmd", 8, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_block_io_done_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"sector", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_sector", 3, ORMA_PB_TYPE_UINT32, false},
    {"bytes", 4, ORMA_PB_TYPE_UINT32, false},
    {"ioprio", 5, ORMA_PB_TYPE_UINT32, false},
    {"rwbs", 6, ORMA_PB_TYPE_STRING, false},
    {"comm", 7, ORMA_PB_TYPE_STRING, false},
    {"cmd", 8, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_mali_gpu_power_state_ftrace_event[] = {
    {"change_ns", 1, ORMA_PB_TYPE_UINT64, false},
    {"from_state", 2, ORMA_PB_TYPE_INT32, false},
    {"to_state", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dpu_disp_dpu_underrun_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_INT32, false},
    {"frames_pending", 2, ORMA_PB_TYPE_INT32, false},
    {"vsync_count", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dpu_disp_vblank_irq_enable_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_INT32, false},
    {"output_id", 2, ORMA_PB_TYPE_INT32, false},
    {"enable", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_hrtimer_start_ftrace_event[] = {
    {"hrtimer", 1, ORMA_PB_TYPE_UINT64, false},
    {"function", 2, ORMA_PB_TYPE_UINT64, false},
    {"expires", 3, ORMA_PB_TYPE_INT64, false},
    {"softexpires", 4, ORMA_PB_TYPE_INT64, false},
    {"mode", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_hrtimer_cancel_ftrace_event[] = {
    {"hrtimer", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_hrtimer_expire_entry_ftrace_event[] = {
    {"hrtimer", 1, ORMA_PB_TYPE_UINT64, false},
    {"now", 2, ORMA_PB_TYPE_INT64, false},
    {"function", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_hrtimer_expire_exit_ftrace_event[] = {
    {"hrtimer", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_timer_start_ftrace_event[] = {
    {"timer", 1, ORMA_PB_TYPE_UINT64, false},
    {"function", 2, ORMA_PB_TYPE_UINT64, false},
    {"expires", 3, ORMA_PB_TYPE_UINT64, false},
    {"now", 4, ORMA_PB_TYPE_UINT64, false},
    {"deferrable", 5, ORMA_PB_TYPE_UINT32, false},
    {"flags", 6, ORMA_PB_TYPE_UINT32, false},
    {"bucket_expiry", 7, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_timer_cancel_ftrace_event[] = {
    {"timer", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_timer_expire_entry_ftrace_event[] = {
    {"timer", 1, ORMA_PB_TYPE_UINT64, false},
    {"now", 2, ORMA_PB_TYPE_UINT64, false},
    {"function", 3, ORMA_PB_TYPE_UINT64, false},
    {"baseclk", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_timer_expire_exit_ftrace_event[] = {
    {"timer", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_local_timer_entry_ftrace_event[] = {
    {"vector", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_local_timer_exit_ftrace_event[] = {
    {"vector", 1, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dwc3_alloc_request_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"req", 2, ORMA_PB_TYPE_UINT64, false},
    {"actual", 3, ORMA_PB_TYPE_UINT32, false},
    {"length", 4, ORMA_PB_TYPE_UINT32, false},
    {"status", 5, ORMA_PB_TYPE_INT32, false},
    {"zero", 6, ORMA_PB_TYPE_INT32, false},
    {"short_not_ok", 7, ORMA_PB_TYPE_INT32, false},
    {"no_interrupt", 8, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dwc3_complete_trb_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"trb", 2, ORMA_PB_TYPE_UINT64, false},
    {"allocated", 3, ORMA_PB_TYPE_UINT32, false},
    {"queued", 4, ORMA_PB_TYPE_UINT32, false},
    {"bpl", 5, ORMA_PB_TYPE_UINT32, false},
    {"bph", 6, ORMA_PB_TYPE_UINT32, false},
    {"size", 7, ORMA_PB_TYPE_UINT32, false},
    {"ctrl", 8, ORMA_PB_TYPE_UINT32, false},
    {"type", 9, ORMA_PB_TYPE_UINT32, false},
    {"enqueue", 10, ORMA_PB_TYPE_UINT32, false},
    {"dequeue", 11, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_dwc3_ctrl_req_ftrace_event[] = {
    {"bRequestType", 1, ORMA_PB_TYPE_UINT32, false},
    {"bRequest", 2, ORMA_PB_TYPE_UINT32, false},
    {"wValue", 3, ORMA_PB_TYPE_UINT32, false},
    {"wIndex", 4, ORMA_PB_TYPE_UINT32, false},
    {"wLength", 5, ORMA_PB_TYPE_UINT32, false},
    {"str", 6, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_dwc3_ep_dequeue_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"req", 2, ORMA_PB_TYPE_UINT64, false},
    {"actual", 3, ORMA_PB_TYPE_UINT32, false},
    {"length", 4, ORMA_PB_TYPE_UINT32, false},
    {"status", 5, ORMA_PB_TYPE_INT32, false},
    {"zero", 6, ORMA_PB_TYPE_INT32, false},
    {"short_not_ok", 7, ORMA_PB_TYPE_INT32, false},
    {"no_interrupt", 8, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dwc3_ep_queue_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"req", 2, ORMA_PB_TYPE_UINT64, false},
    {"actual", 3, ORMA_PB_TYPE_UINT32, false},
    {"length", 4, ORMA_PB_TYPE_UINT32, false},
    {"status", 5, ORMA_PB_TYPE_INT32, false},
    {"zero", 6, ORMA_PB_TYPE_INT32, false},
    {"short_not_ok", 7, ORMA_PB_TYPE_INT32, false},
    {"no_interrupt", 8, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dwc3_event_ftrace_event[] = {
    {"event", 1, ORMA_PB_TYPE_UINT32, false},
    {"ep0state", 2, ORMA_PB_TYPE_UINT32, false},
    {"str", 3, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_dwc3_free_request_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"req", 2, ORMA_PB_TYPE_UINT64, false},
    {"actual", 3, ORMA_PB_TYPE_UINT32, false},
    {"length", 4, ORMA_PB_TYPE_UINT32, false},
    {"status", 5, ORMA_PB_TYPE_INT32, false},
    {"zero", 6, ORMA_PB_TYPE_INT32, false},
    {"short_not_ok", 7, ORMA_PB_TYPE_INT32, false},
    {"no_interrupt", 8, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dwc3_gadget_ep_cmd_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"cmd", 2, ORMA_PB_TYPE_UINT32, false},
    {"param0", 3, ORMA_PB_TYPE_UINT32, false},
    {"param1", 4, ORMA_PB_TYPE_UINT32, false},
    {"param2", 5, ORMA_PB_TYPE_UINT32, false},
    {"cmd_status", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dwc3_gadget_ep_disable_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"maxpacket", 2, ORMA_PB_TYPE_UINT32, false},
    {"maxpacket_limit", 3, ORMA_PB_TYPE_UINT32, false},
    {"max_streams", 4, ORMA_PB_TYPE_UINT32, false},
    {"maxburst", 5, ORMA_PB_TYPE_UINT32, false},
    {"flags", 6, ORMA_PB_TYPE_UINT32, false},
    {"direction", 7, ORMA_PB_TYPE_UINT32, false},
    {"trb_enqueue", 8, ORMA_PB_TYPE_UINT32, false},
    {"trb_dequeue", 9, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_dwc3_gadget_ep_enable_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"maxpacket", 2, ORMA_PB_TYPE_UINT32, false},
    {"maxpacket_limit", 3, ORMA_PB_TYPE_UINT32, false},
    {"max_streams", 4, ORMA_PB_TYPE_UINT32, false},
    {"maxburst", 5, ORMA_PB_TYPE_UINT32, false},
    {"flags", 6, ORMA_PB_TYPE_UINT32, false},
    {"direction", 7, ORMA_PB_TYPE_UINT32, false},
    {"trb_enqueue", 8, ORMA_PB_TYPE_UINT32, false},
    {"trb_dequeue", 9, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_dwc3_gadget_generic_cmd_ftrace_event[] = {
    {"cmd", 1, ORMA_PB_TYPE_UINT32, false},
    {"param", 2, ORMA_PB_TYPE_UINT32, false},
    {"status", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dwc3_gadget_giveback_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"req", 2, ORMA_PB_TYPE_UINT64, false},
    {"actual", 3, ORMA_PB_TYPE_UINT32, false},
    {"length", 4, ORMA_PB_TYPE_UINT32, false},
    {"status", 5, ORMA_PB_TYPE_INT32, false},
    {"zero", 6, ORMA_PB_TYPE_INT32, false},
    {"short_not_ok", 7, ORMA_PB_TYPE_INT32, false},
    {"no_interrupt", 8, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dwc3_prepare_trb_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"trb", 2, ORMA_PB_TYPE_UINT64, false},
    {"allocated", 3, ORMA_PB_TYPE_UINT32, false},
    {"queued", 4, ORMA_PB_TYPE_UINT32, false},
    {"bpl", 5, ORMA_PB_TYPE_UINT32, false},
    {"bph", 6, ORMA_PB_TYPE_UINT32, false},
    {"size", 7, ORMA_PB_TYPE_UINT32, false},
    {"ctrl", 8, ORMA_PB_TYPE_UINT32, false},
    {"type", 9, ORMA_PB_TYPE_UINT32, false},
    {"enqueue", 10, ORMA_PB_TYPE_UINT32, false},
    {"dequeue", 11, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_dwc3_readl_ftrace_event[] = {
    {"base", 1, ORMA_PB_TYPE_UINT64, false},
    {"offset", 2, ORMA_PB_TYPE_UINT32, false},
    {"value", 3, ORMA_PB_TYPE_UINT32, false},
    {"msg", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_dwc3_writel_ftrace_event[] = {
    {"base", 1, ORMA_PB_TYPE_UINT64, false},
    {"offset", 2, ORMA_PB_TYPE_UINT32, false},
    {"value", 3, ORMA_PB_TYPE_UINT32, false},
    {"msg", 4, ORMA_PB_TYPE_STRING, false},
};

static const struct orma_ftrace_field fields_cma_alloc_finish_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"pfn", 2, ORMA_PB_TYPE_UINT64, false},
    {"page", 3, ORMA_PB_TYPE_UINT64, false},
    {"count", 4, ORMA_PB_TYPE_UINT64, false},
    {"align", 5, ORMA_PB_TYPE_UINT32, false},
    {"errorno", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_alloc_contig_migrate_range_info_ftrace_event[] = {
    {"start", 1, ORMA_PB_TYPE_UINT64, false},
    {"end", 2, ORMA_PB_TYPE_UINT64, false},
    {"nr_migrated", 3, ORMA_PB_TYPE_UINT64, false},
    {"nr_reclaimed", 4, ORMA_PB_TYPE_UINT64, false},
    {"nr_mapped", 5, ORMA_PB_TYPE_UINT64, false},
    {"migratetype", 6, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_host_ffa_call_ftrace_event[] = {
    {"func_id", 1, ORMA_PB_TYPE_UINT64, false},
    {"res_a1", 2, ORMA_PB_TYPE_UINT64, false},
    {"res_a2", 3, ORMA_PB_TYPE_UINT64, false},
    {"res_a3", 4, ORMA_PB_TYPE_UINT64, false},
    {"res_a4", 5, ORMA_PB_TYPE_UINT64, false},
    {"handled", 6, ORMA_PB_TYPE_INT32, false},
    {"err", 7, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dmabuf_rss_stat_ftrace_event[] = {
    {"rss", 1, ORMA_PB_TYPE_UINT64, false},
    {"rss_delta", 2, ORMA_PB_TYPE_INT64, false},
    {"i_ino", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_iommu_idmap_ftrace_event[] = {
    {"from", 1, ORMA_PB_TYPE_UINT64, false},
    {"to", 2, ORMA_PB_TYPE_UINT64, false},
    {"prot", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_psci_mem_protect_ftrace_event[] = {
    {"count", 1, ORMA_PB_TYPE_UINT64, false},
    {"was", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_hypervisor_host_hcall_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT32, false},
    {"invalid", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_hypervisor_host_smc_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_UINT64, false},
    {"forwarded", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_hypervisor_iommu_idmap_ftrace_event[] = {
    {"from", 1, ORMA_PB_TYPE_UINT64, false},
    {"to", 2, ORMA_PB_TYPE_UINT64, false},
    {"prot", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_hypervisor_psci_mem_protect_ftrace_event[] = {
    {"count", 1, ORMA_PB_TYPE_UINT64, false},
    {"was", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_hypervisor_host_mem_abort_ftrace_event[] = {
    {"esr", 1, ORMA_PB_TYPE_UINT64, false},
    {"addr", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_hypervisor_iommu_idmap_complete_ftrace_event[] = {
    {"map", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_hypervisor_vcpu_illegal_trap_ftrace_event[] = {
    {"esr", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_drm_sched_job_add_dep_ftrace_event[] = {
    {"fence_context", 1, ORMA_PB_TYPE_UINT64, false},
    {"fence_seqno", 2, ORMA_PB_TYPE_UINT64, false},
    {"ctx", 3, ORMA_PB_TYPE_UINT64, false},
    {"seqno", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_drm_sched_job_done_ftrace_event[] = {
    {"fence_context", 1, ORMA_PB_TYPE_UINT64, false},
    {"fence_seqno", 2, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_drm_sched_job_queue_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"job_count", 2, ORMA_PB_TYPE_UINT32, false},
    {"hw_job_count", 3, ORMA_PB_TYPE_INT32, false},
    {"dev", 4, ORMA_PB_TYPE_STRING, false},
    {"fence_context", 5, ORMA_PB_TYPE_UINT64, false},
    {"fence_seqno", 6, ORMA_PB_TYPE_UINT64, false},
    {"client_id", 7, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_drm_sched_job_run_ftrace_event[] = {
    {"name", 1, ORMA_PB_TYPE_STRING, false},
    {"job_count", 2, ORMA_PB_TYPE_UINT32, false},
    {"hw_job_count", 3, ORMA_PB_TYPE_INT32, false},
    {"dev", 4, ORMA_PB_TYPE_STRING, false},
    {"fence_context", 5, ORMA_PB_TYPE_UINT64, false},
    {"fence_seqno", 6, ORMA_PB_TYPE_UINT64, false},
    {"client_id", 7, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_drm_sched_job_unschedulable_ftrace_event[] = {
    {"fence_context", 1, ORMA_PB_TYPE_UINT64, false},
    {"fence_seqno", 2, ORMA_PB_TYPE_UINT64, false},
    {"ctx", 3, ORMA_PB_TYPE_UINT64, false},
    {"seqno", 4, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_fwtp_perfetto_counter_ftrace_event[] = {
    {"timestamp", 1, ORMA_PB_TYPE_UINT64, false},
    {"track_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"category", 3, ORMA_PB_TYPE_STRING, false},
    {"name", 4, ORMA_PB_TYPE_STRING, false},
    {"value", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_scsi_dispatch_cmd_error_ftrace_event[] = {
    {"host_no", 1, ORMA_PB_TYPE_UINT32, false},
    {"channel", 2, ORMA_PB_TYPE_UINT32, false},
    {"id", 3, ORMA_PB_TYPE_UINT32, false},
    {"lun", 4, ORMA_PB_TYPE_UINT32, false},
    {"rtn", 5, ORMA_PB_TYPE_INT32, false},
    {"opcode", 6, ORMA_PB_TYPE_UINT32, false},
    {"cmd_len", 7, ORMA_PB_TYPE_UINT32, false},
    {"data_sglen", 8, ORMA_PB_TYPE_UINT32, false},
    {"prot_sglen", 9, ORMA_PB_TYPE_UINT32, false},
    {"prot_op", 10, ORMA_PB_TYPE_UINT32, false},
    {"driver_tag", 12, ORMA_PB_TYPE_INT32, false},
    {"scheduler_tag", 13, ORMA_PB_TYPE_INT32, false},
    {"cmnd", 14, ORMA_PB_TYPE_BYTES, false},
};

static const struct orma_ftrace_field fields_scsi_dispatch_cmd_timeout_ftrace_event[] = {
    {"host_no", 1, ORMA_PB_TYPE_UINT32, false},
    {"channel", 2, ORMA_PB_TYPE_UINT32, false},
    {"id", 3, ORMA_PB_TYPE_UINT32, false},
    {"lun", 4, ORMA_PB_TYPE_UINT32, false},
    {"result", 5, ORMA_PB_TYPE_INT32, false},
    {"opcode", 6, ORMA_PB_TYPE_UINT32, false},
    {"cmd_len", 7, ORMA_PB_TYPE_UINT32, false},
    {"data_sglen", 8, ORMA_PB_TYPE_UINT32, false},
    {"prot_sglen", 9, ORMA_PB_TYPE_UINT32, false},
    {"prot_op", 10, ORMA_PB_TYPE_UINT32, false},
    {"driver_tag", 12, ORMA_PB_TYPE_INT32, false},
    {"scheduler_tag", 13, ORMA_PB_TYPE_INT32, false},
    {"sense_key", 14, ORMA_PB_TYPE_UINT32, false},
    {"asc", 15, ORMA_PB_TYPE_UINT32, false},
    {"ascq", 16, ORMA_PB_TYPE_UINT32, false},
    {"cmnd", 17, ORMA_PB_TYPE_BYTES, false},
};

static const struct orma_ftrace_field fields_scsi_eh_wakeup_ftrace_event[] = {
    {"host_no", 1, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_fwtp_perfetto_slice_ftrace_event[] = {
    {"timestamp", 1, ORMA_PB_TYPE_UINT64, false},
    {"track_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"category", 3, ORMA_PB_TYPE_STRING, false},
    {"name", 4, ORMA_PB_TYPE_STRING, false},
    {"begin", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_gpu_power_state_ftrace_event[] = {
    {"old_state", 1, ORMA_PB_TYPE_INT32, false},
    {"new_state", 2, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_gram_collision_ftrace_event[] = {
    {"panel_index", 1, ORMA_PB_TYPE_INT32, false},
    {"collision_cnt", 2, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_f2fs_lock_elapsed_time_ftrace_event[] = {
    {"dev", 1, ORMA_PB_TYPE_UINT64, false},
    {"comm", 2, ORMA_PB_TYPE_STRING, false},
    {"pid", 3, ORMA_PB_TYPE_INT32, false},
    {"prio", 4, ORMA_PB_TYPE_INT32, false},
    {"ioprio_class", 5, ORMA_PB_TYPE_INT32, false},
    {"ioprio_data", 6, ORMA_PB_TYPE_INT32, false},
    {"lock_name", 7, ORMA_PB_TYPE_UINT32, false},
    {"is_write", 8, ORMA_PB_TYPE_UINT32, false},
    {"total_time", 9, ORMA_PB_TYPE_UINT64, false},
    {"running_time", 10, ORMA_PB_TYPE_UINT64, false},
    {"runnable_time", 11, ORMA_PB_TYPE_UINT64, false},
    {"io_sleep_time", 12, ORMA_PB_TYPE_UINT64, false},
    {"other_time", 13, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_sched_group_tracker_ftrace_event[] = {
    {"comm", 1, ORMA_PB_TYPE_STRING, false},
    {"pid", 2, ORMA_PB_TYPE_INT32, false},
    {"group", 3, ORMA_PB_TYPE_STRING, false},
    {"group_num", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dpu_disp_frame_done_timeout_ftrace_event[] = {
    {"display_id", 1, ORMA_PB_TYPE_INT32, false},
    {"output_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"frames_pending", 3, ORMA_PB_TYPE_INT32, false},
    {"te_count", 4, ORMA_PB_TYPE_INT32, false},
    {"during_disable", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_dpu_disp_frame_start_timeout_ftrace_event[] = {
    {"display_id", 1, ORMA_PB_TYPE_INT32, false},
    {"output_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"frames_pending", 3, ORMA_PB_TYPE_INT32, false},
    {"te_count", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_mm_vmscan_memcg_reclaim_begin_ftrace_event[] = {
    {"order", 1, ORMA_PB_TYPE_INT32, false},
    {"may_writepage", 2, ORMA_PB_TYPE_INT32, false},
    {"gfp_flags", 3, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_mm_vmscan_memcg_reclaim_end_ftrace_event[] = {
    {"nr_reclaimed", 1, ORMA_PB_TYPE_UINT64, false},
};

static const struct orma_ftrace_field fields_dpu_disp_frame_done_missing_ftrace_event[] = {
    {"display_id", 1, ORMA_PB_TYPE_INT32, false},
    {"output_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"frames_pending", 3, ORMA_PB_TYPE_INT32, false},
    {"te_count", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_dpu_disp_frame_start_missing_ftrace_event[] = {
    {"display_id", 1, ORMA_PB_TYPE_INT32, false},
    {"output_id", 2, ORMA_PB_TYPE_UINT32, false},
    {"frames_pending", 3, ORMA_PB_TYPE_INT32, false},
    {"te_count", 4, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_panel_settings_full_ftrace_event[] = {
    {"panel_index", 1, ORMA_PB_TYPE_INT32, false},
    {"hbm", 2, ORMA_PB_TYPE_UINT32, false},
    {"irc", 3, ORMA_PB_TYPE_UINT32, false},
    {"h_pwm", 4, ORMA_PB_TYPE_UINT32, false},
    {"fi_auto", 5, ORMA_PB_TYPE_UINT32, false},
    {"fi_manual", 6, ORMA_PB_TYPE_UINT32, false},
    {"early_exit", 7, ORMA_PB_TYPE_UINT32, false},
    {"min_rr", 8, ORMA_PB_TYPE_UINT32, false},
    {"max_rr", 9, ORMA_PB_TYPE_UINT32, false},
    {"te_freq", 10, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_panel_settings_lite_ftrace_event[] = {
    {"panel_index", 1, ORMA_PB_TYPE_INT32, false},
    {"vrr", 2, ORMA_PB_TYPE_UINT32, false},
    {"min_rr", 3, ORMA_PB_TYPE_UINT32, false},
    {"max_rr", 4, ORMA_PB_TYPE_UINT32, false},
    {"te_freq", 5, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_dpu_disp_dpu_line_underrun_ftrace_event[] = {
    {"id", 1, ORMA_PB_TYPE_INT32, false},
    {"frames_pending", 2, ORMA_PB_TYPE_INT32, false},
    {"vsync_count", 3, ORMA_PB_TYPE_INT32, false},
};

static const struct orma_ftrace_field fields_psci_domain_idle_exit_ftrace_event[] = {
    {"cpu_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"state", 2, ORMA_PB_TYPE_UINT32, false},
    {"s2idle", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_psci_domain_idle_enter_ftrace_event[] = {
    {"cpu_id", 1, ORMA_PB_TYPE_UINT32, false},
    {"state", 2, ORMA_PB_TYPE_UINT32, false},
    {"s2idle", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_long_irq_ftrace_event[] = {
    {"irq", 1, ORMA_PB_TYPE_INT32, false},
    {"latency", 2, ORMA_PB_TYPE_UINT32, false},
    {"count", 3, ORMA_PB_TYPE_UINT32, false},
};

static const struct orma_ftrace_field fields_long_softirq_ftrace_event[] = {
    {"vec_nr", 1, ORMA_PB_TYPE_INT32, false},
    {"latency", 2, ORMA_PB_TYPE_UINT32, false},
    {"count", 3, ORMA_PB_TYPE_UINT32, false},
};

const struct orma_ftrace_message orma_ftrace_messages[] = {
    {3, 2, "print", fields_print_ftrace_event},
    {4, 7, "sched_switch", fields_sched_switch_ftrace_event},
    {11, 2, "cpu_frequency", fields_cpu_frequency_ftrace_event},
    {12, 3, "cpu_frequency_limits", fields_cpu_frequency_limits_ftrace_event},
    {13, 2, "cpu_idle", fields_cpu_idle_ftrace_event},
    {14, 3, "clock_enable", fields_clock_enable_ftrace_event},
    {15, 3, "clock_disable", fields_clock_disable_ftrace_event},
    {16, 3, "clock_set_rate", fields_clock_set_rate_ftrace_event},
    {17, 5, "sched_wakeup", fields_sched_wakeup_ftrace_event},
    {18, 3, "sched_blocked_reason", fields_sched_blocked_reason_ftrace_event},
    {19, 3, "sched_cpu_hotplug", fields_sched_cpu_hotplug_ftrace_event},
    {20, 5, "sched_waking", fields_sched_waking_ftrace_event},
    {21, 1, "ipi_entry", fields_ipi_entry_ftrace_event},
    {22, 1, "ipi_exit", fields_ipi_exit_ftrace_event},
    {23, 2, "ipi_raise", fields_ipi_raise_ftrace_event},
    {24, 1, "softirq_entry", fields_softirq_entry_ftrace_event},
    {25, 1, "softirq_exit", fields_softirq_exit_ftrace_event},
    {26, 1, "softirq_raise", fields_softirq_raise_ftrace_event},
    {27, 5, "i2c_read", fields_i2c_read_ftrace_event},
    {28, 6, "i2c_write", fields_i2c_write_ftrace_event},
    {29, 3, "i2c_result", fields_i2c_result_ftrace_event},
    {30, 6, "i2c_reply", fields_i2c_reply_ftrace_event},
    {31, 5, "smbus_read", fields_smbus_read_ftrace_event},
    {32, 6, "smbus_write", fields_smbus_write_ftrace_event},
    {33, 7, "smbus_result", fields_smbus_result_ftrace_event},
    {34, 6, "smbus_reply", fields_smbus_reply_ftrace_event},
    {35, 5, "lowmemory_kill", fields_lowmemory_kill_ftrace_event},
    {36, 3, "irq_handler_entry", fields_irq_handler_entry_ftrace_event},
    {37, 2, "irq_handler_exit", fields_irq_handler_exit_ftrace_event},
    {38, 2, "sync_pt", fields_sync_pt_ftrace_event},
    {39, 2, "sync_timeline", fields_sync_timeline_ftrace_event},
    {40, 3, "sync_wait", fields_sync_wait_ftrace_event},
    {41, 5, "ext4_da_write_begin", fields_ext4_da_write_begin_ftrace_event},
    {42, 5, "ext4_da_write_end", fields_ext4_da_write_end_ftrace_event},
    {43, 4, "ext4_sync_file_enter", fields_ext4_sync_file_enter_ftrace_event},
    {44, 3, "ext4_sync_file_exit", fields_ext4_sync_file_exit_ftrace_event},
    {45, 7, "block_rq_issue", fields_block_rq_issue_ftrace_event},
    {46, 3, "mm_vmscan_direct_reclaim_begin", fields_mm_vmscan_direct_reclaim_begin_ftrace_event},
    {47, 1, "mm_vmscan_direct_reclaim_end", fields_mm_vmscan_direct_reclaim_end_ftrace_event},
    {48, 3, "mm_vmscan_kswapd_wake", fields_mm_vmscan_kswapd_wake_ftrace_event},
    {49, 1, "mm_vmscan_kswapd_sleep", fields_mm_vmscan_kswapd_sleep_ftrace_event},
    {50, 7, "binder_transaction", fields_binder_transaction_ftrace_event},
    {51, 1, "binder_transaction_received", fields_binder_transaction_received_ftrace_event},
    {52, 5, "binder_set_priority", fields_binder_set_priority_ftrace_event},
    {53, 1, "binder_lock", fields_binder_lock_ftrace_event},
    {54, 1, "binder_locked", fields_binder_locked_ftrace_event},
    {55, 1, "binder_unlock", fields_binder_unlock_ftrace_event},
    {56, 2, "workqueue_activate_work", fields_workqueue_activate_work_ftrace_event},
    {57, 2, "workqueue_execute_end", fields_workqueue_execute_end_ftrace_event},
    {58, 2, "workqueue_execute_start", fields_workqueue_execute_start_ftrace_event},
    {59, 5, "workqueue_queue_work", fields_workqueue_queue_work_ftrace_event},
    {60, 1, "regulator_disable", fields_regulator_disable_ftrace_event},
    {61, 1, "regulator_disable_complete", fields_regulator_disable_complete_ftrace_event},
    {62, 1, "regulator_enable", fields_regulator_enable_ftrace_event},
    {63, 1, "regulator_enable_complete", fields_regulator_enable_complete_ftrace_event},
    {64, 1, "regulator_enable_delay", fields_regulator_enable_delay_ftrace_event},
    {65, 3, "regulator_set_voltage", fields_regulator_set_voltage_ftrace_event},
    {66, 2, "regulator_set_voltage_complete", fields_regulator_set_voltage_complete_ftrace_event},
    {67, 7, "cgroup_attach_task", fields_cgroup_attach_task_ftrace_event},
    {68, 5, "cgroup_mkdir", fields_cgroup_mkdir_ftrace_event},
    {69, 3, "cgroup_remount", fields_cgroup_remount_ftrace_event},
    {70, 5, "cgroup_rmdir", fields_cgroup_rmdir_ftrace_event},
    {71, 7, "cgroup_transfer_tasks", fields_cgroup_transfer_tasks_ftrace_event},
    {72, 3, "cgroup_destroy_root", fields_cgroup_destroy_root_ftrace_event},
    {73, 5, "cgroup_release", fields_cgroup_release_ftrace_event},
    {74, 5, "cgroup_rename", fields_cgroup_rename_ftrace_event},
    {75, 3, "cgroup_setup_root", fields_cgroup_setup_root_ftrace_event},
    {76, 2, "mdp_cmd_kickoff", fields_mdp_cmd_kickoff_ftrace_event},
    {77, 4, "mdp_commit", fields_mdp_commit_ftrace_event},
    {78, 4, "mdp_perf_set_ot", fields_mdp_perf_set_ot_ftrace_event},
    {79, 16, "mdp_sspp_change", fields_mdp_sspp_change_ftrace_event},
    {80, 3, "tracing_mark_write", fields_tracing_mark_write_ftrace_event},
    {81, 4, "mdp_cmd_pingpong_done", fields_mdp_cmd_pingpong_done_ftrace_event},
    {82, 8, "mdp_compare_bw", fields_mdp_compare_bw_ftrace_event},
    {83, 5, "mdp_perf_set_panic_luts", fields_mdp_perf_set_panic_luts_ftrace_event},
    {84, 16, "mdp_sspp_set", fields_mdp_sspp_set_ftrace_event},
    {85, 2, "mdp_cmd_readptr_done", fields_mdp_cmd_readptr_done_ftrace_event},
    {86, 3, "mdp_misr_crc", fields_mdp_misr_crc_ftrace_event},
    {87, 7, "mdp_perf_set_qos_luts", fields_mdp_perf_set_qos_luts_ftrace_event},
    {88, 3, "mdp_trace_counter", fields_mdp_trace_counter_ftrace_event},
    {89, 1, "mdp_cmd_release_bw", fields_mdp_cmd_release_bw_ftrace_event},
    {90, 1, "mdp_mixer_update", fields_mdp_mixer_update_ftrace_event},
    {91, 8, "mdp_perf_set_wm_levels", fields_mdp_perf_set_wm_levels_ftrace_event},
    {92, 2, "mdp_video_underrun_done", fields_mdp_video_underrun_done_ftrace_event},
    {93, 2, "mdp_cmd_wait_pingpong", fields_mdp_cmd_wait_pingpong_ftrace_event},
    {94, 10, "mdp_perf_prefill_calc", fields_mdp_perf_prefill_calc_ftrace_event},
    {95, 3, "mdp_perf_update_bus", fields_mdp_perf_update_bus_ftrace_event},
    {96, 1, "rotator_bw_ao_as_context", fields_rotator_bw_ao_as_context_ftrace_event},
    {97, 5, "mm_filemap_add_to_page_cache", fields_mm_filemap_add_to_page_cache_ftrace_event},
    {98, 5, "mm_filemap_delete_from_page_cache", fields_mm_filemap_delete_from_page_cache_ftrace_event},
    {99, 5, "mm_compaction_begin", fields_mm_compaction_begin_ftrace_event},
    {100, 6, "mm_compaction_defer_compaction", fields_mm_compaction_defer_compaction_ftrace_event},
    {101, 6, "mm_compaction_deferred", fields_mm_compaction_deferred_ftrace_event},
    {102, 6, "mm_compaction_defer_reset", fields_mm_compaction_defer_reset_ftrace_event},
    {103, 6, "mm_compaction_end", fields_mm_compaction_end_ftrace_event},
    {104, 4, "mm_compaction_finished", fields_mm_compaction_finished_ftrace_event},
    {105, 4, "mm_compaction_isolate_freepages", fields_mm_compaction_isolate_freepages_ftrace_event},
    {106, 4, "mm_compaction_isolate_migratepages", fields_mm_compaction_isolate_migratepages_ftrace_event},
    {107, 1, "mm_compaction_kcompactd_sleep", fields_mm_compaction_kcompactd_sleep_ftrace_event},
    {108, 4, "mm_compaction_kcompactd_wake", fields_mm_compaction_kcompactd_wake_ftrace_event},
    {109, 2, "mm_compaction_migratepages", fields_mm_compaction_migratepages_ftrace_event},
    {110, 4, "mm_compaction_suitable", fields_mm_compaction_suitable_ftrace_event},
    {111, 4, "mm_compaction_try_to_compact_pages", fields_mm_compaction_try_to_compact_pages_ftrace_event},
    {112, 4, "mm_compaction_wakeup_kcompactd", fields_mm_compaction_wakeup_kcompactd_ftrace_event},
    {113, 3, "suspend_resume", fields_suspend_resume_ftrace_event},
    {114, 5, "sched_wakeup_new", fields_sched_wakeup_new_ftrace_event},
    {115, 5, "block_bio_backmerge", fields_block_bio_backmerge_ftrace_event},
    {116, 5, "block_bio_bounce", fields_block_bio_bounce_ftrace_event},
    {117, 5, "block_bio_complete", fields_block_bio_complete_ftrace_event},
    {118, 5, "block_bio_frontmerge", fields_block_bio_frontmerge_ftrace_event},
    {119, 5, "block_bio_queue", fields_block_bio_queue_ftrace_event},
    {120, 6, "block_bio_remap", fields_block_bio_remap_ftrace_event},
    {121, 3, "block_dirty_buffer", fields_block_dirty_buffer_ftrace_event},
    {122, 5, "block_getrq", fields_block_getrq_ftrace_event},
    {123, 1, "block_plug", fields_block_plug_ftrace_event},
    {124, 6, "block_rq_abort", fields_block_rq_abort_ftrace_event},
    {125, 7, "block_rq_complete", fields_block_rq_complete_ftrace_event},
    {126, 7, "block_rq_insert", fields_block_rq_insert_ftrace_event},
    {128, 7, "block_rq_remap", fields_block_rq_remap_ftrace_event},
    {129, 6, "block_rq_requeue", fields_block_rq_requeue_ftrace_event},
    {130, 5, "block_sleeprq", fields_block_sleeprq_ftrace_event},
    {131, 5, "block_split", fields_block_split_ftrace_event},
    {132, 3, "block_touch_buffer", fields_block_touch_buffer_ftrace_event},
    {133, 2, "block_unplug", fields_block_unplug_ftrace_event},
    {134, 4, "ext4_alloc_da_blocks", fields_ext4_alloc_da_blocks_ftrace_event},
    {135, 11, "ext4_allocate_blocks", fields_ext4_allocate_blocks_ftrace_event},
    {136, 4, "ext4_allocate_inode", fields_ext4_allocate_inode_ftrace_event},
    {137, 3, "ext4_begin_ordered_truncate", fields_ext4_begin_ordered_truncate_ftrace_event},
    {138, 4, "ext4_collapse_range", fields_ext4_collapse_range_ftrace_event},
    {139, 8, "ext4_da_release_space", fields_ext4_da_release_space_ftrace_event},
    {140, 7, "ext4_da_reserve_space", fields_ext4_da_reserve_space_ftrace_event},
    {141, 9, "ext4_da_update_reserve_space", fields_ext4_da_update_reserve_space_ftrace_event},
    {142, 10, "ext4_da_write_pages", fields_ext4_da_write_pages_ftrace_event},
    {143, 5, "ext4_da_write_pages_extent", fields_ext4_da_write_pages_extent_ftrace_event},
    {144, 5, "ext4_direct_IO_enter", fields_ext4_direct_io_enter_ftrace_event},
    {145, 6, "ext4_direct_IO_exit", fields_ext4_direct_io_exit_ftrace_event},
    {146, 3, "ext4_discard_blocks", fields_ext4_discard_blocks_ftrace_event},
    {147, 4, "ext4_discard_preallocations", fields_ext4_discard_preallocations_ftrace_event},
    {148, 3, "ext4_drop_inode", fields_ext4_drop_inode_ftrace_event},
    {149, 6, "ext4_es_cache_extent", fields_ext4_es_cache_extent_ftrace_event},
    {150, 3, "ext4_es_find_delayed_extent_range_enter", fields_ext4_es_find_delayed_extent_range_enter_ftrace_event},
    {151, 6, "ext4_es_find_delayed_extent_range_exit", fields_ext4_es_find_delayed_extent_range_exit_ftrace_event},
    {152, 6, "ext4_es_insert_extent", fields_ext4_es_insert_extent_ftrace_event},
    {153, 3, "ext4_es_lookup_extent_enter", fields_ext4_es_lookup_extent_enter_ftrace_event},
    {154, 7, "ext4_es_lookup_extent_exit", fields_ext4_es_lookup_extent_exit_ftrace_event},
    {155, 4, "ext4_es_remove_extent", fields_ext4_es_remove_extent_ftrace_event},
    {156, 5, "ext4_es_shrink", fields_ext4_es_shrink_ftrace_event},
    {157, 3, "ext4_es_shrink_count", fields_ext4_es_shrink_count_ftrace_event},
    {158, 3, "ext4_es_shrink_scan_enter", fields_ext4_es_shrink_scan_enter_ftrace_event},
    {159, 3, "ext4_es_shrink_scan_exit", fields_ext4_es_shrink_scan_exit_ftrace_event},
    {160, 3, "ext4_evict_inode", fields_ext4_evict_inode_ftrace_event},
    {161, 7, "ext4_ext_convert_to_initialized_enter", fields_ext4_ext_convert_to_initialized_enter_ftrace_event},
    {162, 10, "ext4_ext_convert_to_initialized_fastpath", fields_ext4_ext_convert_to_initialized_fastpath_ftrace_event},
    {163, 8, "ext4_ext_handle_unwritten_extents", fields_ext4_ext_handle_unwritten_extents_ftrace_event},
    {164, 4, "ext4_ext_in_cache", fields_ext4_ext_in_cache_ftrace_event},
    {165, 4, "ext4_ext_load_extent", fields_ext4_ext_load_extent_ftrace_event},
    {166, 5, "ext4_ext_map_blocks_enter", fields_ext4_ext_map_blocks_enter_ftrace_event},
    {167, 8, "ext4_ext_map_blocks_exit", fields_ext4_ext_map_blocks_exit_ftrace_event},
    {168, 5, "ext4_ext_put_in_cache", fields_ext4_ext_put_in_cache_ftrace_event},
    {169, 5, "ext4_ext_remove_space", fields_ext4_ext_remove_space_ftrace_event},
    {170, 10, "ext4_ext_remove_space_done", fields_ext4_ext_remove_space_done_ftrace_event},
    {171, 3, "ext4_ext_rm_idx", fields_ext4_ext_rm_idx_ftrace_event},
    {172, 10, "ext4_ext_rm_leaf", fields_ext4_ext_rm_leaf_ftrace_event},
    {173, 5, "ext4_ext_show_extent", fields_ext4_ext_show_extent_ftrace_event},
    {174, 6, "ext4_fallocate_enter", fields_ext4_fallocate_enter_ftrace_event},
    {175, 5, "ext4_fallocate_exit", fields_ext4_fallocate_exit_ftrace_event},
    {176, 7, "ext4_find_delalloc_range", fields_ext4_find_delalloc_range_ftrace_event},
    {177, 5, "ext4_forget", fields_ext4_forget_ftrace_event},
    {178, 6, "ext4_free_blocks", fields_ext4_free_blocks_ftrace_event},
    {179, 6, "ext4_free_inode", fields_ext4_free_inode_ftrace_event},
    {180, 6, "ext4_get_implied_cluster_alloc_exit", fields_ext4_get_implied_cluster_alloc_exit_ftrace_event},
    {181, 4, "ext4_get_reserved_cluster_alloc", fields_ext4_get_reserved_cluster_alloc_ftrace_event},
    {182, 5, "ext4_ind_map_blocks_enter", fields_ext4_ind_map_blocks_enter_ftrace_event},
    {183, 8, "ext4_ind_map_blocks_exit", fields_ext4_ind_map_blocks_exit_ftrace_event},
    {184, 4, "ext4_insert_range", fields_ext4_insert_range_ftrace_event},
    {185, 5, "ext4_invalidatepage", fields_ext4_invalidatepage_ftrace_event},
    {186, 6, "ext4_journal_start", fields_ext4_journal_start_ftrace_event},
    {187, 3, "ext4_journal_start_reserved", fields_ext4_journal_start_reserved_ftrace_event},
    {188, 5, "ext4_journalled_invalidatepage", fields_ext4_journalled_invalidatepage_ftrace_event},
    {189, 5, "ext4_journalled_write_end", fields_ext4_journalled_write_end_ftrace_event},
    {190, 2, "ext4_load_inode", fields_ext4_load_inode_ftrace_event},
    {191, 2, "ext4_load_inode_bitmap", fields_ext4_load_inode_bitmap_ftrace_event},
    {192, 3, "ext4_mark_inode_dirty", fields_ext4_mark_inode_dirty_ftrace_event},
    {193, 2, "ext4_mb_bitmap_load", fields_ext4_mb_bitmap_load_ftrace_event},
    {194, 2, "ext4_mb_buddy_bitmap_load", fields_ext4_mb_buddy_bitmap_load_ftrace_event},
    {195, 2, "ext4_mb_discard_preallocations", fields_ext4_mb_discard_preallocations_ftrace_event},
    {196, 5, "ext4_mb_new_group_pa", fields_ext4_mb_new_group_pa_ftrace_event},
    {197, 5, "ext4_mb_new_inode_pa", fields_ext4_mb_new_inode_pa_ftrace_event},
    {198, 3, "ext4_mb_release_group_pa", fields_ext4_mb_release_group_pa_ftrace_event},
    {199, 4, "ext4_mb_release_inode_pa", fields_ext4_mb_release_inode_pa_ftrace_event},
    {200, 20, "ext4_mballoc_alloc", fields_ext4_mballoc_alloc_ftrace_event},
    {201, 5, "ext4_mballoc_discard", fields_ext4_mballoc_discard_ftrace_event},
    {202, 5, "ext4_mballoc_free", fields_ext4_mballoc_free_ftrace_event},
    {203, 10, "ext4_mballoc_prealloc", fields_ext4_mballoc_prealloc_ftrace_event},
    {204, 6, "ext4_other_inode_update_time", fields_ext4_other_inode_update_time_ftrace_event},
    {205, 5, "ext4_punch_hole", fields_ext4_punch_hole_ftrace_event},
    {206, 3, "ext4_read_block_bitmap_load", fields_ext4_read_block_bitmap_load_ftrace_event},
    {207, 3, "ext4_readpage", fields_ext4_readpage_ftrace_event},
    {208, 3, "ext4_releasepage", fields_ext4_releasepage_ftrace_event},
    {209, 11, "ext4_remove_blocks", fields_ext4_remove_blocks_ftrace_event},
    {210, 10, "ext4_request_blocks", fields_ext4_request_blocks_ftrace_event},
    {211, 3, "ext4_request_inode", fields_ext4_request_inode_ftrace_event},
    {212, 2, "ext4_sync_fs", fields_ext4_sync_fs_ftrace_event},
    {213, 5, "ext4_trim_all_free", fields_ext4_trim_all_free_ftrace_event},
    {214, 5, "ext4_trim_extent", fields_ext4_trim_extent_ftrace_event},
    {215, 3, "ext4_truncate_enter", fields_ext4_truncate_enter_ftrace_event},
    {216, 3, "ext4_truncate_exit", fields_ext4_truncate_exit_ftrace_event},
    {217, 4, "ext4_unlink_enter", fields_ext4_unlink_enter_ftrace_event},
    {218, 3, "ext4_unlink_exit", fields_ext4_unlink_exit_ftrace_event},
    {219, 5, "ext4_write_begin", fields_ext4_write_begin_ftrace_event},
    {230, 5, "ext4_write_end", fields_ext4_write_end_ftrace_event},
    {231, 3, "ext4_writepage", fields_ext4_writepage_ftrace_event},
    {232, 10, "ext4_writepages", fields_ext4_writepages_ftrace_event},
    {233, 7, "ext4_writepages_result", fields_ext4_writepages_result_ftrace_event},
    {234, 5, "ext4_zero_range", fields_ext4_zero_range_ftrace_event},
    {235, 4, "task_newtask", fields_task_newtask_ftrace_event},
    {236, 4, "task_rename", fields_task_rename_ftrace_event},
    {237, 3, "sched_process_exec", fields_sched_process_exec_ftrace_event},
    {238, 4, "sched_process_exit", fields_sched_process_exit_ftrace_event},
    {239, 4, "sched_process_fork", fields_sched_process_fork_ftrace_event},
    {240, 3, "sched_process_free", fields_sched_process_free_ftrace_event},
    {241, 2, "sched_process_hang", fields_sched_process_hang_ftrace_event},
    {242, 3, "sched_process_wait", fields_sched_process_wait_ftrace_event},
    {243, 5, "f2fs_do_submit_bio", fields_f2fs_do_submit_bio_ftrace_event},
    {244, 8, "f2fs_evict_inode", fields_f2fs_evict_inode_ftrace_event},
    {245, 8, "f2fs_fallocate", fields_f2fs_fallocate_ftrace_event},
    {246, 6, "f2fs_get_data_block", fields_f2fs_get_data_block_ftrace_event},
    {247, 11, "f2fs_get_victim", fields_f2fs_get_victim_ftrace_event},
    {248, 8, "f2fs_iget", fields_f2fs_iget_ftrace_event},
    {249, 3, "f2fs_iget_exit", fields_f2fs_iget_exit_ftrace_event},
    {250, 3, "f2fs_new_inode", fields_f2fs_new_inode_ftrace_event},
    {251, 8, "f2fs_readpage", fields_f2fs_readpage_ftrace_event},
    {252, 3, "f2fs_reserve_new_block", fields_f2fs_reserve_new_block_ftrace_event},
    {253, 7, "f2fs_set_page_dirty", fields_f2fs_set_page_dirty_ftrace_event},
    {254, 5, "f2fs_submit_write_page", fields_f2fs_submit_write_page_ftrace_event},
    {255, 8, "f2fs_sync_file_enter", fields_f2fs_sync_file_enter_ftrace_event},
    {256, 6, "f2fs_sync_file_exit", fields_f2fs_sync_file_exit_ftrace_event},
    {257, 3, "f2fs_sync_fs", fields_f2fs_sync_fs_ftrace_event},
    {258, 8, "f2fs_truncate", fields_f2fs_truncate_ftrace_event},
    {259, 5, "f2fs_truncate_blocks_enter", fields_f2fs_truncate_blocks_enter_ftrace_event},
    {260, 3, "f2fs_truncate_blocks_exit", fields_f2fs_truncate_blocks_exit_ftrace_event},
    {261, 5, "f2fs_truncate_data_blocks_range", fields_f2fs_truncate_data_blocks_range_ftrace_event},
    {262, 5, "f2fs_truncate_inode_blocks_enter", fields_f2fs_truncate_inode_blocks_enter_ftrace_event},
    {263, 3, "f2fs_truncate_inode_blocks_exit", fields_f2fs_truncate_inode_blocks_exit_ftrace_event},
    {264, 4, "f2fs_truncate_node", fields_f2fs_truncate_node_ftrace_event},
    {265, 4, "f2fs_truncate_nodes_enter", fields_f2fs_truncate_nodes_enter_ftrace_event},
    {266, 3, "f2fs_truncate_nodes_exit", fields_f2fs_truncate_nodes_exit_ftrace_event},
    {267, 5, "f2fs_truncate_partial_nodes", fields_f2fs_truncate_partial_nodes_ftrace_event},
    {268, 5, "f2fs_unlink_enter", fields_f2fs_unlink_enter_ftrace_event},
    {269, 3, "f2fs_unlink_exit", fields_f2fs_unlink_exit_ftrace_event},
    {270, 7, "f2fs_vm_page_mkwrite", fields_f2fs_vm_page_mkwrite_ftrace_event},
    {271, 5, "f2fs_write_begin", fields_f2fs_write_begin_ftrace_event},
    {272, 5, "f2fs_write_checkpoint", fields_f2fs_write_checkpoint_ftrace_event},
    {273, 5, "f2fs_write_end", fields_f2fs_write_end_ftrace_event},
    {274, 2, "alloc_pages_iommu_end", fields_alloc_pages_iommu_end_ftrace_event},
    {275, 2, "alloc_pages_iommu_fail", fields_alloc_pages_iommu_fail_ftrace_event},
    {276, 2, "alloc_pages_iommu_start", fields_alloc_pages_iommu_start_ftrace_event},
    {277, 2, "alloc_pages_sys_end", fields_alloc_pages_sys_end_ftrace_event},
    {278, 2, "alloc_pages_sys_fail", fields_alloc_pages_sys_fail_ftrace_event},
    {279, 2, "alloc_pages_sys_start", fields_alloc_pages_sys_start_ftrace_event},
    {280, 1, "dma_alloc_contiguous_retry", fields_dma_alloc_contiguous_retry_ftrace_event},
    {281, 4, "iommu_map_range", fields_iommu_map_range_ftrace_event},
    {282, 5, "iommu_sec_ptbl_map_range_end", fields_iommu_sec_ptbl_map_range_end_ftrace_event},
    {283, 5, "iommu_sec_ptbl_map_range_start", fields_iommu_sec_ptbl_map_range_start_ftrace_event},
    {284, 5, "ion_alloc_buffer_end", fields_ion_alloc_buffer_end_ftrace_event},
    {285, 6, "ion_alloc_buffer_fail", fields_ion_alloc_buffer_fail_ftrace_event},
    {286, 6, "ion_alloc_buffer_fallback", fields_ion_alloc_buffer_fallback_ftrace_event},
    {287, 5, "ion_alloc_buffer_start", fields_ion_alloc_buffer_start_ftrace_event},
    {288, 1, "ion_cp_alloc_retry", fields_ion_cp_alloc_retry_ftrace_event},
    {289, 4, "ion_cp_secure_buffer_end", fields_ion_cp_secure_buffer_end_ftrace_event},
    {290, 4, "ion_cp_secure_buffer_start", fields_ion_cp_secure_buffer_start_ftrace_event},
    {291, 1, "ion_prefetching", fields_ion_prefetching_ftrace_event},
    {292, 3, "ion_secure_cma_add_to_pool_end", fields_ion_secure_cma_add_to_pool_end_ftrace_event},
    {293, 3, "ion_secure_cma_add_to_pool_start", fields_ion_secure_cma_add_to_pool_start_ftrace_event},
    {294, 4, "ion_secure_cma_allocate_end", fields_ion_secure_cma_allocate_end_ftrace_event},
    {295, 4, "ion_secure_cma_allocate_start", fields_ion_secure_cma_allocate_start_ftrace_event},
    {296, 2, "ion_secure_cma_shrink_pool_end", fields_ion_secure_cma_shrink_pool_end_ftrace_event},
    {297, 2, "ion_secure_cma_shrink_pool_start", fields_ion_secure_cma_shrink_pool_start_ftrace_event},
    {298, 2, "kfree", fields_kfree_ftrace_event},
    {299, 5, "kmalloc", fields_kmalloc_ftrace_event},
    {300, 6, "kmalloc_node", fields_kmalloc_node_ftrace_event},
    {301, 5, "kmem_cache_alloc", fields_kmem_cache_alloc_ftrace_event},
    {302, 6, "kmem_cache_alloc_node", fields_kmem_cache_alloc_node_ftrace_event},
    {303, 2, "kmem_cache_free", fields_kmem_cache_free_ftrace_event},
    {304, 1, "migrate_pages_end", fields_migrate_pages_end_ftrace_event},
    {305, 1, "migrate_pages_start", fields_migrate_pages_start_ftrace_event},
    {306, 1, "migrate_retry", fields_migrate_retry_ftrace_event},
    {307, 5, "mm_page_alloc", fields_mm_page_alloc_ftrace_event},
    {308, 7, "mm_page_alloc_extfrag", fields_mm_page_alloc_extfrag_ftrace_event},
    {309, 4, "mm_page_alloc_zone_locked", fields_mm_page_alloc_zone_locked_ftrace_event},
    {310, 3, "mm_page_free", fields_mm_page_free_ftrace_event},
    {311, 3, "mm_page_free_batched", fields_mm_page_free_batched_ftrace_event},
    {312, 4, "mm_page_pcpu_drain", fields_mm_page_pcpu_drain_ftrace_event},
    {313, 4, "rss_stat", fields_rss_stat_ftrace_event},
    {314, 3, "ion_heap_shrink", fields_ion_heap_shrink_ftrace_event},
    {315, 3, "ion_heap_grow", fields_ion_heap_grow_ftrace_event},
    {316, 4, "fence_init", fields_fence_init_ftrace_event},
    {317, 4, "fence_destroy", fields_fence_destroy_ftrace_event},
    {318, 4, "fence_enable_signal", fields_fence_enable_signal_ftrace_event},
    {319, 4, "fence_signaled", fields_fence_signaled_ftrace_event},
    {320, 1, "clk_enable", fields_clk_enable_ftrace_event},
    {321, 1, "clk_disable", fields_clk_disable_ftrace_event},
    {322, 2, "clk_set_rate", fields_clk_set_rate_ftrace_event},
    {323, 4, "binder_transaction_alloc_buf", fields_binder_transaction_alloc_buf_ftrace_event},
    {324, 3, "signal_deliver", fields_signal_deliver_ftrace_event},
    {325, 6, "signal_generate", fields_signal_generate_ftrace_event},
    {326, 3, "oom_score_adj_update", fields_oom_score_adj_update_ftrace_event},
    {327, 2, "generic", fields_generic_ftrace_event},
    {328, 4, "mm_event_record", fields_mm_event_record_ftrace_event},
    {329, 2, "sys_enter", fields_sys_enter_ftrace_event},
    {330, 2, "sys_exit", fields_sys_exit_ftrace_event},
    {331, 4, "zero", fields_zero_ftrace_event},
    {332, 2, "gpu_frequency", fields_gpu_frequency_ftrace_event},
    {333, 5, "sde_tracing_mark_write", fields_sde_tracing_mark_write_ftrace_event},
    {334, 1, "mark_victim", fields_mark_victim_ftrace_event},
    {335, 3, "ion_stat", fields_ion_stat_ftrace_event},
    {336, 2, "ion_buffer_create", fields_ion_buffer_create_ftrace_event},
    {337, 2, "ion_buffer_destroy", fields_ion_buffer_destroy_ftrace_event},
    {338, 3, "scm_call_start", fields_scm_call_start_ftrace_event},
    {339, 0, "scm_call_end", NULL},
    {340, 3, "gpu_mem_total", fields_gpu_mem_total_ftrace_event},
    {341, 4, "thermal_temperature", fields_thermal_temperature_ftrace_event},
    {342, 2, "cdev_update", fields_cdev_update_ftrace_event},
    {343, 4, "cpuhp_exit", fields_cpuhp_exit_ftrace_event},
    {344, 4, "cpuhp_multi_enter", fields_cpuhp_multi_enter_ftrace_event},
    {345, 4, "cpuhp_enter", fields_cpuhp_enter_ftrace_event},
    {346, 4, "cpuhp_latency", fields_cpuhp_latency_ftrace_event},
    {347, 3, "fastrpc_dma_stat", fields_fastrpc_dma_stat_ftrace_event},
    {348, 6, "dpu_tracing_mark_write", fields_dpu_tracing_mark_write_ftrace_event},
    {349, 4, "g2d_tracing_mark_write", fields_g2d_tracing_mark_write_ftrace_event},
    {350, 4, "mali_tracing_mark_write", fields_mali_tracing_mark_write_ftrace_event},
    {351, 3, "dma_heap_stat", fields_dma_heap_stat_ftrace_event},
    {352, 4, "cpuhp_pause", fields_cpuhp_pause_ftrace_event},
    {353, 4, "sched_pi_setprio", fields_sched_pi_setprio_ftrace_event},
    {354, 18, "sde_sde_evtlog", fields_sde_sde_evtlog_ftrace_event},
    {355, 8, "sde_sde_perf_calc_crtc", fields_sde_sde_perf_calc_crtc_ftrace_event},
    {356, 12, "sde_sde_perf_crtc_update", fields_sde_sde_perf_crtc_update_ftrace_event},
    {357, 6, "sde_sde_perf_set_qos_luts", fields_sde_sde_perf_set_qos_luts_ftrace_event},
    {358, 4, "sde_sde_perf_update_bus", fields_sde_sde_perf_update_bus_ftrace_event},
    {359, 4, "rss_stat_throttled", fields_rss_stat_throttled_ftrace_event},
    {360, 3, "netif_receive_skb", fields_netif_receive_skb_ftrace_event},
    {361, 4, "net_dev_xmit", fields_net_dev_xmit_ftrace_event},
    {362, 9, "inet_sock_set_state", fields_inet_sock_set_state_ftrace_event},
    {363, 7, "tcp_retransmit_skb", fields_tcp_retransmit_skb_ftrace_event},
    {364, 6, "cros_ec_sensorhub_data", fields_cros_ec_sensorhub_data_ftrace_event},
    {365, 19, "napi_gro_receive_entry", fields_napi_gro_receive_entry_ftrace_event},
    {366, 1, "napi_gro_receive_exit", fields_napi_gro_receive_exit_ftrace_event},
    {367, 3, "kfree_skb", fields_kfree_skb_ftrace_event},
    {368, 1, "kvm_access_fault", fields_kvm_access_fault_ftrace_event},
    {369, 2, "kvm_ack_irq", fields_kvm_ack_irq_ftrace_event},
    {370, 2, "kvm_age_hva", fields_kvm_age_hva_ftrace_event},
    {371, 4, "kvm_age_page", fields_kvm_age_page_ftrace_event},
    {372, 1, "kvm_arm_clear_debug", fields_kvm_arm_clear_debug_ftrace_event},
    {373, 2, "kvm_arm_set_dreg32", fields_kvm_arm_set_dreg32_ftrace_event},
    {374, 2, "kvm_arm_set_regset", fields_kvm_arm_set_regset_ftrace_event},
    {375, 2, "kvm_arm_setup_debug", fields_kvm_arm_setup_debug_ftrace_event},
    {376, 1, "kvm_entry", fields_kvm_entry_ftrace_event},
    {377, 3, "kvm_exit", fields_kvm_exit_ftrace_event},
    {378, 1, "kvm_fpu", fields_kvm_fpu_ftrace_event},
    {379, 4, "kvm_get_timer_map", fields_kvm_get_timer_map_ftrace_event},
    {380, 4, "kvm_guest_fault", fields_kvm_guest_fault_ftrace_event},
    {381, 1, "kvm_handle_sys_reg", fields_kvm_handle_sys_reg_ftrace_event},
    {382, 3, "kvm_hvc_arm64", fields_kvm_hvc_arm64_ftrace_event},
    {383, 4, "kvm_irq_line", fields_kvm_irq_line_ftrace_event},
    {384, 4, "kvm_mmio", fields_kvm_mmio_ftrace_event},
    {385, 3, "kvm_mmio_emulate", fields_kvm_mmio_emulate_ftrace_event},
    {386, 2, "kvm_set_guest_debug", fields_kvm_set_guest_debug_ftrace_event},
    {387, 3, "kvm_set_irq", fields_kvm_set_irq_ftrace_event},
    {388, 1, "kvm_set_spte_hva", fields_kvm_set_spte_hva_ftrace_event},
    {389, 2, "kvm_set_way_flush", fields_kvm_set_way_flush_ftrace_event},
    {390, 8, "kvm_sys_access", fields_kvm_sys_access_ftrace_event},
    {391, 1, "kvm_test_age_hva", fields_kvm_test_age_hva_ftrace_event},
    {392, 2, "kvm_timer_emulate", fields_kvm_timer_emulate_ftrace_event},
    {393, 1, "kvm_timer_hrtimer_expire", fields_kvm_timer_hrtimer_expire_ftrace_event},
    {394, 3, "kvm_timer_restore_state", fields_kvm_timer_restore_state_ftrace_event},
    {395, 3, "kvm_timer_save_state", fields_kvm_timer_save_state_ftrace_event},
    {396, 3, "kvm_timer_update_irq", fields_kvm_timer_update_irq_ftrace_event},
    {397, 3, "kvm_toggle_cache", fields_kvm_toggle_cache_ftrace_event},
    {398, 2, "kvm_unmap_hva_range", fields_kvm_unmap_hva_range_ftrace_event},
    {399, 1, "kvm_userspace_exit", fields_kvm_userspace_exit_ftrace_event},
    {400, 3, "kvm_vcpu_wakeup", fields_kvm_vcpu_wakeup_ftrace_event},
    {401, 2, "kvm_wfx_arm64", fields_kvm_wfx_arm64_ftrace_event},
    {402, 4, "trap_reg", fields_trap_reg_ftrace_event},
    {403, 3, "vgic_update_irq_pending", fields_vgic_update_irq_pending_ftrace_event},
    {404, 2, "wakeup_source_activate", fields_wakeup_source_activate_ftrace_event},
    {405, 2, "wakeup_source_deactivate", fields_wakeup_source_deactivate_ftrace_event},
    {406, 10, "ufshcd_command", fields_ufshcd_command_ftrace_event},
    {407, 2, "ufshcd_clk_gating", fields_ufshcd_clk_gating_ftrace_event},
    {408, 1, "console", fields_console_ftrace_event},
    {409, 4, "drm_vblank_event", fields_drm_vblank_event_ftrace_event},
    {410, 3, "drm_vblank_event_delivered", fields_drm_vblank_event_delivered_ftrace_event},
    {411, 6, "drm_sched_job", fields_drm_sched_job_ftrace_event},
    {412, 6, "drm_run_job", fields_drm_run_job_ftrace_event},
    {413, 1, "drm_sched_process_job", fields_drm_sched_process_job_ftrace_event},
    {414, 4, "dma_fence_init", fields_dma_fence_init_ftrace_event},
    {415, 4, "dma_fence_emit", fields_dma_fence_emit_ftrace_event},
    {416, 4, "dma_fence_signaled", fields_dma_fence_signaled_ftrace_event},
    {417, 4, "dma_fence_wait_start", fields_dma_fence_wait_start_ftrace_event},
    {418, 4, "dma_fence_wait_end", fields_dma_fence_wait_end_ftrace_event},
    {419, 23, "f2fs_iostat", fields_f2fs_iostat_ftrace_event},
    {420, 28, "f2fs_iostat_latency", fields_f2fs_iostat_latency_ftrace_event},
    {421, 15, "sched_cpu_util_cfs", fields_sched_cpu_util_cfs_ftrace_event},
    {422, 18, "v4l2_qbuf", fields_v4l2_qbuf_ftrace_event},
    {423, 18, "v4l2_dqbuf", fields_v4l2_dqbuf_ftrace_event},
    {424, 15, "vb2_v4l2_buf_queue", fields_vb2_v4l2_buf_queue_ftrace_event},
    {425, 15, "vb2_v4l2_buf_done", fields_vb2_v4l2_buf_done_ftrace_event},
    {426, 15, "vb2_v4l2_qbuf", fields_vb2_v4l2_qbuf_ftrace_event},
    {427, 15, "vb2_v4l2_dqbuf", fields_vb2_v4l2_dqbuf_ftrace_event},
    {428, 2, "dsi_cmd_fifo_status", fields_dsi_cmd_fifo_status_ftrace_event},
    {429, 2, "dsi_rx", fields_dsi_rx_ftrace_event},
    {430, 3, "dsi_tx", fields_dsi_tx_ftrace_event},
    {431, 3, "android_fs_dataread_end", fields_android_fs_dataread_end_ftrace_event},
    {432, 7, "android_fs_dataread_start", fields_android_fs_dataread_start_ftrace_event},
    {433, 3, "android_fs_datawrite_end", fields_android_fs_datawrite_end_ftrace_event},
    {434, 7, "android_fs_datawrite_start", fields_android_fs_datawrite_start_ftrace_event},
    {435, 3, "android_fs_fsync_end", fields_android_fs_fsync_end_ftrace_event},
    {436, 5, "android_fs_fsync_start", fields_android_fs_fsync_start_ftrace_event},
    {437, 2, "funcgraph_entry", fields_funcgraph_entry_ftrace_event},
    {438, 5, "funcgraph_exit", fields_funcgraph_exit_ftrace_event},
    {439, 2, "virtio_video_cmd", fields_virtio_video_cmd_ftrace_event},
    {440, 2, "virtio_video_cmd_done", fields_virtio_video_cmd_done_ftrace_event},
    {441, 8, "virtio_video_resource_queue", fields_virtio_video_resource_queue_ftrace_event},
    {442, 8, "virtio_video_resource_queue_done", fields_virtio_video_resource_queue_done_ftrace_event},
    {443, 11, "mm_shrink_slab_start", fields_mm_shrink_slab_start_ftrace_event},
    {444, 7, "mm_shrink_slab_end", fields_mm_shrink_slab_end_ftrace_event},
    {445, 4, "trusty_smc", fields_trusty_smc_ftrace_event},
    {446, 1, "trusty_smc_done", fields_trusty_smc_done_ftrace_event},
    {447, 4, "trusty_std_call32", fields_trusty_std_call32_ftrace_event},
    {448, 1, "trusty_std_call32_done", fields_trusty_std_call32_done_ftrace_event},
    {449, 3, "trusty_share_memory", fields_trusty_share_memory_ftrace_event},
    {450, 5, "trusty_share_memory_done", fields_trusty_share_memory_done_ftrace_event},
    {451, 1, "trusty_reclaim_memory", fields_trusty_reclaim_memory_ftrace_event},
    {452, 2, "trusty_reclaim_memory_done", fields_trusty_reclaim_memory_done_ftrace_event},
    {453, 1, "trusty_irq", fields_trusty_irq_ftrace_event},
    {454, 3, "trusty_ipc_handle_event", fields_trusty_ipc_handle_event_ftrace_event},
    {455, 3, "trusty_ipc_connect", fields_trusty_ipc_connect_ftrace_event},
    {456, 3, "trusty_ipc_connect_end", fields_trusty_ipc_connect_end_ftrace_event},
    {457, 6, "trusty_ipc_write", fields_trusty_ipc_write_ftrace_event},
    {458, 3, "trusty_ipc_poll", fields_trusty_ipc_poll_ftrace_event},
    {460, 2, "trusty_ipc_read", fields_trusty_ipc_read_ftrace_event},
    {461, 5, "trusty_ipc_read_end", fields_trusty_ipc_read_end_ftrace_event},
    {462, 3, "trusty_ipc_rx", fields_trusty_ipc_rx_ftrace_event},
    {464, 3, "trusty_enqueue_nop", fields_trusty_enqueue_nop_ftrace_event},
    {465, 3, "cma_alloc_start", fields_cma_alloc_start_ftrace_event},
    {466, 10, "cma_alloc_info", fields_cma_alloc_info_ftrace_event},
    {467, 5, "lwis_tracing_mark_write", fields_lwis_tracing_mark_write_ftrace_event},
    {468, 9, "virtio_gpu_cmd_queue", fields_virtio_gpu_cmd_queue_ftrace_event},
    {469, 9, "virtio_gpu_cmd_response", fields_virtio_gpu_cmd_response_ftrace_event},
    {470, 5, "mali_mali_KCPU_CQS_SET", fields_mali_mali_kcpucqsset_ftrace_event},
    {471, 5, "mali_mali_KCPU_CQS_WAIT_START", fields_mali_mali_kcpucqswaitstart_ftrace_event},
    {472, 5, "mali_mali_KCPU_CQS_WAIT_END", fields_mali_mali_kcpucqswaitend_ftrace_event},
    {473, 5, "mali_mali_KCPU_FENCE_SIGNAL", fields_mali_mali_kcpufencesignal_ftrace_event},
    {474, 5, "mali_mali_KCPU_FENCE_WAIT_START", fields_mali_mali_kcpufencewaitstart_ftrace_event},
    {475, 5, "mali_mali_KCPU_FENCE_WAIT_END", fields_mali_mali_kcpufencewaitend_ftrace_event},
    {476, 0, "hyp_enter", NULL},
    {477, 0, "hyp_exit", NULL},
    {478, 2, "host_hcall", fields_host_hcall_ftrace_event},
    {479, 2, "host_smc", fields_host_smc_ftrace_event},
    {480, 2, "host_mem_abort", fields_host_mem_abort_ftrace_event},
    {481, 1, "suspend_resume_minimal", fields_suspend_resume_minimal_ftrace_event},
    {482, 3, "mali_mali_CSF_INTERRUPT_START", fields_mali_mali_csfinterruptstart_ftrace_event},
    {483, 3, "mali_mali_CSF_INTERRUPT_END", fields_mali_mali_csfinterruptend_ftrace_event},
    {484, 5, "samsung_tracing_mark_write", fields_samsung_tracing_mark_write_ftrace_event},
    {485, 1, "binder_command", fields_binder_command_ftrace_event},
    {486, 1, "binder_return", fields_binder_return_ftrace_event},
    {487, 23, "sched_switch_with_ctrs", fields_sched_switch_with_ctrs_ftrace_event},
    {488, 5, "gpu_work_period", fields_gpu_work_period_ftrace_event},
    {489, 2, "rpm_status", fields_rpm_status_ftrace_event},
    {490, 6, "panel_write_generic", fields_panel_write_generic_ftrace_event},
    {491, 7, "sched_migrate_task", fields_sched_migrate_task_ftrace_event},
    {492, 2, "dpu_dsi_cmd_fifo_status", fields_dpu_dsi_cmd_fifo_status_ftrace_event},
    {493, 2, "dpu_dsi_rx", fields_dpu_dsi_rx_ftrace_event},
    {494, 4, "dpu_dsi_tx", fields_dpu_dsi_tx_ftrace_event},
    {495, 4, "f2fs_background_gc", fields_f2fs_background_gc_ftrace_event},
    {496, 13, "f2fs_gc_begin", fields_f2fs_gc_begin_ftrace_event},
    {497, 11, "f2fs_gc_end", fields_f2fs_gc_end_ftrace_event},
    {498, 3, "fastrpc_dma_free", fields_fastrpc_dma_free_ftrace_event},
    {499, 5, "fastrpc_dma_alloc", fields_fastrpc_dma_alloc_ftrace_event},
    {500, 3, "fastrpc_dma_unmap", fields_fastrpc_dma_unmap_ftrace_event},
    {501, 7, "fastrpc_dma_map", fields_fastrpc_dma_map_ftrace_event},
    {502, 2, "google_icc_event", fields_google_icc_event_ftrace_event},
    {503, 2, "google_irm_event", fields_google_irm_event_ftrace_event},
    {504, 5, "device_pm_callback_start", fields_device_pm_callback_start_ftrace_event},
    {505, 3, "device_pm_callback_end", fields_device_pm_callback_end_ftrace_event},
    {506, 11, "thermal_exynos_acpm_bulk", fields_thermal_exynos_acpm_bulk_ftrace_event},
    {507, 7, "thermal_exynos_acpm_high_overhead", fields_thermal_exynos_acpm_high_overhead_ftrace_event},
    {508, 2, "dcvsh_freq", fields_dcvsh_freq_ftrace_event},
    {509, 2, "kgsl_gpu_frequency", fields_kgsl_gpu_frequency_ftrace_event},
    {510, 3, "mali_mali_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND", fields_mali_mali_pmmcuhctlcoresdownscalenotifypend_ftrace_event},
    {511, 3, "mali_mali_PM_MCU_HCTL_CORES_NOTIFY_PEND", fields_mali_mali_pmmcuhctlcoresnotifypend_ftrace_event},
    {512, 3, "mali_mali_PM_MCU_HCTL_CORE_INACTIVE_PEND", fields_mali_mali_pmmcuhctlcoreinactivepend_ftrace_event},
    {513, 3, "mali_mali_PM_MCU_HCTL_MCU_ON_RECHECK", fields_mali_mali_pmmcuhctlmcuonrecheck_ftrace_event},
    {514, 3, "mali_mali_PM_MCU_HCTL_SHADERS_CORE_OFF_PEND", fields_mali_mali_pmmcuhctlshaderscoreoffpend_ftrace_event},
    {515, 3, "mali_mali_PM_MCU_HCTL_SHADERS_PEND_OFF", fields_mali_mali_pmmcuhctlshaderspendoff_ftrace_event},
    {516, 3, "mali_mali_PM_MCU_HCTL_SHADERS_PEND_ON", fields_mali_mali_pmmcuhctlshaderspendon_ftrace_event},
    {517, 3, "mali_mali_PM_MCU_HCTL_SHADERS_READY_OFF", fields_mali_mali_pmmcuhctlshadersreadyoff_ftrace_event},
    {518, 3, "mali_mali_PM_MCU_IN_SLEEP", fields_mali_mali_pmmcuinsleep_ftrace_event},
    {519, 3, "mali_mali_PM_MCU_OFF", fields_mali_mali_pmmcuoff_ftrace_event},
    {520, 3, "mali_mali_PM_MCU_ON", fields_mali_mali_pmmcuon_ftrace_event},
    {521, 3, "mali_mali_PM_MCU_ON_CORE_ATTR_UPDATE_PEND", fields_mali_mali_pmmcuoncoreattrupdatepend_ftrace_event},
    {522, 3, "mali_mali_PM_MCU_ON_GLB_REINIT_PEND", fields_mali_mali_pmmcuonglbreinitpend_ftrace_event},
    {523, 3, "mali_mali_PM_MCU_ON_HALT", fields_mali_mali_pmmcuonhalt_ftrace_event},
    {524, 3, "mali_mali_PM_MCU_ON_HWCNT_DISABLE", fields_mali_mali_pmmcuonhwcntdisable_ftrace_event},
    {525, 3, "mali_mali_PM_MCU_ON_HWCNT_ENABLE", fields_mali_mali_pmmcuonhwcntenable_ftrace_event},
    {526, 3, "mali_mali_PM_MCU_ON_PEND_HALT", fields_mali_mali_pmmcuonpendhalt_ftrace_event},
    {527, 3, "mali_mali_PM_MCU_ON_PEND_SLEEP", fields_mali_mali_pmmcuonpendsleep_ftrace_event},
    {528, 3, "mali_mali_PM_MCU_ON_SLEEP_INITIATE", fields_mali_mali_pmmcuonsleepinitiate_ftrace_event},
    {529, 3, "mali_mali_PM_MCU_PEND_OFF", fields_mali_mali_pmmcupendoff_ftrace_event},
    {530, 3, "mali_mali_PM_MCU_PEND_ON_RELOAD", fields_mali_mali_pmmcupendonreload_ftrace_event},
    {531, 3, "mali_mali_PM_MCU_POWER_DOWN", fields_mali_mali_pmmcupowerdown_ftrace_event},
    {532, 3, "mali_mali_PM_MCU_RESET_WAIT", fields_mali_mali_pmmcuresetwait_ftrace_event},
    {533, 9, "bcl_irq_trigger", fields_bcl_irq_trigger_ftrace_event},
    {534, 5, "kgsl_adreno_cmdbatch_queued", fields_kgsl_adreno_cmdbatch_queued_ftrace_event},
    {535, 13, "kgsl_adreno_cmdbatch_submitted", fields_kgsl_adreno_cmdbatch_submitted_ftrace_event},
    {536, 4, "kgsl_adreno_cmdbatch_sync", fields_kgsl_adreno_cmdbatch_sync_ftrace_event},
    {537, 17, "kgsl_adreno_cmdbatch_retired", fields_kgsl_adreno_cmdbatch_retired_ftrace_event},
    {538, 1, "pixel_mm_kswapd_wake", fields_pixel_mm_kswapd_wake_ftrace_event},
    {539, 4, "pixel_mm_kswapd_done", fields_pixel_mm_kswapd_done_ftrace_event},
    {540, 5, "sched_wakeup_task_attr", fields_sched_wakeup_task_attr_ftrace_event},
    {541, 5, "devfreq_frequency", fields_devfreq_frequency_ftrace_event},
    {542, 2, "kprobe_event", fields_kprobe_event},
    {543, 3, "param_set_value_cpm", fields_param_set_value_cpm_ftrace_event},
    {544, 3, "do_sys_open", fields_do_sys_open_ftrace_event},
    {545, 1, "open_exec", fields_open_exec_ftrace_event},
    {546, 8, "block_io_start", fields_block_io_start_ftrace_event},
    {547, 8, "block_io_done", fields_block_io_done_ftrace_event},
    {548, 3, "mali_gpu_power_state", fields_mali_gpu_power_state_ftrace_event},
    {549, 3, "dpu_disp_dpu_underrun", fields_dpu_disp_dpu_underrun_ftrace_event},
    {550, 3, "dpu_disp_vblank_irq_enable", fields_dpu_disp_vblank_irq_enable_ftrace_event},
    {551, 5, "hrtimer_start", fields_hrtimer_start_ftrace_event},
    {552, 1, "hrtimer_cancel", fields_hrtimer_cancel_ftrace_event},
    {553, 3, "hrtimer_expire_entry", fields_hrtimer_expire_entry_ftrace_event},
    {554, 1, "hrtimer_expire_exit", fields_hrtimer_expire_exit_ftrace_event},
    {555, 7, "timer_start", fields_timer_start_ftrace_event},
    {556, 1, "timer_cancel", fields_timer_cancel_ftrace_event},
    {557, 4, "timer_expire_entry", fields_timer_expire_entry_ftrace_event},
    {558, 1, "timer_expire_exit", fields_timer_expire_exit_ftrace_event},
    {559, 1, "local_timer_entry", fields_local_timer_entry_ftrace_event},
    {560, 1, "local_timer_exit", fields_local_timer_exit_ftrace_event},
    {561, 8, "dwc3_alloc_request", fields_dwc3_alloc_request_ftrace_event},
    {562, 11, "dwc3_complete_trb", fields_dwc3_complete_trb_ftrace_event},
    {563, 6, "dwc3_ctrl_req", fields_dwc3_ctrl_req_ftrace_event},
    {564, 8, "dwc3_ep_dequeue", fields_dwc3_ep_dequeue_ftrace_event},
    {565, 8, "dwc3_ep_queue", fields_dwc3_ep_queue_ftrace_event},
    {566, 3, "dwc3_event", fields_dwc3_event_ftrace_event},
    {567, 8, "dwc3_free_request", fields_dwc3_free_request_ftrace_event},
    {568, 6, "dwc3_gadget_ep_cmd", fields_dwc3_gadget_ep_cmd_ftrace_event},
    {569, 9, "dwc3_gadget_ep_disable", fields_dwc3_gadget_ep_disable_ftrace_event},
    {570, 9, "dwc3_gadget_ep_enable", fields_dwc3_gadget_ep_enable_ftrace_event},
    {571, 3, "dwc3_gadget_generic_cmd", fields_dwc3_gadget_generic_cmd_ftrace_event},
    {572, 8, "dwc3_gadget_giveback", fields_dwc3_gadget_giveback_ftrace_event},
    {573, 11, "dwc3_prepare_trb", fields_dwc3_prepare_trb_ftrace_event},
    {574, 4, "dwc3_readl", fields_dwc3_readl_ftrace_event},
    {575, 4, "dwc3_writel", fields_dwc3_writel_ftrace_event},
    {576, 6, "cma_alloc_finish", fields_cma_alloc_finish_ftrace_event},
    {577, 6, "mm_alloc_contig_migrate_range_info", fields_mm_alloc_contig_migrate_range_info_ftrace_event},
    {578, 7, "host_ffa_call", fields_host_ffa_call_ftrace_event},
    {579, 3, "dmabuf_rss_stat", fields_dmabuf_rss_stat_ftrace_event},
    {580, 3, "iommu_idmap", fields_iommu_idmap_ftrace_event},
    {581, 2, "psci_mem_protect", fields_psci_mem_protect_ftrace_event},
    {582, 2, "hypervisor_host_hcall", fields_hypervisor_host_hcall_ftrace_event},
    {583, 2, "hypervisor_host_smc", fields_hypervisor_host_smc_ftrace_event},
    {584, 0, "hypervisor_hyp_exit", NULL},
    {585, 3, "hypervisor_iommu_idmap", fields_hypervisor_iommu_idmap_ftrace_event},
    {586, 2, "hypervisor_psci_mem_protect", fields_hypervisor_psci_mem_protect_ftrace_event},
    {587, 2, "hypervisor_host_mem_abort", fields_hypervisor_host_mem_abort_ftrace_event},
    {588, 0, "hypervisor_hyp_enter", NULL},
    {589, 1, "hypervisor_iommu_idmap_complete", fields_hypervisor_iommu_idmap_complete_ftrace_event},
    {590, 1, "hypervisor_vcpu_illegal_trap", fields_hypervisor_vcpu_illegal_trap_ftrace_event},
    {591, 4, "drm_sched_job_add_dep", fields_drm_sched_job_add_dep_ftrace_event},
    {592, 2, "drm_sched_job_done", fields_drm_sched_job_done_ftrace_event},
    {593, 7, "drm_sched_job_queue", fields_drm_sched_job_queue_ftrace_event},
    {594, 7, "drm_sched_job_run", fields_drm_sched_job_run_ftrace_event},
    {595, 4, "drm_sched_job_unschedulable", fields_drm_sched_job_unschedulable_ftrace_event},
    {596, 5, "fwtp_perfetto_counter", fields_fwtp_perfetto_counter_ftrace_event},
    {597, 13, "scsi_dispatch_cmd_error", fields_scsi_dispatch_cmd_error_ftrace_event},
    {598, 16, "scsi_dispatch_cmd_timeout", fields_scsi_dispatch_cmd_timeout_ftrace_event},
    {599, 1, "scsi_eh_wakeup", fields_scsi_eh_wakeup_ftrace_event},
    {600, 5, "fwtp_perfetto_slice", fields_fwtp_perfetto_slice_ftrace_event},
    {601, 2, "gpu_power_state", fields_gpu_power_state_ftrace_event},
    {602, 2, "gram_collision", fields_gram_collision_ftrace_event},
    {603, 13, "f2fs_lock_elapsed_time", fields_f2fs_lock_elapsed_time_ftrace_event},
    {604, 4, "sched_group_tracker", fields_sched_group_tracker_ftrace_event},
    {605, 5, "dpu_disp_frame_done_timeout", fields_dpu_disp_frame_done_timeout_ftrace_event},
    {606, 4, "dpu_disp_frame_start_timeout", fields_dpu_disp_frame_start_timeout_ftrace_event},
    {607, 3, "mm_vmscan_memcg_reclaim_begin", fields_mm_vmscan_memcg_reclaim_begin_ftrace_event},
    {608, 1, "mm_vmscan_memcg_reclaim_end", fields_mm_vmscan_memcg_reclaim_end_ftrace_event},
    {609, 4, "dpu_disp_frame_done_missing", fields_dpu_disp_frame_done_missing_ftrace_event},
    {610, 4, "dpu_disp_frame_start_missing", fields_dpu_disp_frame_start_missing_ftrace_event},
    {611, 10, "panel_settings_full", fields_panel_settings_full_ftrace_event},
    {612, 5, "panel_settings_lite", fields_panel_settings_lite_ftrace_event},
    {613, 3, "dpu_disp_dpu_line_underrun", fields_dpu_disp_dpu_line_underrun_ftrace_event},
    {614, 3, "psci_domain_idle_exit", fields_psci_domain_idle_exit_ftrace_event},
    {615, 3, "psci_domain_idle_enter", fields_psci_domain_idle_enter_ftrace_event},
    {616, 3, "long_irq", fields_long_irq_ftrace_event},
    {617, 3, "long_softirq", fields_long_softirq_ftrace_event},
};

const unsigned orma_ftrace_messages_num = 596;

const struct orma_ftrace_tracepoint orma_ftrace_tracepoints[] = {
    {"android_fs", "android_fs_dataread_end", 411},
    {"android_fs", "android_fs_dataread_start", 412},
    {"android_fs", "android_fs_datawrite_end", 413},
    {"android_fs", "android_fs_datawrite_start", 414},
    {"android_fs", "android_fs_fsync_end", 415},
    {"android_fs", "android_fs_fsync_start", 416},
    {"bcl_exynos", "bcl_irq_trigger", 511},
    {"binder", "binder_command", 463},
    {"binder", "binder_lock", 44},
    {"binder", "binder_locked", 45},
    {"binder", "binder_return", 464},
    {"binder", "binder_set_priority", 43},
    {"binder", "binder_transaction", 41},
    {"binder", "binder_transaction_alloc_buf", 303},
    {"binder", "binder_transaction_received", 42},
    {"binder", "binder_unlock", 46},
    {"block", "block_bio_backmerge", 106},
    {"block", "block_bio_bounce", 107},
    {"block", "block_bio_complete", 108},
    {"block", "block_bio_frontmerge", 109},
    {"block", "block_bio_queue", 110},
    {"block", "block_bio_remap", 111},
    {"block", "block_dirty_buffer", 112},
    {"block", "block_getrq", 113},
    {"block", "block_io_done", 525},
    {"block", "block_io_start", 524},
    {"block", "block_plug", 114},
    {"block", "block_rq_abort", 115},
    {"block", "block_rq_complete", 116},
    {"block", "block_rq_insert", 117},
    {"block", "block_rq_issue", 36},
    {"block", "block_rq_remap", 118},
    {"block", "block_rq_requeue", 119},
    {"block", "block_sleeprq", 120},
    {"block", "block_split", 121},
    {"block", "block_touch_buffer", 122},
    {"block", "block_unplug", 123},
    {"cgroup", "cgroup_attach_task", 58},
    {"cgroup", "cgroup_destroy_root", 63},
    {"cgroup", "cgroup_mkdir", 59},
    {"cgroup", "cgroup_release", 64},
    {"cgroup", "cgroup_remount", 60},
    {"cgroup", "cgroup_rename", 65},
    {"cgroup", "cgroup_rmdir", 61},
    {"cgroup", "cgroup_setup_root", 66},
    {"cgroup", "cgroup_transfer_tasks", 62},
    {"clk", "clk_disable", 301},
    {"clk", "clk_enable", 300},
    {"clk", "clk_set_rate", 302},
    {"cma", "cma_alloc_finish", 554},
    {"cma", "cma_alloc_info", 444},
    {"cma", "cma_alloc_start", 443},
    {"compaction", "mm_compaction_begin", 90},
    {"compaction", "mm_compaction_defer_compaction", 91},
    {"compaction", "mm_compaction_defer_reset", 93},
    {"compaction", "mm_compaction_deferred", 92},
    {"compaction", "mm_compaction_end", 94},
    {"compaction", "mm_compaction_finished", 95},
    {"compaction", "mm_compaction_isolate_freepages", 96},
    {"compaction", "mm_compaction_isolate_migratepages", 97},
    {"compaction", "mm_compaction_kcompactd_sleep", 98},
    {"compaction", "mm_compaction_kcompactd_wake", 99},
    {"compaction", "mm_compaction_migratepages", 100},
    {"compaction", "mm_compaction_suitable", 101},
    {"compaction", "mm_compaction_try_to_compact_pages", 102},
    {"compaction", "mm_compaction_wakeup_kcompactd", 103},
    {"cpm_trace", "param_set_value_cpm", 521},
    {"cpuhp", "cpuhp_enter", 325},
    {"cpuhp", "cpuhp_exit", 323},
    {"cpuhp", "cpuhp_latency", 326},
    {"cpuhp", "cpuhp_multi_enter", 324},
    {"cpuhp", "cpuhp_pause", 332},
    {"cros_ec", "cros_ec_sensorhub_data", 344},
    {"dcvsh", "dcvsh_freq", 486},
    {"devfreq", "devfreq_frequency", 519},
    {"dma_fence", "dma_fence_emit", 395},
    {"dma_fence", "dma_fence_init", 394},
    {"dma_fence", "dma_fence_signaled", 396},
    {"dma_fence", "dma_fence_wait_end", 398},
    {"dma_fence", "dma_fence_wait_start", 397},
    {"dmabuf_heap", "dma_heap_stat", 331},
    {"dpu", "disp_dpu_line_underrun", 591},
    {"dpu", "disp_dpu_underrun", 527},
    {"dpu", "disp_frame_done_missing", 587},
    {"dpu", "disp_frame_done_timeout", 583},
    {"dpu", "disp_frame_start_missing", 588},
    {"dpu", "disp_frame_start_timeout", 584},
    {"dpu", "disp_vblank_irq_enable", 528},
    {"dpu", "dsi_cmd_fifo_status", 470},
    {"dpu", "dsi_rx", 471},
    {"dpu", "dsi_tx", 472},
    {"dpu", "tracing_mark_write", 328},
    {"drm", "drm_vblank_event", 389},
    {"drm", "drm_vblank_event_delivered", 390},
    {"dwc3", "dwc3_alloc_request", 539},
    {"dwc3", "dwc3_complete_trb", 540},
    {"dwc3", "dwc3_ctrl_req", 541},
    {"dwc3", "dwc3_ep_dequeue", 542},
    {"dwc3", "dwc3_ep_queue", 543},
    {"dwc3", "dwc3_event", 544},
    {"dwc3", "dwc3_free_request", 545},
    {"dwc3", "dwc3_gadget_ep_cmd", 546},
    {"dwc3", "dwc3_gadget_ep_disable", 547},
    {"dwc3", "dwc3_gadget_ep_enable", 548},
    {"dwc3", "dwc3_gadget_generic_cmd", 549},
    {"dwc3", "dwc3_gadget_giveback", 550},
    {"dwc3", "dwc3_prepare_trb", 551},
    {"dwc3", "dwc3_readl", 552},
    {"dwc3", "dwc3_writel", 553},
    {"ext4", "ext4_alloc_da_blocks", 124},
    {"ext4", "ext4_allocate_blocks", 125},
    {"ext4", "ext4_allocate_inode", 126},
    {"ext4", "ext4_begin_ordered_truncate", 127},
    {"ext4", "ext4_collapse_range", 128},
    {"ext4", "ext4_da_release_space", 129},
    {"ext4", "ext4_da_reserve_space", 130},
    {"ext4", "ext4_da_update_reserve_space", 131},
    {"ext4", "ext4_da_write_begin", 32},
    {"ext4", "ext4_da_write_end", 33},
    {"ext4", "ext4_da_write_pages", 132},
    {"ext4", "ext4_da_write_pages_extent", 133},
    {"ext4", "ext4_direct_IO_enter", 134},
    {"ext4", "ext4_direct_IO_exit", 135},
    {"ext4", "ext4_discard_blocks", 136},
    {"ext4", "ext4_discard_preallocations", 137},
    {"ext4", "ext4_drop_inode", 138},
    {"ext4", "ext4_es_cache_extent", 139},
    {"ext4", "ext4_es_find_delayed_extent_range_enter", 140},
    {"ext4", "ext4_es_find_delayed_extent_range_exit", 141},
    {"ext4", "ext4_es_insert_extent", 142},
    {"ext4", "ext4_es_lookup_extent_enter", 143},
    {"ext4", "ext4_es_lookup_extent_exit", 144},
    {"ext4", "ext4_es_remove_extent", 145},
    {"ext4", "ext4_es_shrink", 146},
    {"ext4", "ext4_es_shrink_count", 147},
    {"ext4", "ext4_es_shrink_scan_enter", 148},
    {"ext4", "ext4_es_shrink_scan_exit", 149},
    {"ext4", "ext4_evict_inode", 150},
    {"ext4", "ext4_ext_convert_to_initialized_enter", 151},
    {"ext4", "ext4_ext_convert_to_initialized_fastpath", 152},
    {"ext4", "ext4_ext_handle_unwritten_extents", 153},
    {"ext4", "ext4_ext_in_cache", 154},
    {"ext4", "ext4_ext_load_extent", 155},
    {"ext4", "ext4_ext_map_blocks_enter", 156},
    {"ext4", "ext4_ext_map_blocks_exit", 157},
    {"ext4", "ext4_ext_put_in_cache", 158},
    {"ext4", "ext4_ext_remove_space", 159},
    {"ext4", "ext4_ext_remove_space_done", 160},
    {"ext4", "ext4_ext_rm_idx", 161},
    {"ext4", "ext4_ext_rm_leaf", 162},
    {"ext4", "ext4_ext_show_extent", 163},
    {"ext4", "ext4_fallocate_enter", 164},
    {"ext4", "ext4_fallocate_exit", 165},
    {"ext4", "ext4_find_delalloc_range", 166},
    {"ext4", "ext4_forget", 167},
    {"ext4", "ext4_free_blocks", 168},
    {"ext4", "ext4_free_inode", 169},
    {"ext4", "ext4_get_implied_cluster_alloc_exit", 170},
    {"ext4", "ext4_get_reserved_cluster_alloc", 171},
    {"ext4", "ext4_ind_map_blocks_enter", 172},
    {"ext4", "ext4_ind_map_blocks_exit", 173},
    {"ext4", "ext4_insert_range", 174},
    {"ext4", "ext4_invalidatepage", 175},
    {"ext4", "ext4_journal_start", 176},
    {"ext4", "ext4_journal_start_reserved", 177},
    {"ext4", "ext4_journalled_invalidatepage", 178},
    {"ext4", "ext4_journalled_write_end", 179},
    {"ext4", "ext4_load_inode", 180},
    {"ext4", "ext4_load_inode_bitmap", 181},
    {"ext4", "ext4_mark_inode_dirty", 182},
    {"ext4", "ext4_mb_bitmap_load", 183},
    {"ext4", "ext4_mb_buddy_bitmap_load", 184},
    {"ext4", "ext4_mb_discard_preallocations", 185},
    {"ext4", "ext4_mb_new_group_pa", 186},
    {"ext4", "ext4_mb_new_inode_pa", 187},
    {"ext4", "ext4_mb_release_group_pa", 188},
    {"ext4", "ext4_mb_release_inode_pa", 189},
    {"ext4", "ext4_mballoc_alloc", 190},
    {"ext4", "ext4_mballoc_discard", 191},
    {"ext4", "ext4_mballoc_free", 192},
    {"ext4", "ext4_mballoc_prealloc", 193},
    {"ext4", "ext4_other_inode_update_time", 194},
    {"ext4", "ext4_punch_hole", 195},
    {"ext4", "ext4_read_block_bitmap_load", 196},
    {"ext4", "ext4_readpage", 197},
    {"ext4", "ext4_releasepage", 198},
    {"ext4", "ext4_remove_blocks", 199},
    {"ext4", "ext4_request_blocks", 200},
    {"ext4", "ext4_request_inode", 201},
    {"ext4", "ext4_sync_file_enter", 34},
    {"ext4", "ext4_sync_file_exit", 35},
    {"ext4", "ext4_sync_fs", 202},
    {"ext4", "ext4_trim_all_free", 203},
    {"ext4", "ext4_trim_extent", 204},
    {"ext4", "ext4_truncate_enter", 205},
    {"ext4", "ext4_truncate_exit", 206},
    {"ext4", "ext4_unlink_enter", 207},
    {"ext4", "ext4_unlink_exit", 208},
    {"ext4", "ext4_write_begin", 209},
    {"ext4", "ext4_write_end", 210},
    {"ext4", "ext4_writepage", 211},
    {"ext4", "ext4_writepages", 212},
    {"ext4", "ext4_writepages_result", 213},
    {"ext4", "ext4_zero_range", 214},
    {"f2fs", "f2fs_background_gc", 473},
    {"f2fs", "f2fs_do_submit_bio", 223},
    {"f2fs", "f2fs_evict_inode", 224},
    {"f2fs", "f2fs_fallocate", 225},
    {"f2fs", "f2fs_gc_begin", 474},
    {"f2fs", "f2fs_gc_end", 475},
    {"f2fs", "f2fs_get_data_block", 226},
    {"f2fs", "f2fs_get_victim", 227},
    {"f2fs", "f2fs_iget", 228},
    {"f2fs", "f2fs_iget_exit", 229},
    {"f2fs", "f2fs_iostat", 399},
    {"f2fs", "f2fs_iostat_latency", 400},
    {"f2fs", "f2fs_lock_elapsed_time", 581},
    {"f2fs", "f2fs_new_inode", 230},
    {"f2fs", "f2fs_readpage", 231},
    {"f2fs", "f2fs_reserve_new_block", 232},
    {"f2fs", "f2fs_set_page_dirty", 233},
    {"f2fs", "f2fs_submit_write_page", 234},
    {"f2fs", "f2fs_sync_file_enter", 235},
    {"f2fs", "f2fs_sync_file_exit", 236},
    {"f2fs", "f2fs_sync_fs", 237},
    {"f2fs", "f2fs_truncate", 238},
    {"f2fs", "f2fs_truncate_blocks_enter", 239},
    {"f2fs", "f2fs_truncate_blocks_exit", 240},
    {"f2fs", "f2fs_truncate_data_blocks_range", 241},
    {"f2fs", "f2fs_truncate_inode_blocks_enter", 242},
    {"f2fs", "f2fs_truncate_inode_blocks_exit", 243},
    {"f2fs", "f2fs_truncate_node", 244},
    {"f2fs", "f2fs_truncate_nodes_enter", 245},
    {"f2fs", "f2fs_truncate_nodes_exit", 246},
    {"f2fs", "f2fs_truncate_partial_nodes", 247},
    {"f2fs", "f2fs_unlink_enter", 248},
    {"f2fs", "f2fs_unlink_exit", 249},
    {"f2fs", "f2fs_vm_page_mkwrite", 250},
    {"f2fs", "f2fs_write_begin", 251},
    {"f2fs", "f2fs_write_checkpoint", 252},
    {"f2fs", "f2fs_write_end", 253},
    {"fastrpc", "fastrpc_dma_alloc", 477},
    {"fastrpc", "fastrpc_dma_free", 476},
    {"fastrpc", "fastrpc_dma_map", 479},
    {"fastrpc", "fastrpc_dma_stat", 327},
    {"fastrpc", "fastrpc_dma_unmap", 478},
    {"fence", "fence_destroy", 297},
    {"fence", "fence_enable_signal", 298},
    {"fence", "fence_init", 296},
    {"fence", "fence_signaled", 299},
    {"filemap", "mm_filemap_add_to_page_cache", 88},
    {"filemap", "mm_filemap_delete_from_page_cache", 89},
    {"fs", "do_sys_open", 522},
    {"fs", "open_exec", 523},
    {"ftrace", "funcgraph_entry", 417},
    {"ftrace", "funcgraph_exit", 418},
    {"ftrace", "print", 0},
    {"fwtp_ftrace", "fwtp_perfetto_counter", 574},
    {"fwtp_ftrace", "fwtp_perfetto_slice", 578},
    {"g2d", "tracing_mark_write", 329},
    {"google_icc_trace", "google_icc_event", 480},
    {"google_irm_trace", "google_irm_event", 481},
    {"gpu_mem", "gpu_mem_total", 320},
    {"gpu_scheduler", "drm_run_job", 392},
    {"gpu_scheduler", "drm_sched_job", 391},
    {"gpu_scheduler", "drm_sched_job_add_dep", 569},
    {"gpu_scheduler", "drm_sched_job_done", 570},
    {"gpu_scheduler", "drm_sched_job_queue", 571},
    {"gpu_scheduler", "drm_sched_job_run", 572},
    {"gpu_scheduler", "drm_sched_job_unschedulable", 573},
    {"gpu_scheduler", "drm_sched_process_job", 393},
    {"hyp", "host_ffa_call", 556},
    {"hyp", "host_hcall", 456},
    {"hyp", "host_mem_abort", 458},
    {"hyp", "host_smc", 457},
    {"hyp", "hyp_enter", 454},
    {"hyp", "hyp_exit", 455},
    {"hyp", "iommu_idmap", 558},
    {"hyp", "psci_mem_protect", 559},
    {"hypervisor", "host_hcall", 560},
    {"hypervisor", "host_mem_abort", 565},
    {"hypervisor", "host_smc", 561},
    {"hypervisor", "hyp_enter", 566},
    {"hypervisor", "hyp_exit", 562},
    {"hypervisor", "iommu_idmap", 563},
    {"hypervisor", "iommu_idmap_complete", 567},
    {"hypervisor", "psci_mem_protect", 564},
    {"hypervisor", "vcpu_illegal_trap", 568},
    {"i2c", "i2c_read", 18},
    {"i2c", "i2c_reply", 21},
    {"i2c", "i2c_result", 20},
    {"i2c", "i2c_write", 19},
    {"i2c", "smbus_read", 22},
    {"i2c", "smbus_reply", 25},
    {"i2c", "smbus_result", 24},
    {"i2c", "smbus_write", 23},
    {"ion", "ion_stat", 315},
    {"ipi", "ipi_entry", 12},
    {"ipi", "ipi_exit", 13},
    {"ipi", "ipi_raise", 14},
    {"irq", "irq_handler_entry", 27},
    {"irq", "irq_handler_exit", 28},
    {"irq", "softirq_entry", 15},
    {"irq", "softirq_exit", 16},
    {"irq", "softirq_raise", 17},
    {"irq_vectors", "local_timer_entry", 537},
    {"irq_vectors", "local_timer_exit", 538},
    {"kgsl", "adreno_cmdbatch_queued", 512},
    {"kgsl", "adreno_cmdbatch_retired", 515},
    {"kgsl", "adreno_cmdbatch_submitted", 513},
    {"kgsl", "adreno_cmdbatch_sync", 514},
    {"kgsl", "gpu_frequency", 487},
    {"kmem", "alloc_pages_iommu_end", 254},
    {"kmem", "alloc_pages_iommu_fail", 255},
    {"kmem", "alloc_pages_iommu_start", 256},
    {"kmem", "alloc_pages_sys_end", 257},
    {"kmem", "alloc_pages_sys_fail", 258},
    {"kmem", "alloc_pages_sys_start", 259},
    {"kmem", "dma_alloc_contiguous_retry", 260},
    {"kmem", "dmabuf_rss_stat", 557},
    {"kmem", "iommu_map_range", 261},
    {"kmem", "iommu_sec_ptbl_map_range_end", 262},
    {"kmem", "iommu_sec_ptbl_map_range_start", 263},
    {"kmem", "ion_alloc_buffer_end", 264},
    {"kmem", "ion_alloc_buffer_fail", 265},
    {"kmem", "ion_alloc_buffer_fallback", 266},
    {"kmem", "ion_alloc_buffer_start", 267},
    {"kmem", "ion_buffer_create", 316},
    {"kmem", "ion_buffer_destroy", 317},
    {"kmem", "ion_cp_alloc_retry", 268},
    {"kmem", "ion_cp_secure_buffer_end", 269},
    {"kmem", "ion_cp_secure_buffer_start", 270},
    {"kmem", "ion_heap_grow", 295},
    {"kmem", "ion_heap_shrink", 294},
    {"kmem", "ion_prefetching", 271},
    {"kmem", "ion_secure_cma_add_to_pool_end", 272},
    {"kmem", "ion_secure_cma_add_to_pool_start", 273},
    {"kmem", "ion_secure_cma_allocate_end", 274},
    {"kmem", "ion_secure_cma_allocate_start", 275},
    {"kmem", "ion_secure_cma_shrink_pool_end", 276},
    {"kmem", "ion_secure_cma_shrink_pool_start", 277},
    {"kmem", "kfree", 278},
    {"kmem", "kmalloc", 279},
    {"kmem", "kmalloc_node", 280},
    {"kmem", "kmem_cache_alloc", 281},
    {"kmem", "kmem_cache_alloc_node", 282},
    {"kmem", "kmem_cache_free", 283},
    {"kmem", "migrate_pages_end", 284},
    {"kmem", "migrate_pages_start", 285},
    {"kmem", "migrate_retry", 286},
    {"kmem", "mm_alloc_contig_migrate_range_info", 555},
    {"kmem", "mm_page_alloc", 287},
    {"kmem", "mm_page_alloc_extfrag", 288},
    {"kmem", "mm_page_alloc_zone_locked", 289},
    {"kmem", "mm_page_free", 290},
    {"kmem", "mm_page_free_batched", 291},
    {"kmem", "mm_page_pcpu_drain", 292},
    {"kmem", "rss_stat", 293},
    {"kvm", "kvm_access_fault", 348},
    {"kvm", "kvm_ack_irq", 349},
    {"kvm", "kvm_age_hva", 350},
    {"kvm", "kvm_age_page", 351},
    {"kvm", "kvm_arm_clear_debug", 352},
    {"kvm", "kvm_arm_set_dreg32", 353},
    {"kvm", "kvm_arm_set_regset", 354},
    {"kvm", "kvm_arm_setup_debug", 355},
    {"kvm", "kvm_entry", 356},
    {"kvm", "kvm_exit", 357},
    {"kvm", "kvm_fpu", 358},
    {"kvm", "kvm_get_timer_map", 359},
    {"kvm", "kvm_guest_fault", 360},
    {"kvm", "kvm_handle_sys_reg", 361},
    {"kvm", "kvm_hvc_arm64", 362},
    {"kvm", "kvm_irq_line", 363},
    {"kvm", "kvm_mmio", 364},
    {"kvm", "kvm_mmio_emulate", 365},
    {"kvm", "kvm_set_guest_debug", 366},
    {"kvm", "kvm_set_irq", 367},
    {"kvm", "kvm_set_spte_hva", 368},
    {"kvm", "kvm_set_way_flush", 369},
    {"kvm", "kvm_sys_access", 370},
    {"kvm", "kvm_test_age_hva", 371},
    {"kvm", "kvm_timer_emulate", 372},
    {"kvm", "kvm_timer_hrtimer_expire", 373},
    {"kvm", "kvm_timer_restore_state", 374},
    {"kvm", "kvm_timer_save_state", 375},
    {"kvm", "kvm_timer_update_irq", 376},
    {"kvm", "kvm_toggle_cache", 377},
    {"kvm", "kvm_unmap_hva_range", 378},
    {"kvm", "kvm_userspace_exit", 379},
    {"kvm", "kvm_vcpu_wakeup", 380},
    {"kvm", "kvm_wfx_arm64", 381},
    {"kvm", "trap_reg", 382},
    {"kvm", "vgic_update_irq_pending", 383},
    {"lowmemorykiller", "lowmemory_kill", 26},
    {"lwis", "tracing_mark_write", 445},
    {"mali", "gpu_power_state", 526},
    {"mali", "mali_CSF_INTERRUPT_END", 461},
    {"mali", "mali_CSF_INTERRUPT_START", 460},
    {"mali", "mali_KCPU_CQS_SET", 448},
    {"mali", "mali_KCPU_CQS_WAIT_END", 450},
    {"mali", "mali_KCPU_CQS_WAIT_START", 449},
    {"mali", "mali_KCPU_FENCE_SIGNAL", 451},
    {"mali", "mali_KCPU_FENCE_WAIT_END", 453},
    {"mali", "mali_KCPU_FENCE_WAIT_START", 452},
    {"mali", "mali_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND", 488},
    {"mali", "mali_PM_MCU_HCTL_CORES_NOTIFY_PEND", 489},
    {"mali", "mali_PM_MCU_HCTL_CORE_INACTIVE_PEND", 490},
    {"mali", "mali_PM_MCU_HCTL_MCU_ON_RECHECK", 491},
    {"mali", "mali_PM_MCU_HCTL_SHADERS_CORE_OFF_PEND", 492},
    {"mali", "mali_PM_MCU_HCTL_SHADERS_PEND_OFF", 493},
    {"mali", "mali_PM_MCU_HCTL_SHADERS_PEND_ON", 494},
    {"mali", "mali_PM_MCU_HCTL_SHADERS_READY_OFF", 495},
    {"mali", "mali_PM_MCU_IN_SLEEP", 496},
    {"mali", "mali_PM_MCU_OFF", 497},
    {"mali", "mali_PM_MCU_ON", 498},
    {"mali", "mali_PM_MCU_ON_CORE_ATTR_UPDATE_PEND", 499},
    {"mali", "mali_PM_MCU_ON_GLB_REINIT_PEND", 500},
    {"mali", "mali_PM_MCU_ON_HALT", 501},
    {"mali", "mali_PM_MCU_ON_HWCNT_DISABLE", 502},
    {"mali", "mali_PM_MCU_ON_HWCNT_ENABLE", 503},
    {"mali", "mali_PM_MCU_ON_PEND_HALT", 504},
    {"mali", "mali_PM_MCU_ON_PEND_SLEEP", 505},
    {"mali", "mali_PM_MCU_ON_SLEEP_INITIATE", 506},
    {"mali", "mali_PM_MCU_PEND_OFF", 507},
    {"mali", "mali_PM_MCU_PEND_ON_RELOAD", 508},
    {"mali", "mali_PM_MCU_POWER_DOWN", 509},
    {"mali", "mali_PM_MCU_RESET_WAIT", 510},
    {"mali", "tracing_mark_write", 330},
    {"mdss", "mdp_cmd_kickoff", 67},
    {"mdss", "mdp_cmd_pingpong_done", 72},
    {"mdss", "mdp_cmd_readptr_done", 76},
    {"mdss", "mdp_cmd_release_bw", 80},
    {"mdss", "mdp_cmd_wait_pingpong", 84},
    {"mdss", "mdp_commit", 68},
    {"mdss", "mdp_compare_bw", 73},
    {"mdss", "mdp_misr_crc", 77},
    {"mdss", "mdp_mixer_update", 81},
    {"mdss", "mdp_perf_prefill_calc", 85},
    {"mdss", "mdp_perf_set_ot", 69},
    {"mdss", "mdp_perf_set_panic_luts", 74},
    {"mdss", "mdp_perf_set_qos_luts", 78},
    {"mdss", "mdp_perf_set_wm_levels", 82},
    {"mdss", "mdp_perf_update_bus", 86},
    {"mdss", "mdp_sspp_change", 70},
    {"mdss", "mdp_sspp_set", 75},
    {"mdss", "mdp_trace_counter", 79},
    {"mdss", "mdp_video_underrun_done", 83},
    {"mdss", "rotator_bw_ao_as_context", 87},
    {"mdss", "tracing_mark_write", 71},
    {"mm_event", "mm_event_record", 308},
    {"net", "napi_gro_receive_entry", 345},
    {"net", "napi_gro_receive_exit", 346},
    {"net", "net_dev_xmit", 341},
    {"net", "netif_receive_skb", 340},
    {"oom", "mark_victim", 314},
    {"oom", "oom_score_adj_update", 306},
    {"panel", "dsi_cmd_fifo_status", 408},
    {"panel", "dsi_rx", 409},
    {"panel", "dsi_tx", 410},
    {"panel", "gram_collision", 580},
    {"panel", "panel_settings_full", 589},
    {"panel", "panel_settings_lite", 590},
    {"panel", "panel_write_generic", 468},
    {"perf_trace_counters", "sched_switch_with_ctrs", 465},
    {"pixel_metrics", "long_irq", 594},
    {"pixel_metrics", "long_softirq", 595},
    {"pixel_mm", "pixel_mm_kswapd_done", 517},
    {"pixel_mm", "pixel_mm_kswapd_wake", 516},
    {"power", "clock_disable", 6},
    {"power", "clock_enable", 5},
    {"power", "clock_set_rate", 7},
    {"power", "cpu_frequency", 2},
    {"power", "cpu_frequency_limits", 3},
    {"power", "cpu_idle", 4},
    {"power", "device_pm_callback_end", 483},
    {"power", "device_pm_callback_start", 482},
    {"power", "gpu_frequency", 312},
    {"power", "gpu_power_state", 579},
    {"power", "gpu_work_period", 466},
    {"power", "psci_domain_idle_enter", 593},
    {"power", "psci_domain_idle_exit", 592},
    {"power", "suspend_resume", 104},
    {"power", "wakeup_source_activate", 384},
    {"power", "wakeup_source_deactivate", 385},
    {"printk", "console", 388},
    {"raw_syscalls", "sys_enter", 309},
    {"raw_syscalls", "sys_exit", 310},
    {"regulator", "regulator_disable", 51},
    {"regulator", "regulator_disable_complete", 52},
    {"regulator", "regulator_enable", 53},
    {"regulator", "regulator_enable_complete", 54},
    {"regulator", "regulator_enable_delay", 55},
    {"regulator", "regulator_set_voltage", 56},
    {"regulator", "regulator_set_voltage_complete", 57},
    {"rpm", "rpm_status", 467},
    {"samsung", "tracing_mark_write", 462},
    {"sched", "sched_blocked_reason", 9},
    {"sched", "sched_cpu_hotplug", 10},
    {"sched", "sched_cpu_util_cfs", 401},
    {"sched", "sched_group_tracker", 582},
    {"sched", "sched_migrate_task", 469},
    {"sched", "sched_pi_setprio", 333},
    {"sched", "sched_process_exec", 217},
    {"sched", "sched_process_exit", 218},
    {"sched", "sched_process_fork", 219},
    {"sched", "sched_process_free", 220},
    {"sched", "sched_process_hang", 221},
    {"sched", "sched_process_wait", 222},
    {"sched", "sched_switch", 1},
    {"sched", "sched_wakeup", 8},
    {"sched", "sched_wakeup_new", 105},
    {"sched", "sched_wakeup_task_attr", 518},
    {"sched", "sched_waking", 11},
    {"scm", "scm_call_end", 319},
    {"scm", "scm_call_start", 318},
    {"scsi", "scsi_dispatch_cmd_error", 575},
    {"scsi", "scsi_dispatch_cmd_timeout", 576},
    {"scsi", "scsi_eh_wakeup", 577},
    {"sde", "sde_evtlog", 334},
    {"sde", "sde_perf_calc_crtc", 335},
    {"sde", "sde_perf_crtc_update", 336},
    {"sde", "sde_perf_set_qos_luts", 337},
    {"sde", "sde_perf_update_bus", 338},
    {"sde", "tracing_mark_write", 313},
    {"signal", "signal_deliver", 304},
    {"signal", "signal_generate", 305},
    {"skb", "kfree_skb", 347},
    {"sock", "inet_sock_set_state", 342},
    {"sync", "sync_pt", 29},
    {"sync", "sync_timeline", 30},
    {"sync", "sync_wait", 31},
    {"synthetic", "rss_stat_throttled", 339},
    {"synthetic", "suspend_resume_minimal", 459},
    {"systrace", "0", 311},
    {"task", "task_newtask", 215},
    {"task", "task_rename", 216},
    {"tcp", "tcp_retransmit_skb", 343},
    {"thermal", "cdev_update", 322},
    {"thermal", "thermal_temperature", 321},
    {"thermal_exynos", "thermal_exynos_acpm_bulk", 484},
    {"thermal_exynos", "thermal_exynos_acpm_high_overhead", 485},
    {"timer", "hrtimer_cancel", 530},
    {"timer", "hrtimer_expire_entry", 531},
    {"timer", "hrtimer_expire_exit", 532},
    {"timer", "hrtimer_start", 529},
    {"timer", "timer_cancel", 534},
    {"timer", "timer_expire_entry", 535},
    {"timer", "timer_expire_exit", 536},
    {"timer", "timer_start", 533},
    {"trusty", "trusty_enqueue_nop", 442},
    {"trusty", "trusty_ipc_connect", 435},
    {"trusty", "trusty_ipc_connect_end", 436},
    {"trusty", "trusty_ipc_handle_event", 434},
    {"trusty", "trusty_ipc_poll", 438},
    {"trusty", "trusty_ipc_read", 439},
    {"trusty", "trusty_ipc_read_end", 440},
    {"trusty", "trusty_ipc_rx", 441},
    {"trusty", "trusty_ipc_write", 437},
    {"trusty", "trusty_irq", 433},
    {"trusty", "trusty_reclaim_memory", 431},
    {"trusty", "trusty_reclaim_memory_done", 432},
    {"trusty", "trusty_share_memory", 429},
    {"trusty", "trusty_share_memory_done", 430},
    {"trusty", "trusty_smc", 425},
    {"trusty", "trusty_smc_done", 426},
    {"trusty", "trusty_std_call32", 427},
    {"trusty", "trusty_std_call32_done", 428},
    {"ufs", "ufshcd_clk_gating", 387},
    {"ufs", "ufshcd_command", 386},
    {"v4l2", "v4l2_dqbuf", 403},
    {"v4l2", "v4l2_qbuf", 402},
    {"v4l2", "vb2_v4l2_buf_done", 405},
    {"v4l2", "vb2_v4l2_buf_queue", 404},
    {"v4l2", "vb2_v4l2_dqbuf", 407},
    {"v4l2", "vb2_v4l2_qbuf", 406},
    {"virtio_gpu", "virtio_gpu_cmd_queue", 446},
    {"virtio_gpu", "virtio_gpu_cmd_response", 447},
    {"virtio_video", "virtio_video_cmd", 419},
    {"virtio_video", "virtio_video_cmd_done", 420},
    {"virtio_video", "virtio_video_resource_queue", 421},
    {"virtio_video", "virtio_video_resource_queue_done", 422},
    {"vmscan", "mm_shrink_slab_end", 424},
    {"vmscan", "mm_shrink_slab_start", 423},
    {"vmscan", "mm_vmscan_direct_reclaim_begin", 37},
    {"vmscan", "mm_vmscan_direct_reclaim_end", 38},
    {"vmscan", "mm_vmscan_kswapd_sleep", 40},
    {"vmscan", "mm_vmscan_kswapd_wake", 39},
    {"vmscan", "mm_vmscan_memcg_reclaim_begin", 585},
    {"vmscan", "mm_vmscan_memcg_reclaim_end", 586},
    {"workqueue", "workqueue_activate_work", 47},
    {"workqueue", "workqueue_execute_end", 48},
    {"workqueue", "workqueue_execute_start", 49},
    {"workqueue", "workqueue_queue_work", 50},
};

const unsigned orma_ftrace_tracepoints_num = 594;
