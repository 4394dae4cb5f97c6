/* Ftrace messages and the tracepoints they stand for. Made by tools/gen_protos.py. */
#include "protos/tables/ftrace_events.h"

const char orma_ftrace_names[] =
    "ip\0"
    "buf\0"
    "print\0"
    "prev_comm\0"
    "prev_pid\0"
    "prev_prio\0"
    "prev_state\0"
    "next_comm\0"
    "next_pid\0"
    "next_prio\0"
    "sched_switch\0"
    "state\0"
    "cpu_id\0"
    "cpu_frequency\0"
    "min_freq\0"
    "max_freq\0"
    "cpu_frequency_limits\0"
    "cpu_idle\0"
    "name\0"
    "clock_enable\0"
    "clock_disable\0"
    "clock_set_rate\0"
    "comm\0"
    "pid\0"
    "prio\0"
    "success\0"
    "target_cpu\0"
    "sched_wakeup\0"
    "caller\0"
    "io_wait\0"
    "sched_blocked_reason\0"
    "affected_cpu\0"
    "error\0"
    "status\0"
    "sched_cpu_hotplug\0"
    "sched_waking\0"
    "reason\0"
    "ipi_entry\0"
    "ipi_exit\0"
    "target_cpus\0"
    "ipi_raise\0"
    "vec\0"
    "softirq_entry\0"
    "softirq_exit\0"
    "softirq_raise\0"
    "adapter_nr\0"
    "msg_nr\0"
    "addr\0"
    "flags\0"
    "len\0"
    "i2c_read\0"
    "i2c_write\0"
    "nr_msgs\0"
    "ret\0"
    "i2c_result\0"
    "i2c_reply\0"
    "command\0"
    "protocol\0"
    "smbus_read\0"
    "smbus_write\0"
    "read_write\0"
    "res\0"
    "smbus_result\0"
    "smbus_reply\0"
    "pagecache_size\0"
    "pagecache_limit\0"
    "free\0"
    "lowmemory_kill\0"
    "irq\0"
    "handler\0"
    "irq_handler_entry\0"
    "irq_handler_exit\0"
    "timeline\0"
    "value\0"
    "sync_pt\0"
    "sync_timeline\0"
    "begin\0"
    "sync_wait\0"
    "dev\0"
    "ino\0"
    "pos\0"
    "ext4_da_write_begin\0"
    "copied\0"
    "ext4_da_write_end\0"
    "parent\0"
    "datasync\0"
    "ext4_sync_file_enter\0"
    "ext4_sync_file_exit\0"
    "sector\0"
    "nr_sector\0"
    "bytes\0"
    "rwbs\0"
    "cmd\0"
    "block_rq_issue\0"
    "order\0"
    "may_writepage\0"
    "gfp_flags\0"
    "mm_vmscan_direct_reclaim_begin\0"
    "nr_reclaimed\0"
    "mm_vmscan_direct_reclaim_end\0"
    "nid\0"
    "zid\0"
    "mm_vmscan_kswapd_wake\0"
    "mm_vmscan_kswapd_sleep\0"
    "debug_id\0"
    "target_node\0"
    "to_proc\0"
    "to_thread\0"
    "reply\0"
    "code\0"
    "binder_transaction\0"
    "binder_transaction_received\0"
    "proc\0"
    "thread\0"
    "old_prio\0"
    "new_prio\0"
    "desired_prio\0"
    "binder_set_priority\0"
    "tag\0"
    "binder_lock\0"
    "binder_locked\0"
    "binder_unlock\0"
    "work\0"
    "function\0"
    "workqueue_activate_work\0"
    "workqueue_execute_end\0"
    "workqueue_execute_start\0"
    "req_cpu\0"
    "cpu\0"
    "workqueue\0"
    "workqueue_queue_work\0"
    "regulator_disable\0"
    "regulator_disable_complete\0"
    "regulator_enable\0"
    "regulator_enable_complete\0"
    "regulator_enable_delay\0"
    "min\0"
    "max\0"
    "regulator_set_voltage\0"
    "val\0"
    "regulator_set_voltage_complete\0"
    "dst_root\0"
    "dst_id\0"
    "cname\0"
    "dst_level\0"
    "dst_path\0"
    "cgroup_attach_task\0"
    "root\0"
    "id\0"
    "level\0"
    "path\0"
    "cgroup_mkdir\0"
    "ss_mask\0"
    "cgroup_remount\0"
    "cgroup_rmdir\0"
    "cgroup_transfer_tasks\0"
    "cgroup_destroy_root\0"
    "cgroup_release\0"
    "cgroup_rename\0"
    "cgroup_setup_root\0"
    "ctl_num\0"
    "kickoff_cnt\0"
    "mdp_cmd_kickoff\0"
    "num\0"
    "play_cnt\0"
    "clk_rate\0"
    "bandwidth\0"
    "mdp_commit\0"
    "pnum\0"
    "xin_id\0"
    "rd_lim\0"
    "is_vbif_rt\0"
    "mdp_perf_set_ot\0"
    "mixer\0"
    "stage\0"
    "format\0"
    "img_w\0"
    "img_h\0"
    "src_x\0"
    "src_y\0"
    "src_w\0"
    "src_h\0"
    "dst_x\0"
    "dst_y\0"
    "dst_w\0"
    "dst_h\0"
    "mdp_sspp_change\0"
    "trace_name\0"
    "trace_begin\0"
    "tracing_mark_write\0"
    "intf_num\0"
    "pp_num\0"
    "koff_cnt\0"
    "mdp_cmd_pingpong_done\0"
    "new_ab\0"
    "new_ib\0"
    "new_wb\0"
    "old_ab\0"
    "old_ib\0"
    "old_wb\0"
    "params_changed\0"
    "update_bw\0"
    "mdp_compare_bw\0"
    "fmt\0"
    "mode\0"
    "panic_lut\0"
    "robust_lut\0"
    "mdp_perf_set_panic_luts\0"
    "mdp_sspp_set\0"
    "mdp_cmd_readptr_done\0"
    "block_id\0"
    "vsync_cnt\0"
    "crc\0"
    "mdp_misr_crc\0"
    "intf\0"
    "rot\0"
    "fl\0"
    "lut\0"
    "linear\0"
    "mdp_perf_set_qos_luts\0"
    "counter_name\0"
    "mdp_trace_counter\0"
    "mdp_cmd_release_bw\0"
    "mixer_num\0"
    "mdp_mixer_update\0"
    "use_space\0"
    "priority_bytes\0"
    "wm0\0"
    "wm1\0"
    "wm2\0"
    "mb_cnt\0"
    "mb_size\0"
    "mdp_perf_set_wm_levels\0"
    "underrun_cnt\0"
    "mdp_video_underrun_done\0"
    "mdp_cmd_wait_pingpong\0"
    "latency_buf\0"
    "ot\0"
    "y_buf\0"
    "y_scaler\0"
    "pp_lines\0"
    "pp_bytes\0"
    "post_sc\0"
    "fbc_bytes\0"
    "prefill_bytes\0"
    "mdp_perf_prefill_calc\0"
    "client\0"
    "ab_quota\0"
    "ib_quota\0"
    "mdp_perf_update_bus\0"
    "rotator_bw_ao_as_context\0"
    "pfn\0"
    "i_ino\0"
    "index\0"
    "s_dev\0"
    "page\0"
    "mm_filemap_add_to_page_cache\0"
    "mm_filemap_delete_from_page_cache\0"
    "zone_start\0"
    "migrate_pfn\0"
    "free_pfn\0"
    "zone_end\0"
    "sync\0"
    "mm_compaction_begin\0"
    "idx\0"
    "considered\0"
    "defer_shift\0"
    "order_failed\0"
    "mm_compaction_defer_compaction\0"
    "mm_compaction_deferred\0"
    "mm_compaction_defer_reset\0"
    "mm_compaction_end\0"
    "mm_compaction_finished\0"
    "start_pfn\0"
    "end_pfn\0"
    "nr_scanned\0"
    "nr_taken\0"
    "mm_compaction_isolate_freepages\0"
    "mm_compaction_isolate_migratepages\0"
    "mm_compaction_kcompactd_sleep\0"
    "classzone_idx\0"
    "highest_zoneidx\0"
    "mm_compaction_kcompactd_wake\0"
    "nr_migrated\0"
    "nr_failed\0"
    "mm_compaction_migratepages\0"
    "mm_compaction_suitable\0"
    "gfp_mask\0"
    "mm_compaction_try_to_compact_pages\0"
    "mm_compaction_wakeup_kcompactd\0"
    "action\0"
    "start\0"
    "suspend_resume\0"
    "sched_wakeup_new\0"
    "block_bio_backmerge\0"
    "block_bio_bounce\0"
    "block_bio_complete\0"
    "block_bio_frontmerge\0"
    "block_bio_queue\0"
    "old_dev\0"
    "old_sector\0"
    "block_bio_remap\0"
    "size\0"
    "block_dirty_buffer\0"
    "block_getrq\0"
    "block_plug\0"
    "errors\0"
    "block_rq_abort\0"
    "block_rq_complete\0"
    "block_rq_insert\0"
    "nr_bios\0"
    "block_rq_remap\0"
    "block_rq_requeue\0"
    "block_sleeprq\0"
    "new_sector\0"
    "block_split\0"
    "block_touch_buffer\0"
    "nr_rq\0"
    "block_unplug\0"
    "data_blocks\0"
    "meta_blocks\0"
    "ext4_alloc_da_blocks\0"
    "block\0"
    "logical\0"
    "lleft\0"
    "lright\0"
    "goal\0"
    "pleft\0"
    "pright\0"
    "ext4_allocate_blocks\0"
    "dir\0"
    "ext4_allocate_inode\0"
    "new_size\0"
    "ext4_begin_ordered_truncate\0"
    "offset\0"
    "ext4_collapse_range\0"
    "i_blocks\0"
    "freed_blocks\0"
    "reserved_data_blocks\0"
    "reserved_meta_blocks\0"
    "allocated_meta_blocks\0"
    "ext4_da_release_space\0"
    "md_needed\0"
    "ext4_da_reserve_space\0"
    "used_blocks\0"
    "quota_claim\0"
    "ext4_da_update_reserve_space\0"
    "first_page\0"
    "nr_to_write\0"
    "sync_mode\0"
    "b_blocknr\0"
    "b_size\0"
    "b_state\0"
    "io_done\0"
    "pages_written\0"
    "ext4_da_write_pages\0"
    "lblk\0"
    "ext4_da_write_pages_extent\0"
    "rw\0"
    "ext4_direct_IO_enter\0"
    "ext4_direct_IO_exit\0"
    "blk\0"
    "count\0"
    "ext4_discard_blocks\0"
    "needed\0"
    "ext4_discard_preallocations\0"
    "drop\0"
    "ext4_drop_inode\0"
    "pblk\0"
    "ext4_es_cache_extent\0"
    "ext4_es_find_delayed_extent_range_enter\0"
    "ext4_es_find_delayed_extent_range_exit\0"
    "ext4_es_insert_extent\0"
    "ext4_es_lookup_extent_enter\0"
    "found\0"
    "ext4_es_lookup_extent_exit\0"
    "ext4_es_remove_extent\0"
    "nr_shrunk\0"
    "scan_time\0"
    "nr_skipped\0"
    "retried\0"
    "ext4_es_shrink\0"
    "nr_to_scan\0"
    "cache_cnt\0"
    "ext4_es_shrink_count\0"
    "ext4_es_shrink_scan_enter\0"
    "ext4_es_shrink_scan_exit\0"
    "nlink\0"
    "ext4_evict_inode\0"
    "m_lblk\0"
    "m_len\0"
    "u_lblk\0"
    "u_len\0"
    "u_pblk\0"
    "ext4_ext_convert_to_initialized_enter\0"
    "i_lblk\0"
    "i_len\0"
    "i_pblk\0"
    "ext4_ext_convert_to_initialized_fastpath\0"
    "allocated\0"
    "newblk\0"
    "ext4_ext_handle_unwritten_extents\0"
    "ext4_ext_in_cache\0"
    "ext4_ext_load_extent\0"
    "ext4_ext_map_blocks_enter\0"
    "mflags\0"
    "ext4_ext_map_blocks_exit\0"
    "ext4_ext_put_in_cache\0"
    "end\0"
    "depth\0"
    "ext4_ext_remove_space\0"
    "partial\0"
    "eh_entries\0"
    "pc_lblk\0"
    "pc_pclu\0"
    "pc_state\0"
    "ext4_ext_remove_space_done\0"
    "ext4_ext_rm_idx\0"
    "ee_lblk\0"
    "ee_pblk\0"
    "ee_len\0"
    "ext4_ext_rm_leaf\0"
    "ext4_ext_show_extent\0"
    "ext4_fallocate_enter\0"
    "blocks\0"
    "ext4_fallocate_exit\0"
    "from\0"
    "to\0"
    "reverse\0"
    "found_blk\0"
    "ext4_find_delalloc_range\0"
    "is_metadata\0"
    "ext4_forget\0"
    "ext4_free_blocks\0"
    "uid\0"
    "gid\0"
    "ext4_free_inode\0"
    "ext4_get_implied_cluster_alloc_exit\0"
    "ext4_get_reserved_cluster_alloc\0"
    "ext4_ind_map_blocks_enter\0"
    "ext4_ind_map_blocks_exit\0"
    "ext4_insert_range\0"
    "length\0"
    "ext4_invalidatepage\0"
    "rsv_blocks\0"
    "nblocks\0"
    "revoke_creds\0"
    "ext4_journal_start\0"
    "ext4_journal_start_reserved\0"
    "ext4_journalled_invalidatepage\0"
    "ext4_journalled_write_end\0"
    "ext4_load_inode\0"
    "group\0"
    "ext4_load_inode_bitmap\0"
    "ext4_mark_inode_dirty\0"
    "ext4_mb_bitmap_load\0"
    "ext4_mb_buddy_bitmap_load\0"
    "ext4_mb_discard_preallocations\0"
    "pa_pstart\0"
    "pa_lstart\0"
    "pa_len\0"
    "ext4_mb_new_group_pa\0"
    "ext4_mb_new_inode_pa\0"
    "ext4_mb_release_group_pa\0"
    "ext4_mb_release_inode_pa\0"
    "orig_logical\0"
    "orig_start\0"
    "orig_group\0"
    "orig_len\0"
    "goal_logical\0"
    "goal_start\0"
    "goal_group\0"
    "goal_len\0"
    "result_logical\0"
    "result_start\0"
    "result_group\0"
    "result_len\0"
    "groups\0"
    "buddy\0"
    "tail\0"
    "cr\0"
    "ext4_mballoc_alloc\0"
    "ext4_mballoc_discard\0"
    "ext4_mballoc_free\0"
    "ext4_mballoc_prealloc\0"
    "orig_ino\0"
    "ext4_other_inode_update_time\0"
    "ext4_punch_hole\0"
    "prefetch\0"
    "ext4_read_block_bitmap_load\0"
    "ext4_readpage\0"
    "ext4_releasepage\0"
    "ext4_remove_blocks\0"
    "ext4_request_blocks\0"
    "ext4_request_inode\0"
    "wait\0"
    "ext4_sync_fs\0"
    "dev_major\0"
    "dev_minor\0"
    "ext4_trim_all_free\0"
    "ext4_trim_extent\0"
    "ext4_truncate_enter\0"
    "ext4_truncate_exit\0"
    "ext4_unlink_enter\0"
    "ext4_unlink_exit\0"
    "ext4_write_begin\0"
    "ext4_write_end\0"
    "ext4_writepage\0"
    "pages_skipped\0"
    "range_start\0"
    "range_end\0"
    "writeback_index\0"
    "for_kupdate\0"
    "range_cyclic\0"
    "ext4_writepages\0"
    "ext4_writepages_result\0"
    "ext4_zero_range\0"
    "clone_flags\0"
    "oom_score_adj\0"
    "task_newtask\0"
    "oldcomm\0"
    "newcomm\0"
    "task_rename\0"
    "filename\0"
    "old_pid\0"
    "sched_process_exec\0"
    "tgid\0"
    "sched_process_exit\0"
    "parent_comm\0"
    "parent_pid\0"
    "child_comm\0"
    "child_pid\0"
    "sched_process_fork\0"
    "sched_process_free\0"
    "sched_process_hang\0"
    "sched_process_wait\0"
    "btype\0"
    "f2fs_do_submit_bio\0"
    "pino\0"
    "advise\0"
    "f2fs_evict_inode\0"
    "f2fs_fallocate\0"
    "iblock\0"
    "bh_start\0"
    "bh_size\0"
    "f2fs_get_data_block\0"
    "type\0"
    "gc_type\0"
    "alloc_mode\0"
    "gc_mode\0"
    "victim\0"
    "ofs_unit\0"
    "pre_victim\0"
    "prefree\0"
    "cost\0"
    "f2fs_get_victim\0"
    "f2fs_iget\0"
    "f2fs_iget_exit\0"
    "f2fs_new_inode\0"
    "blkaddr\0"
    "dirty\0"
    "uptodate\0"
    "f2fs_readpage\0"
    "ofs_in_node\0"
    "f2fs_reserve_new_block\0"
    "f2fs_set_page_dirty\0"
    "f2fs_submit_write_page\0"
    "f2fs_sync_file_enter\0"
    "need_cp\0"
    "cp_reason\0"
    "f2fs_sync_file_exit\0"
    "f2fs_sync_fs\0"
    "f2fs_truncate\0"
    "f2fs_truncate_blocks_enter\0"
    "f2fs_truncate_blocks_exit\0"
    "ofs\0"
    "f2fs_truncate_data_blocks_range\0"
    "f2fs_truncate_inode_blocks_enter\0"
    "f2fs_truncate_inode_blocks_exit\0"
    "blk_addr\0"
    "f2fs_truncate_node\0"
    "f2fs_truncate_nodes_enter\0"
    "f2fs_truncate_nodes_exit\0"
    "err\0"
    "f2fs_truncate_partial_nodes\0"
    "f2fs_unlink_enter\0"
    "f2fs_unlink_exit\0"
    "f2fs_vm_page_mkwrite\0"
    "f2fs_write_begin\0"
    "is_umount\0"
    "msg\0"
    "phase\0"
    "f2fs_write_checkpoint\0"
    "f2fs_write_end\0"
    "alloc_pages_iommu_end\0"
    "alloc_pages_iommu_fail\0"
    "alloc_pages_iommu_start\0"
    "alloc_pages_sys_end\0"
    "alloc_pages_sys_fail\0"
    "alloc_pages_sys_start\0"
    "tries\0"
    "dma_alloc_contiguous_retry\0"
    "chunk_size\0"
    "pa\0"
    "va\0"
    "iommu_map_range\0"
    "sec_id\0"
    "iommu_sec_ptbl_map_range_end\0"
    "iommu_sec_ptbl_map_range_start\0"
    "client_name\0"
    "heap_name\0"
    "mask\0"
    "ion_alloc_buffer_end\0"
    "ion_alloc_buffer_fail\0"
    "ion_alloc_buffer_fallback\0"
    "ion_alloc_buffer_start\0"
    "ion_cp_alloc_retry\0"
    "align\0"
    "ion_cp_secure_buffer_end\0"
    "ion_cp_secure_buffer_start\0"
    "ion_prefetching\0"
    "is_prefetch\0"
    "pool_total\0"
    "ion_secure_cma_add_to_pool_end\0"
    "ion_secure_cma_add_to_pool_start\0"
    "ion_secure_cma_allocate_end\0"
    "ion_secure_cma_allocate_start\0"
    "drained_size\0"
    "skipped_size\0"
    "ion_secure_cma_shrink_pool_end\0"
    "ion_secure_cma_shrink_pool_start\0"
    "call_site\0"
    "ptr\0"
    "kfree\0"
    "bytes_alloc\0"
    "bytes_req\0"
    "kmalloc\0"
    "node\0"
    "kmalloc_node\0"
    "kmem_cache_alloc\0"
    "kmem_cache_alloc_node\0"
    "kmem_cache_free\0"
    "migrate_pages_end\0"
    "migrate_pages_start\0"
    "migrate_retry\0"
    "migratetype\0"
    "mm_page_alloc\0"
    "alloc_migratetype\0"
    "alloc_order\0"
    "fallback_migratetype\0"
    "fallback_order\0"
    "change_ownership\0"
    "mm_page_alloc_extfrag\0"
    "mm_page_alloc_zone_locked\0"
    "mm_page_free\0"
    "cold\0"
    "mm_page_free_batched\0"
    "mm_page_pcpu_drain\0"
    "member\0"
    "curr\0"
    "mm_id\0"
    "rss_stat\0"
    "total_allocated\0"
    "ion_heap_shrink\0"
    "ion_heap_grow\0"
    "context\0"
    "driver\0"
    "seqno\0"
    "fence_init\0"
    "fence_destroy\0"
    "fence_enable_signal\0"
    "fence_signaled\0"
    "clk_enable\0"
    "clk_disable\0"
    "rate\0"
    "clk_set_rate\0"
    "data_size\0"
    "offsets_size\0"
    "extra_buffers_size\0"
    "binder_transaction_alloc_buf\0"
    "sa_flags\0"
    "sig\0"
    "signal_deliver\0"
    "result\0"
    "signal_generate\0"
    "oom_score_adj_update\0"
    "event_name\0"
    "field\0"
    "generic\0"
    "avg_lat\0"
    "max_lat\0"
    "mm_event_record\0"
    "args\0"
    "sys_enter\0"
    "sys_exit\0"
    "flag\0"
    "zero\0"
    "gpu_id\0"
    "gpu_frequency\0"
    "trace_type\0"
    "sde_tracing_mark_write\0"
    "mark_victim\0"
    "buffer_id\0"
    "ion_stat\0"
    "ion_buffer_create\0"
    "ion_buffer_destroy\0"
    "arginfo\0"
    "x0\0"
    "x5\0"
    "scm_call_start\0"
    "scm_call_end\0"
    "gpu_mem_total\0"
    "temp\0"
    "temp_prev\0"
    "thermal_zone\0"
    "thermal_temperature\0"
    "target\0"
    "cdev_update\0"
    "cpuhp_exit\0"
    "fun\0"
    "cpuhp_multi_enter\0"
    "cpuhp_enter\0"
    "time\0"
    "cpuhp_latency\0"
    "cid\0"
    "fastrpc_dma_stat\0"
    "dpu_tracing_mark_write\0"
    "g2d_tracing_mark_write\0"
    "mali_tracing_mark_write\0"
    "inode\0"
    "dma_heap_stat\0"
    "active_cpus\0"
    "cpus\0"
    "pause\0"
    "cpuhp_pause\0"
    "newprio\0"
    "oldprio\0"
    "sched_pi_setprio\0"
    "evtlog_tag\0"
    "tag_id\0"
    "d00\0"
    "d01\0"
    "d02\0"
    "d03\0"
    "d04\0"
    "d05\0"
    "d06\0"
    "d07\0"
    "d08\0"
    "d09\0"
    "d10\0"
    "d11\0"
    "d12\0"
    "d13\0"
    "d14\0"
    "sde_sde_evtlog\0"
    "bw_ctl_ebi\0"
    "bw_ctl_llcc\0"
    "bw_ctl_mnoc\0"
    "core_clk_rate\0"
    "crtc\0"
    "ib_ebi\0"
    "ib_llcc\0"
    "ib_mnoc\0"
    "sde_sde_perf_calc_crtc\0"
    "params\0"
    "per_pipe_ib_ebi\0"
    "per_pipe_ib_llcc\0"
    "per_pipe_ib_mnoc\0"
    "stop_req\0"
    "update_bus\0"
    "update_clk\0"
    "sde_sde_perf_crtc_update\0"
    "lut_usage\0"
    "rt\0"
    "sde_sde_perf_set_qos_luts\0"
    "bus_id\0"
    "sde_sde_perf_update_bus\0"
    "rss_stat_throttled\0"
    "skbaddr\0"
    "netif_receive_skb\0"
    "rc\0"
    "net_dev_xmit\0"
    "daddr\0"
    "dport\0"
    "family\0"
    "newstate\0"
    "oldstate\0"
    "saddr\0"
    "skaddr\0"
    "sport\0"
    "inet_sock_set_state\0"
    "tcp_retransmit_skb\0"
    "current_time\0"
    "current_timestamp\0"
    "delta\0"
    "ec_fifo_timestamp\0"
    "ec_sensor_num\0"
    "fifo_timestamp\0"
    "cros_ec_sensorhub_data\0"
    "data_len\0"
    "gso_size\0"
    "gso_type\0"
    "hash\0"
    "ip_summed\0"
    "l4_hash\0"
    "mac_header\0"
    "mac_header_valid\0"
    "napi_id\0"
    "nr_frags\0"
    "queue_mapping\0"
    "truesize\0"
    "vlan_proto\0"
    "vlan_tagged\0"
    "vlan_tci\0"
    "napi_gro_receive_entry\0"
    "napi_gro_receive_exit\0"
    "location\0"
    "kfree_skb\0"
    "ipa\0"
    "kvm_access_fault\0"
    "irqchip\0"
    "pin\0"
    "kvm_ack_irq\0"
    "kvm_age_hva\0"
    "gfn\0"
    "hva\0"
    "referenced\0"
    "kvm_age_page\0"
    "guest_debug\0"
    "kvm_arm_clear_debug\0"
    "kvm_arm_set_dreg32\0"
    "kvm_arm_set_regset\0"
    "vcpu\0"
    "kvm_arm_setup_debug\0"
    "vcpu_pc\0"
    "kvm_entry\0"
    "esr_ec\0"
    "kvm_exit\0"
    "load\0"
    "kvm_fpu\0"
    "direct_ptimer\0"
    "direct_vtimer\0"
    "emul_ptimer\0"
    "vcpu_id\0"
    "kvm_get_timer_map\0"
    "hsr\0"
    "hxfar\0"
    "kvm_guest_fault\0"
    "kvm_handle_sys_reg\0"
    "imm\0"
    "r0\0"
    "kvm_hvc_arm64\0"
    "irq_num\0"
    "vcpu_idx\0"
    "kvm_irq_line\0"
    "gpa\0"
    "kvm_mmio\0"
    "cpsr\0"
    "instr\0"
    "kvm_mmio_emulate\0"
    "kvm_set_guest_debug\0"
    "gsi\0"
    "irq_source_id\0"
    "kvm_set_irq\0"
    "kvm_set_spte_hva\0"
    "cache\0"
    "kvm_set_way_flush\0"
    "CRm\0"
    "CRn\0"
    "Op0\0"
    "Op1\0"
    "Op2\0"
    "is_write\0"
    "kvm_sys_access\0"
    "kvm_test_age_hva\0"
    "should_fire\0"
    "timer_idx\0"
    "kvm_timer_emulate\0"
    "kvm_timer_hrtimer_expire\0"
    "ctl\0"
    "cval\0"
    "kvm_timer_restore_state\0"
    "kvm_timer_save_state\0"
    "kvm_timer_update_irq\0"
    "now\0"
    "was\0"
    "kvm_toggle_cache\0"
    "kvm_unmap_hva_range\0"
    "kvm_userspace_exit\0"
    "ns\0"
    "valid\0"
    "waited\0"
    "kvm_vcpu_wakeup\0"
    "is_wfe\0"
    "kvm_wfx_arm64\0"
    "fn\0"
    "reg\0"
    "write_value\0"
    "trap_reg\0"
    "vgic_update_irq_pending\0"
    "wakeup_source_activate\0"
    "wakeup_source_deactivate\0"
    "dev_name\0"
    "doorbell\0"
    "intr\0"
    "lba\0"
    "opcode\0"
    "str\0"
    "transfer_len\0"
    "group_id\0"
    "str_t\0"
    "ufshcd_command\0"
    "ufshcd_clk_gating\0"
    "console\0"
    "high_prec\0"
    "seq\0"
    "drm_vblank_event\0"
    "file\0"
    "drm_vblank_event_delivered\0"
    "entity\0"
    "fence\0"
    "hw_job_count\0"
    "job_count\0"
    "drm_sched_job\0"
    "drm_run_job\0"
    "drm_sched_process_job\0"
    "dma_fence_init\0"
    "dma_fence_emit\0"
    "dma_fence_signaled\0"
    "dma_fence_wait_start\0"
    "dma_fence_wait_end\0"
    "app_bio\0"
    "app_brio\0"
    "app_dio\0"
    "app_drio\0"
    "app_mio\0"
    "app_mrio\0"
    "app_rio\0"
    "app_wio\0"
    "fs_cdrio\0"
    "fs_cp_dio\0"
    "fs_cp_mio\0"
    "fs_cp_nio\0"
    "fs_dio\0"
    "fs_discard\0"
    "fs_drio\0"
    "fs_gc_dio\0"
    "fs_gc_nio\0"
    "fs_gdrio\0"
    "fs_mio\0"
    "fs_mrio\0"
    "fs_nio\0"
    "fs_nrio\0"
    "f2fs_iostat\0"
    "d_rd_avg\0"
    "d_rd_cnt\0"
    "d_rd_peak\0"
    "d_wr_as_avg\0"
    "d_wr_as_cnt\0"
    "d_wr_as_peak\0"
    "d_wr_s_avg\0"
    "d_wr_s_cnt\0"
    "d_wr_s_peak\0"
    "m_rd_avg\0"
    "m_rd_cnt\0"
    "m_rd_peak\0"
    "m_wr_as_avg\0"
    "m_wr_as_cnt\0"
    "m_wr_as_peak\0"
    "m_wr_s_avg\0"
    "m_wr_s_cnt\0"
    "m_wr_s_peak\0"
    "n_rd_avg\0"
    "n_rd_cnt\0"
    "n_rd_peak\0"
    "n_wr_as_avg\0"
    "n_wr_as_cnt\0"
    "n_wr_as_peak\0"
    "n_wr_s_avg\0"
    "n_wr_s_cnt\0"
    "n_wr_s_peak\0"
    "f2fs_iostat_latency\0"
    "active\0"
    "capacity\0"
    "capacity_orig\0"
    "cpu_importance\0"
    "cpu_util\0"
    "exit_lat\0"
    "group_capacity\0"
    "grp_overutilized\0"
    "idle_cpu\0"
    "nr_running\0"
    "spare_cap\0"
    "task_fits\0"
    "wake_group_util\0"
    "wake_util\0"
    "sched_cpu_util_cfs\0"
    "bytesused\0"
    "minor\0"
    "sequence\0"
    "timecode_flags\0"
    "timecode_frames\0"
    "timecode_hours\0"
    "timecode_minutes\0"
    "timecode_seconds\0"
    "timecode_type\0"
    "timecode_userbits0\0"
    "timecode_userbits1\0"
    "timecode_userbits2\0"
    "timecode_userbits3\0"
    "timestamp\0"
    "v4l2_qbuf\0"
    "v4l2_dqbuf\0"
    "vb2_v4l2_buf_queue\0"
    "vb2_v4l2_buf_done\0"
    "vb2_v4l2_qbuf\0"
    "vb2_v4l2_dqbuf\0"
    "header\0"
    "payload\0"
    "dsi_cmd_fifo_status\0"
    "rx_buf\0"
    "dsi_rx\0"
    "last\0"
    "tx_buf\0"
    "dsi_tx\0"
    "android_fs_dataread_end\0"
    "cmdline\0"
    "i_size\0"
    "pathbuf\0"
    "android_fs_dataread_start\0"
    "android_fs_datawrite_end\0"
    "android_fs_datawrite_start\0"
    "android_fs_fsync_end\0"
    "android_fs_fsync_start\0"
    "func\0"
    "funcgraph_entry\0"
    "calltime\0"
    "overrun\0"
    "rettime\0"
    "funcgraph_exit\0"
    "stream_id\0"
    "virtio_video_cmd\0"
    "virtio_video_cmd_done\0"
    "data_size0\0"
    "data_size1\0"
    "data_size2\0"
    "data_size3\0"
    "queue_type\0"
    "resource_id\0"
    "virtio_video_resource_queue\0"
    "virtio_video_resource_queue_done\0"
    "cache_items\0"
    "lru_pgs\0"
    "nr_objects_to_shrink\0"
    "pgs_scanned\0"
    "shr\0"
    "shrink\0"
    "total_scan\0"
    "priority\0"
    "mm_shrink_slab_start\0"
    "new_scan\0"
    "retval\0"
    "unused_scan\0"
    "mm_shrink_slab_end\0"
    "r1\0"
    "r2\0"
    "r3\0"
    "trusty_smc\0"
    "trusty_smc_done\0"
    "trusty_std_call32\0"
    "trusty_std_call32_done\0"
    "lend\0"
    "nents\0"
    "trusty_share_memory\0"
    "handle\0"
    "trusty_share_memory_done\0"
    "trusty_reclaim_memory\0"
    "trusty_reclaim_memory_done\0"
    "trusty_irq\0"
    "chan\0"
    "event_id\0"
    "srv_name\0"
    "trusty_ipc_handle_event\0"
    "port\0"
    "trusty_ipc_connect\0"
    "trusty_ipc_connect_end\0"
    "buf_id\0"
    "kind_shm\0"
    "len_or_err\0"
    "shm_cnt\0"
    "trusty_ipc_write\0"
    "poll_mask\0"
    "trusty_ipc_poll\0"
    "trusty_ipc_read\0"
    "trusty_ipc_read_end\0"
    "trusty_ipc_rx\0"
    "arg1\0"
    "arg2\0"
    "arg3\0"
    "trusty_enqueue_nop\0"
    "cma_alloc_start\0"
    "err_iso\0"
    "err_mig\0"
    "err_test\0"
    "nr_mapped\0"
    "cma_alloc_info\0"
    "lwis_name\0"
    "func_name\0"
    "lwis_tracing_mark_write\0"
    "ctx_id\0"
    "fence_id\0"
    "num_free\0"
    "vq\0"
    "virtio_gpu_cmd_queue\0"
    "virtio_gpu_cmd_response\0"
    "info_val1\0"
    "info_val2\0"
    "kctx_id\0"
    "kctx_tgid\0"
    "mali_mali_KCPU_CQS_SET\0"
    "mali_mali_KCPU_CQS_WAIT_START\0"
    "mali_mali_KCPU_CQS_WAIT_END\0"
    "mali_mali_KCPU_FENCE_SIGNAL\0"
    "mali_mali_KCPU_FENCE_WAIT_START\0"
    "mali_mali_KCPU_FENCE_WAIT_END\0"
    "hyp_enter\0"
    "hyp_exit\0"
    "invalid\0"
    "host_hcall\0"
    "forwarded\0"
    "host_smc\0"
    "esr\0"
    "host_mem_abort\0"
    "suspend_resume_minimal\0"
    "info_val\0"
    "mali_mali_CSF_INTERRUPT_START\0"
    "mali_mali_CSF_INTERRUPT_END\0"
    "samsung_tracing_mark_write\0"
    "binder_command\0"
    "binder_return\0"
    "new_pid\0"
    "cctr\0"
    "ctr0\0"
    "ctr1\0"
    "ctr2\0"
    "ctr3\0"
    "lctr0\0"
    "lctr1\0"
    "ctr4\0"
    "ctr5\0"
    "cyc\0"
    "inst\0"
    "stallbm\0"
    "l3dm\0"
    "amu0\0"
    "amu1\0"
    "amu2\0"
    "sched_switch_with_ctrs\0"
    "start_time_ns\0"
    "end_time_ns\0"
    "total_active_duration_ns\0"
    "gpu_work_period\0"
    "rpm_status\0"
    "panel_write_generic\0"
    "orig_cpu\0"
    "dest_cpu\0"
    "running\0"
    "sched_migrate_task\0"
    "dpu_dsi_cmd_fifo_status\0"
    "dpu_dsi_rx\0"
    "delay_ms\0"
    "dpu_dsi_tx\0"
    "wait_ms\0"
    "f2fs_background_gc\0"
    "background\0"
    "dirty_nodes\0"
    "dirty_dents\0"
    "dirty_imeta\0"
    "free_sec\0"
    "free_seg\0"
    "reserved_seg\0"
    "prefree_seg\0"
    "no_bg_gc\0"
    "nr_free_secs\0"
    "f2fs_gc_begin\0"
    "seg_freed\0"
    "sec_freed\0"
    "f2fs_gc_end\0"
    "phys\0"
    "fastrpc_dma_free\0"
    "attr\0"
    "fastrpc_dma_alloc\0"
    "fastrpc_dma_unmap\0"
    "fd\0"
    "fastrpc_dma_map\0"
    "event\0"
    "google_icc_event\0"
    "google_irm_event\0"
    "device\0"
    "pm_ops\0"
    "device_pm_callback_start\0"
    "device_pm_callback_end\0"
    "tz_id\0"
    "current_temp\0"
    "ctrl_temp\0"
    "cdev_state\0"
    "pid_et_p\0"
    "pid_power_range\0"
    "pid_p\0"
    "pid_i\0"
    "k_p\0"
    "k_i\0"
    "thermal_exynos_acpm_bulk\0"
    "thermal_exynos_acpm_high_overhead\0"
    "freq\0"
    "dcvsh_freq\0"
    "gpu_freq\0"
    "kgsl_gpu_frequency\0"
    "mali_mali_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND\0"
    "mali_mali_PM_MCU_HCTL_CORES_NOTIFY_PEND\0"
    "mali_mali_PM_MCU_HCTL_CORE_INACTIVE_PEND\0"
    "mali_mali_PM_MCU_HCTL_MCU_ON_RECHECK\0"
    "mali_mali_PM_MCU_HCTL_SHADERS_CORE_OFF_PEND\0"
    "mali_mali_PM_MCU_HCTL_SHADERS_PEND_OFF\0"
    "mali_mali_PM_MCU_HCTL_SHADERS_PEND_ON\0"
    "mali_mali_PM_MCU_HCTL_SHADERS_READY_OFF\0"
    "mali_mali_PM_MCU_IN_SLEEP\0"
    "mali_mali_PM_MCU_OFF\0"
    "mali_mali_PM_MCU_ON\0"
    "mali_mali_PM_MCU_ON_CORE_ATTR_UPDATE_PEND\0"
    "mali_mali_PM_MCU_ON_GLB_REINIT_PEND\0"
    "mali_mali_PM_MCU_ON_HALT\0"
    "mali_mali_PM_MCU_ON_HWCNT_DISABLE\0"
    "mali_mali_PM_MCU_ON_HWCNT_ENABLE\0"
    "mali_mali_PM_MCU_ON_PEND_HALT\0"
    "mali_mali_PM_MCU_ON_PEND_SLEEP\0"
    "mali_mali_PM_MCU_ON_SLEEP_INITIATE\0"
    "mali_mali_PM_MCU_PEND_OFF\0"
    "mali_mali_PM_MCU_PEND_ON_RELOAD\0"
    "mali_mali_PM_MCU_POWER_DOWN\0"
    "mali_mali_PM_MCU_RESET_WAIT\0"
    "throttle\0"
    "cpu0_limit\0"
    "cpu1_limit\0"
    "cpu2_limit\0"
    "tpu_limit\0"
    "gpu_limit\0"
    "voltage\0"
    "bcl_irq_trigger\0"
    "queued\0"
    "kgsl_adreno_cmdbatch_queued\0"
    "inflight\0"
    "ticks\0"
    "secs\0"
    "usecs\0"
    "rb_id\0"
    "rptr\0"
    "wptr\0"
    "q_inflight\0"
    "dispatch_queue\0"
    "kgsl_adreno_cmdbatch_submitted\0"
    "kgsl_adreno_cmdbatch_sync\0"
    "recovery\0"
    "retire\0"
    "fault_recovery\0"
    "submitted_to_rb\0"
    "retired_on_gmu\0"
    "kgsl_adreno_cmdbatch_retired\0"
    "whatever\0"
    "pixel_mm_kswapd_wake\0"
    "delta_nr_scanned\0"
    "delta_nr_reclaimed\0"
    "delta_nr_allocated\0"
    "duration_ns\0"
    "pixel_mm_kswapd_done\0"
    "cpu_affinity\0"
    "task_util\0"
    "uclamp_min\0"
    "vruntime\0"
    "sched_wakeup_task_attr\0"
    "prev_freq\0"
    "busy_time\0"
    "total_time\0"
    "devfreq_frequency\0"
    "kprobe_event\0"
    "body\0"
    "param_set_value_cpm\0"
    "do_sys_open\0"
    "open_exec\0"
    "ioprio\0"
    "block_io_start\0"
    "block_io_done\0"
    "change_ns\0"
    "from_state\0"
    "to_state\0"
    "mali_gpu_power_state\0"
    "frames_pending\0"
    "vsync_count\0"
    "dpu_disp_dpu_underrun\0"
    "output_id\0"
    "enable\0"
    "dpu_disp_vblank_irq_enable\0"
    "hrtimer\0"
    "expires\0"
    "softexpires\0"
    "hrtimer_start\0"
    "hrtimer_cancel\0"
    "hrtimer_expire_entry\0"
    "hrtimer_expire_exit\0"
    "timer\0"
    "deferrable\0"
    "bucket_expiry\0"
    "timer_start\0"
    "timer_cancel\0"
    "baseclk\0"
    "timer_expire_entry\0"
    "timer_expire_exit\0"
    "vector\0"
    "local_timer_entry\0"
    "local_timer_exit\0"
    "req\0"
    "actual\0"
    "short_not_ok\0"
    "no_interrupt\0"
    "dwc3_alloc_request\0"
    "trb\0"
    "bpl\0"
    "bph\0"
    "ctrl\0"
    "enqueue\0"
    "dequeue\0"
    "dwc3_complete_trb\0"
    "bRequestType\0"
    "bRequest\0"
    "wValue\0"
    "wIndex\0"
    "wLength\0"
    "dwc3_ctrl_req\0"
    "dwc3_ep_dequeue\0"
    "dwc3_ep_queue\0"
    "ep0state\0"
    "dwc3_event\0"
    "dwc3_free_request\0"
    "param0\0"
    "param1\0"
    "param2\0"
    "cmd_status\0"
    "dwc3_gadget_ep_cmd\0"
    "maxpacket\0"
    "maxpacket_limit\0"
    "max_streams\0"
    "maxburst\0"
    "direction\0"
    "trb_enqueue\0"
    "trb_dequeue\0"
    "dwc3_gadget_ep_disable\0"
    "dwc3_gadget_ep_enable\0"
    "param\0"
    "dwc3_gadget_generic_cmd\0"
    "dwc3_gadget_giveback\0"
    "dwc3_prepare_trb\0"
    "base\0"
    "dwc3_readl\0"
    "dwc3_writel\0"
    "errorno\0"
    "cma_alloc_finish\0"
    "mm_alloc_contig_migrate_range_info\0"
    "func_id\0"
    "res_a1\0"
    "res_a2\0"
    "res_a3\0"
    "res_a4\0"
    "handled\0"
    "host_ffa_call\0"
    "rss\0"
    "rss_delta\0"
    "dmabuf_rss_stat\0"
    "prot\0"
    "iommu_idmap\0"
    "psci_mem_protect\0"
    "hypervisor_host_hcall\0"
    "hypervisor_host_smc\0"
    "hypervisor_hyp_exit\0"
    "hypervisor_iommu_idmap\0"
    "hypervisor_psci_mem_protect\0"
    "hypervisor_host_mem_abort\0"
    "hypervisor_hyp_enter\0"
    "map\0"
    "hypervisor_iommu_idmap_complete\0"
    "hypervisor_vcpu_illegal_trap\0"
    "fence_context\0"
    "fence_seqno\0"
    "ctx\0"
    "drm_sched_job_add_dep\0"
    "drm_sched_job_done\0"
    "client_id\0"
    "drm_sched_job_queue\0"
    "drm_sched_job_run\0"
    "drm_sched_job_unschedulable\0"
    "track_id\0"
    "category\0"
    "fwtp_perfetto_counter\0"
    "host_no\0"
    "channel\0"
    "lun\0"
    "rtn\0"
    "cmd_len\0"
    "data_sglen\0"
    "prot_sglen\0"
    "prot_op\0"
    "driver_tag\0"
    "scheduler_tag\0"
    "cmnd\0"
    "scsi_dispatch_cmd_error\0"
    "sense_key\0"
    "asc\0"
    "ascq\0"
    "scsi_dispatch_cmd_timeout\0"
    "scsi_eh_wakeup\0"
    "fwtp_perfetto_slice\0"
    "old_state\0"
    "new_state\0"
    "gpu_power_state\0"
    "panel_index\0"
    "collision_cnt\0"
    "gram_collision\0"
    "ioprio_class\0"
    "ioprio_data\0"
    "lock_name\0"
    "running_time\0"
    "runnable_time\0"
    "io_sleep_time\0"
    "other_time\0"
    "f2fs_lock_elapsed_time\0"
    "group_num\0"
    "sched_group_tracker\0"
    "display_id\0"
    "te_count\0"
    "during_disable\0"
    "dpu_disp_frame_done_timeout\0"
    "dpu_disp_frame_start_timeout\0"
    "mm_vmscan_memcg_reclaim_begin\0"
    "mm_vmscan_memcg_reclaim_end\0"
    "dpu_disp_frame_done_missing\0"
    "dpu_disp_frame_start_missing\0"
    "hbm\0"
    "irc\0"
    "h_pwm\0"
    "fi_auto\0"
    "fi_manual\0"
    "early_exit\0"
    "min_rr\0"
    "max_rr\0"
    "te_freq\0"
    "panel_settings_full\0"
    "vrr\0"
    "panel_settings_lite\0"
    "dpu_disp_dpu_line_underrun\0"
    "s2idle\0"
    "psci_domain_idle_exit\0"
    "psci_domain_idle_enter\0"
    "latency\0"
    "long_irq\0"
    "vec_nr\0"
    "long_softirq\0"
    "android_fs\0"
    "bcl_exynos\0"
    "binder\0"
    "cgroup\0"
    "clk\0"
    "cma\0"
    "compaction\0"
    "cpm_trace\0"
    "cpuhp\0"
    "cros_ec\0"
    "dcvsh\0"
    "devfreq\0"
    "dma_fence\0"
    "dmabuf_heap\0"
    "dpu\0"
    "disp_dpu_line_underrun\0"
    "disp_dpu_underrun\0"
    "disp_frame_done_missing\0"
    "disp_frame_done_timeout\0"
    "disp_frame_start_missing\0"
    "disp_frame_start_timeout\0"
    "disp_vblank_irq_enable\0"
    "drm\0"
    "dwc3\0"
    "ext4\0"
    "f2fs\0"
    "fastrpc\0"
    "filemap\0"
    "fs\0"
    "ftrace\0"
    "fwtp_ftrace\0"
    "g2d\0"
    "google_icc_trace\0"
    "google_irm_trace\0"
    "gpu_mem\0"
    "gpu_scheduler\0"
    "hyp\0"
    "hypervisor\0"
    "iommu_idmap_complete\0"
    "vcpu_illegal_trap\0"
    "i2c\0"
    "ion\0"
    "ipi\0"
    "irq_vectors\0"
    "kgsl\0"
    "adreno_cmdbatch_queued\0"
    "adreno_cmdbatch_retired\0"
    "adreno_cmdbatch_submitted\0"
    "adreno_cmdbatch_sync\0"
    "kmem\0"
    "kvm\0"
    "lowmemorykiller\0"
    "lwis\0"
    "mali\0"
    "mali_CSF_INTERRUPT_END\0"
    "mali_CSF_INTERRUPT_START\0"
    "mali_KCPU_CQS_SET\0"
    "mali_KCPU_CQS_WAIT_END\0"
    "mali_KCPU_CQS_WAIT_START\0"
    "mali_KCPU_FENCE_SIGNAL\0"
    "mali_KCPU_FENCE_WAIT_END\0"
    "mali_KCPU_FENCE_WAIT_START\0"
    "mali_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND\0"
    "mali_PM_MCU_HCTL_CORES_NOTIFY_PEND\0"
    "mali_PM_MCU_HCTL_CORE_INACTIVE_PEND\0"
    "mali_PM_MCU_HCTL_MCU_ON_RECHECK\0"
    "mali_PM_MCU_HCTL_SHADERS_CORE_OFF_PEND\0"
    "mali_PM_MCU_HCTL_SHADERS_PEND_OFF\0"
    "mali_PM_MCU_HCTL_SHADERS_PEND_ON\0"
    "mali_PM_MCU_HCTL_SHADERS_READY_OFF\0"
    "mali_PM_MCU_IN_SLEEP\0"
    "mali_PM_MCU_OFF\0"
    "mali_PM_MCU_ON\0"
    "mali_PM_MCU_ON_CORE_ATTR_UPDATE_PEND\0"
    "mali_PM_MCU_ON_GLB_REINIT_PEND\0"
    "mali_PM_MCU_ON_HALT\0"
    "mali_PM_MCU_ON_HWCNT_DISABLE\0"
    "mali_PM_MCU_ON_HWCNT_ENABLE\0"
    "mali_PM_MCU_ON_PEND_HALT\0"
    "mali_PM_MCU_ON_PEND_SLEEP\0"
    "mali_PM_MCU_ON_SLEEP_INITIATE\0"
    "mali_PM_MCU_PEND_OFF\0"
    "mali_PM_MCU_PEND_ON_RELOAD\0"
    "mali_PM_MCU_POWER_DOWN\0"
    "mali_PM_MCU_RESET_WAIT\0"
    "mdss\0"
    "mm_event\0"
    "net\0"
    "oom\0"
    "panel\0"
    "perf_trace_counters\0"
    "pixel_metrics\0"
    "pixel_mm\0"
    "power\0"
    "printk\0"
    "raw_syscalls\0"
    "regulator\0"
    "rpm\0"
    "samsung\0"
    "sched\0"
    "scm\0"
    "scsi\0"
    "sde\0"
    "sde_evtlog\0"
    "sde_perf_calc_crtc\0"
    "sde_perf_crtc_update\0"
    "sde_perf_set_qos_luts\0"
    "sde_perf_update_bus\0"
    "signal\0"
    "skb\0"
    "sock\0"
    "synthetic\0"
    "systrace\0"
    "0\0"
    "task\0"
    "tcp\0"
    "thermal\0"
    "thermal_exynos\0"
    "trusty\0"
    "ufs\0"
    "v4l2\0"
    "virtio_gpu\0"
    "virtio_video\0"
    "vmscan\0";

const struct orma_ftrace_field orma_ftrace_fields[] = {
    {0, 1, ORMA_PB_TYPE_UINT64, false}, /* ip */
    {3, 2, ORMA_PB_TYPE_STRING, false}, /* buf */
    {13, 1, ORMA_PB_TYPE_STRING, false}, /* prev_comm */
    {23, 2, ORMA_PB_TYPE_INT32, false}, /* prev_pid */
    {32, 3, ORMA_PB_TYPE_INT32, false}, /* prev_prio */
    {42, 4, ORMA_PB_TYPE_INT64, false}, /* prev_state */
    {53, 5, ORMA_PB_TYPE_STRING, false}, /* next_comm */
    {63, 6, ORMA_PB_TYPE_INT32, false}, /* next_pid */
    {72, 7, ORMA_PB_TYPE_INT32, false}, /* next_prio */
    {95, 1, ORMA_PB_TYPE_UINT32, false}, /* state */
    {101, 2, ORMA_PB_TYPE_UINT32, false}, /* cpu_id */
    {122, 1, ORMA_PB_TYPE_UINT32, false}, /* min_freq */
    {131, 2, ORMA_PB_TYPE_UINT32, false}, /* max_freq */
    {101, 3, ORMA_PB_TYPE_UINT32, false}, /* cpu_id */
    {95, 1, ORMA_PB_TYPE_UINT32, false}, /* state */
    {101, 2, ORMA_PB_TYPE_UINT32, false}, /* cpu_id */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {95, 2, ORMA_PB_TYPE_UINT64, false}, /* state */
    {101, 3, ORMA_PB_TYPE_UINT64, false}, /* cpu_id */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {95, 2, ORMA_PB_TYPE_UINT64, false}, /* state */
    {101, 3, ORMA_PB_TYPE_UINT64, false}, /* cpu_id */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {95, 2, ORMA_PB_TYPE_UINT64, false}, /* state */
    {101, 3, ORMA_PB_TYPE_UINT64, false}, /* cpu_id */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {226, 3, ORMA_PB_TYPE_INT32, false}, /* prio */
    {231, 4, ORMA_PB_TYPE_INT32, false}, /* success */
    {239, 5, ORMA_PB_TYPE_INT32, false}, /* target_cpu */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {263, 2, ORMA_PB_TYPE_UINT64, false}, /* caller */
    {270, 3, ORMA_PB_TYPE_UINT32, false}, /* io_wait */
    {299, 1, ORMA_PB_TYPE_INT32, false}, /* affected_cpu */
    {312, 2, ORMA_PB_TYPE_INT32, false}, /* error */
    {318, 3, ORMA_PB_TYPE_INT32, false}, /* status */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {226, 3, ORMA_PB_TYPE_INT32, false}, /* prio */
    {231, 4, ORMA_PB_TYPE_INT32, false}, /* success */
    {239, 5, ORMA_PB_TYPE_INT32, false}, /* target_cpu */
    {356, 1, ORMA_PB_TYPE_STRING, false}, /* reason */
    {356, 1, ORMA_PB_TYPE_STRING, false}, /* reason */
    {382, 1, ORMA_PB_TYPE_UINT32, false}, /* target_cpus */
    {356, 2, ORMA_PB_TYPE_STRING, false}, /* reason */
    {404, 1, ORMA_PB_TYPE_UINT32, false}, /* vec */
    {404, 1, ORMA_PB_TYPE_UINT32, false}, /* vec */
    {404, 1, ORMA_PB_TYPE_UINT32, false}, /* vec */
    {449, 1, ORMA_PB_TYPE_INT32, false}, /* adapter_nr */
    {460, 2, ORMA_PB_TYPE_UINT32, false}, /* msg_nr */
    {467, 3, ORMA_PB_TYPE_UINT32, false}, /* addr */
    {472, 4, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {478, 5, ORMA_PB_TYPE_UINT32, false}, /* len */
    {449, 1, ORMA_PB_TYPE_INT32, false}, /* adapter_nr */
    {460, 2, ORMA_PB_TYPE_UINT32, false}, /* msg_nr */
    {467, 3, ORMA_PB_TYPE_UINT32, false}, /* addr */
    {472, 4, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {478, 5, ORMA_PB_TYPE_UINT32, false}, /* len */
    {3, 7, ORMA_PB_TYPE_BYTES, false}, /* buf */
    {449, 1, ORMA_PB_TYPE_INT32, false}, /* adapter_nr */
    {501, 2, ORMA_PB_TYPE_UINT32, false}, /* nr_msgs */
    {509, 3, ORMA_PB_TYPE_INT32, false}, /* ret */
    {449, 1, ORMA_PB_TYPE_INT32, false}, /* adapter_nr */
    {460, 2, ORMA_PB_TYPE_UINT32, false}, /* msg_nr */
    {467, 3, ORMA_PB_TYPE_UINT32, false}, /* addr */
    {472, 4, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {478, 5, ORMA_PB_TYPE_UINT32, false}, /* len */
    {3, 7, ORMA_PB_TYPE_BYTES, false}, /* buf */
    {449, 1, ORMA_PB_TYPE_INT32, false}, /* adapter_nr */
    {472, 2, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {467, 3, ORMA_PB_TYPE_UINT32, false}, /* addr */
    {534, 4, ORMA_PB_TYPE_UINT32, false}, /* command */
    {542, 5, ORMA_PB_TYPE_UINT32, false}, /* protocol */
    {449, 1, ORMA_PB_TYPE_INT32, false}, /* adapter_nr */
    {467, 2, ORMA_PB_TYPE_UINT32, false}, /* addr */
    {472, 3, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {534, 4, ORMA_PB_TYPE_UINT32, false}, /* command */
    {478, 5, ORMA_PB_TYPE_UINT32, false}, /* len */
    {542, 6, ORMA_PB_TYPE_UINT32, false}, /* protocol */
    {449, 1, ORMA_PB_TYPE_INT32, false}, /* adapter_nr */
    {467, 2, ORMA_PB_TYPE_UINT32, false}, /* addr */
    {472, 3, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {574, 4, ORMA_PB_TYPE_UINT32, false}, /* read_write */
    {534, 5, ORMA_PB_TYPE_UINT32, false}, /* command */
    {585, 6, ORMA_PB_TYPE_INT32, false}, /* res */
    {542, 7, ORMA_PB_TYPE_UINT32, false}, /* protocol */
    {449, 1, ORMA_PB_TYPE_INT32, false}, /* adapter_nr */
    {467, 2, ORMA_PB_TYPE_UINT32, false}, /* addr */
    {472, 3, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {534, 4, ORMA_PB_TYPE_UINT32, false}, /* command */
    {478, 5, ORMA_PB_TYPE_UINT32, false}, /* len */
    {542, 6, ORMA_PB_TYPE_UINT32, false}, /* protocol */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {614, 3, ORMA_PB_TYPE_INT64, false}, /* pagecache_size */
    {629, 4, ORMA_PB_TYPE_INT64, false}, /* pagecache_limit */
    {645, 5, ORMA_PB_TYPE_INT64, false}, /* free */
    {665, 1, ORMA_PB_TYPE_INT32, false}, /* irq */
    {170, 2, ORMA_PB_TYPE_STRING, false}, /* name */
    {669, 3, ORMA_PB_TYPE_UINT32, false}, /* handler */
    {665, 1, ORMA_PB_TYPE_INT32, false}, /* irq */
    {509, 2, ORMA_PB_TYPE_INT32, false}, /* ret */
    {712, 1, ORMA_PB_TYPE_STRING, false}, /* timeline */
    {721, 2, ORMA_PB_TYPE_STRING, false}, /* value */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {721, 2, ORMA_PB_TYPE_STRING, false}, /* value */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {318, 2, ORMA_PB_TYPE_INT32, false}, /* status */
    {749, 3, ORMA_PB_TYPE_UINT32, false}, /* begin */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {773, 3, ORMA_PB_TYPE_INT64, false}, /* pos */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {472, 5, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {773, 3, ORMA_PB_TYPE_INT64, false}, /* pos */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {797, 5, ORMA_PB_TYPE_UINT32, false}, /* copied */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {822, 3, ORMA_PB_TYPE_UINT64, false}, /* parent */
    {829, 4, ORMA_PB_TYPE_INT32, false}, /* datasync */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {509, 3, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {896, 4, ORMA_PB_TYPE_UINT32, false}, /* bytes */
    {902, 5, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {217, 6, ORMA_PB_TYPE_STRING, false}, /* comm */
    {907, 7, ORMA_PB_TYPE_STRING, false}, /* cmd */
    {926, 1, ORMA_PB_TYPE_INT32, false}, /* order */
    {932, 2, ORMA_PB_TYPE_INT32, false}, /* may_writepage */
    {946, 3, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {987, 1, ORMA_PB_TYPE_UINT64, false}, /* nr_reclaimed */
    {1029, 1, ORMA_PB_TYPE_INT32, false}, /* nid */
    {926, 2, ORMA_PB_TYPE_INT32, false}, /* order */
    {1033, 3, ORMA_PB_TYPE_INT32, false}, /* zid */
    {1029, 1, ORMA_PB_TYPE_INT32, false}, /* nid */
    {1082, 1, ORMA_PB_TYPE_INT32, false}, /* debug_id */
    {1091, 2, ORMA_PB_TYPE_INT32, false}, /* target_node */
    {1103, 3, ORMA_PB_TYPE_INT32, false}, /* to_proc */
    {1111, 4, ORMA_PB_TYPE_INT32, false}, /* to_thread */
    {1121, 5, ORMA_PB_TYPE_INT32, false}, /* reply */
    {1127, 6, ORMA_PB_TYPE_UINT32, false}, /* code */
    {472, 7, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {1082, 1, ORMA_PB_TYPE_INT32, false}, /* debug_id */
    {1179, 1, ORMA_PB_TYPE_INT32, false}, /* proc */
    {1184, 2, ORMA_PB_TYPE_INT32, false}, /* thread */
    {1191, 3, ORMA_PB_TYPE_UINT32, false}, /* old_prio */
    {1200, 4, ORMA_PB_TYPE_UINT32, false}, /* new_prio */
    {1209, 5, ORMA_PB_TYPE_UINT32, false}, /* desired_prio */
    {1242, 1, ORMA_PB_TYPE_STRING, false}, /* tag */
    {1242, 1, ORMA_PB_TYPE_STRING, false}, /* tag */
    {1242, 1, ORMA_PB_TYPE_STRING, false}, /* tag */
    {1286, 1, ORMA_PB_TYPE_UINT64, false}, /* work */
    {1291, 2, ORMA_PB_TYPE_UINT64, false}, /* function */
    {1286, 1, ORMA_PB_TYPE_UINT64, false}, /* work */
    {1291, 2, ORMA_PB_TYPE_UINT64, false}, /* function */
    {1286, 1, ORMA_PB_TYPE_UINT64, false}, /* work */
    {1291, 2, ORMA_PB_TYPE_UINT64, false}, /* function */
    {1286, 1, ORMA_PB_TYPE_UINT64, false}, /* work */
    {1291, 2, ORMA_PB_TYPE_UINT64, false}, /* function */
    {1370, 4, ORMA_PB_TYPE_INT32, false}, /* req_cpu */
    {1378, 5, ORMA_PB_TYPE_INT32, false}, /* cpu */
    {1382, 6, ORMA_PB_TYPE_STRING, false}, /* workqueue */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {1524, 2, ORMA_PB_TYPE_INT32, false}, /* min */
    {1528, 3, ORMA_PB_TYPE_INT32, false}, /* max */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {1554, 2, ORMA_PB_TYPE_UINT32, false}, /* val */
    {1589, 1, ORMA_PB_TYPE_INT32, false}, /* dst_root */
    {1598, 2, ORMA_PB_TYPE_INT32, false}, /* dst_id */
    {222, 3, ORMA_PB_TYPE_INT32, false}, /* pid */
    {217, 4, ORMA_PB_TYPE_STRING, false}, /* comm */
    {1605, 5, ORMA_PB_TYPE_STRING, false}, /* cname */
    {1611, 6, ORMA_PB_TYPE_INT32, false}, /* dst_level */
    {1621, 7, ORMA_PB_TYPE_STRING, false}, /* dst_path */
    {1649, 1, ORMA_PB_TYPE_INT32, false}, /* root */
    {1654, 2, ORMA_PB_TYPE_INT32, false}, /* id */
    {1605, 3, ORMA_PB_TYPE_STRING, false}, /* cname */
    {1657, 4, ORMA_PB_TYPE_INT32, false}, /* level */
    {1663, 5, ORMA_PB_TYPE_STRING, false}, /* path */
    {1649, 1, ORMA_PB_TYPE_INT32, false}, /* root */
    {1681, 2, ORMA_PB_TYPE_UINT32, false}, /* ss_mask */
    {170, 3, ORMA_PB_TYPE_STRING, false}, /* name */
    {1649, 1, ORMA_PB_TYPE_INT32, false}, /* root */
    {1654, 2, ORMA_PB_TYPE_INT32, false}, /* id */
    {1605, 3, ORMA_PB_TYPE_STRING, false}, /* cname */
    {1657, 4, ORMA_PB_TYPE_INT32, false}, /* level */
    {1663, 5, ORMA_PB_TYPE_STRING, false}, /* path */
    {1589, 1, ORMA_PB_TYPE_INT32, false}, /* dst_root */
    {1598, 2, ORMA_PB_TYPE_INT32, false}, /* dst_id */
    {222, 3, ORMA_PB_TYPE_INT32, false}, /* pid */
    {217, 4, ORMA_PB_TYPE_STRING, false}, /* comm */
    {1605, 5, ORMA_PB_TYPE_STRING, false}, /* cname */
    {1611, 6, ORMA_PB_TYPE_INT32, false}, /* dst_level */
    {1621, 7, ORMA_PB_TYPE_STRING, false}, /* dst_path */
    {1649, 1, ORMA_PB_TYPE_INT32, false}, /* root */
    {1681, 2, ORMA_PB_TYPE_UINT32, false}, /* ss_mask */
    {170, 3, ORMA_PB_TYPE_STRING, false}, /* name */
    {1649, 1, ORMA_PB_TYPE_INT32, false}, /* root */
    {1654, 2, ORMA_PB_TYPE_INT32, false}, /* id */
    {1605, 3, ORMA_PB_TYPE_STRING, false}, /* cname */
    {1657, 4, ORMA_PB_TYPE_INT32, false}, /* level */
    {1663, 5, ORMA_PB_TYPE_STRING, false}, /* path */
    {1649, 1, ORMA_PB_TYPE_INT32, false}, /* root */
    {1654, 2, ORMA_PB_TYPE_INT32, false}, /* id */
    {1605, 3, ORMA_PB_TYPE_STRING, false}, /* cname */
    {1657, 4, ORMA_PB_TYPE_INT32, false}, /* level */
    {1663, 5, ORMA_PB_TYPE_STRING, false}, /* path */
    {1649, 1, ORMA_PB_TYPE_INT32, false}, /* root */
    {1681, 2, ORMA_PB_TYPE_UINT32, false}, /* ss_mask */
    {170, 3, ORMA_PB_TYPE_STRING, false}, /* name */
    {1806, 1, ORMA_PB_TYPE_UINT32, false}, /* ctl_num */
    {1814, 2, ORMA_PB_TYPE_INT32, false}, /* kickoff_cnt */
    {1842, 1, ORMA_PB_TYPE_UINT32, false}, /* num */
    {1846, 2, ORMA_PB_TYPE_UINT32, false}, /* play_cnt */
    {1855, 3, ORMA_PB_TYPE_UINT32, false}, /* clk_rate */
    {1864, 4, ORMA_PB_TYPE_UINT64, false}, /* bandwidth */
    {1885, 1, ORMA_PB_TYPE_UINT32, false}, /* pnum */
    {1890, 2, ORMA_PB_TYPE_UINT32, false}, /* xin_id */
    {1897, 3, ORMA_PB_TYPE_UINT32, false}, /* rd_lim */
    {1904, 4, ORMA_PB_TYPE_UINT32, false}, /* is_vbif_rt */
    {1842, 1, ORMA_PB_TYPE_UINT32, false}, /* num */
    {1846, 2, ORMA_PB_TYPE_UINT32, false}, /* play_cnt */
    {1931, 3, ORMA_PB_TYPE_UINT32, false}, /* mixer */
    {1937, 4, ORMA_PB_TYPE_UINT32, false}, /* stage */
    {472, 5, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {1943, 6, ORMA_PB_TYPE_UINT32, false}, /* format */
    {1950, 7, ORMA_PB_TYPE_UINT32, false}, /* img_w */
    {1956, 8, ORMA_PB_TYPE_UINT32, false}, /* img_h */
    {1962, 9, ORMA_PB_TYPE_UINT32, false}, /* src_x */
    {1968, 10, ORMA_PB_TYPE_UINT32, false}, /* src_y */
    {1974, 11, ORMA_PB_TYPE_UINT32, false}, /* src_w */
    {1980, 12, ORMA_PB_TYPE_UINT32, false}, /* src_h */
    {1986, 13, ORMA_PB_TYPE_UINT32, false}, /* dst_x */
    {1992, 14, ORMA_PB_TYPE_UINT32, false}, /* dst_y */
    {1998, 15, ORMA_PB_TYPE_UINT32, false}, /* dst_w */
    {2004, 16, ORMA_PB_TYPE_UINT32, false}, /* dst_h */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {2026, 2, ORMA_PB_TYPE_STRING, false}, /* trace_name */
    {2037, 3, ORMA_PB_TYPE_UINT32, false}, /* trace_begin */
    {1806, 1, ORMA_PB_TYPE_UINT32, false}, /* ctl_num */
    {2068, 2, ORMA_PB_TYPE_UINT32, false}, /* intf_num */
    {2077, 3, ORMA_PB_TYPE_UINT32, false}, /* pp_num */
    {2084, 4, ORMA_PB_TYPE_INT32, false}, /* koff_cnt */
    {2115, 1, ORMA_PB_TYPE_UINT64, false}, /* new_ab */
    {2122, 2, ORMA_PB_TYPE_UINT64, false}, /* new_ib */
    {2129, 3, ORMA_PB_TYPE_UINT64, false}, /* new_wb */
    {2136, 4, ORMA_PB_TYPE_UINT64, false}, /* old_ab */
    {2143, 5, ORMA_PB_TYPE_UINT64, false}, /* old_ib */
    {2150, 6, ORMA_PB_TYPE_UINT64, false}, /* old_wb */
    {2157, 7, ORMA_PB_TYPE_UINT32, false}, /* params_changed */
    {2172, 8, ORMA_PB_TYPE_UINT32, false}, /* update_bw */
    {1885, 1, ORMA_PB_TYPE_UINT32, false}, /* pnum */
    {2197, 2, ORMA_PB_TYPE_UINT32, false}, /* fmt */
    {2201, 3, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {2206, 4, ORMA_PB_TYPE_UINT32, false}, /* panic_lut */
    {2216, 5, ORMA_PB_TYPE_UINT32, false}, /* robust_lut */
    {1842, 1, ORMA_PB_TYPE_UINT32, false}, /* num */
    {1846, 2, ORMA_PB_TYPE_UINT32, false}, /* play_cnt */
    {1931, 3, ORMA_PB_TYPE_UINT32, false}, /* mixer */
    {1937, 4, ORMA_PB_TYPE_UINT32, false}, /* stage */
    {472, 5, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {1943, 6, ORMA_PB_TYPE_UINT32, false}, /* format */
    {1950, 7, ORMA_PB_TYPE_UINT32, false}, /* img_w */
    {1956, 8, ORMA_PB_TYPE_UINT32, false}, /* img_h */
    {1962, 9, ORMA_PB_TYPE_UINT32, false}, /* src_x */
    {1968, 10, ORMA_PB_TYPE_UINT32, false}, /* src_y */
    {1974, 11, ORMA_PB_TYPE_UINT32, false}, /* src_w */
    {1980, 12, ORMA_PB_TYPE_UINT32, false}, /* src_h */
    {1986, 13, ORMA_PB_TYPE_UINT32, false}, /* dst_x */
    {1992, 14, ORMA_PB_TYPE_UINT32, false}, /* dst_y */
    {1998, 15, ORMA_PB_TYPE_UINT32, false}, /* dst_w */
    {2004, 16, ORMA_PB_TYPE_UINT32, false}, /* dst_h */
    {1806, 1, ORMA_PB_TYPE_UINT32, false}, /* ctl_num */
    {2084, 2, ORMA_PB_TYPE_INT32, false}, /* koff_cnt */
    {2285, 1, ORMA_PB_TYPE_UINT32, false}, /* block_id */
    {2294, 2, ORMA_PB_TYPE_UINT32, false}, /* vsync_cnt */
    {2304, 3, ORMA_PB_TYPE_UINT32, false}, /* crc */
    {1885, 1, ORMA_PB_TYPE_UINT32, false}, /* pnum */
    {2197, 2, ORMA_PB_TYPE_UINT32, false}, /* fmt */
    {2321, 3, ORMA_PB_TYPE_UINT32, false}, /* intf */
    {2326, 4, ORMA_PB_TYPE_UINT32, false}, /* rot */
    {2330, 5, ORMA_PB_TYPE_UINT32, false}, /* fl */
    {2333, 6, ORMA_PB_TYPE_UINT32, false}, /* lut */
    {2337, 7, ORMA_PB_TYPE_UINT32, false}, /* linear */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {2366, 2, ORMA_PB_TYPE_STRING, false}, /* counter_name */
    {721, 3, ORMA_PB_TYPE_INT32, false}, /* value */
    {1806, 1, ORMA_PB_TYPE_UINT32, false}, /* ctl_num */
    {2416, 1, ORMA_PB_TYPE_UINT32, false}, /* mixer_num */
    {1885, 1, ORMA_PB_TYPE_UINT32, false}, /* pnum */
    {2443, 2, ORMA_PB_TYPE_UINT32, false}, /* use_space */
    {2453, 3, ORMA_PB_TYPE_UINT32, false}, /* priority_bytes */
    {2468, 4, ORMA_PB_TYPE_UINT32, false}, /* wm0 */
    {2472, 5, ORMA_PB_TYPE_UINT32, false}, /* wm1 */
    {2476, 6, ORMA_PB_TYPE_UINT32, false}, /* wm2 */
    {2480, 7, ORMA_PB_TYPE_UINT32, false}, /* mb_cnt */
    {2487, 8, ORMA_PB_TYPE_UINT32, false}, /* mb_size */
    {1806, 1, ORMA_PB_TYPE_UINT32, false}, /* ctl_num */
    {2518, 2, ORMA_PB_TYPE_UINT32, false}, /* underrun_cnt */
    {1806, 1, ORMA_PB_TYPE_UINT32, false}, /* ctl_num */
    {1814, 2, ORMA_PB_TYPE_INT32, false}, /* kickoff_cnt */
    {1885, 1, ORMA_PB_TYPE_UINT32, false}, /* pnum */
    {2577, 2, ORMA_PB_TYPE_UINT32, false}, /* latency_buf */
    {2589, 3, ORMA_PB_TYPE_UINT32, false}, /* ot */
    {2592, 4, ORMA_PB_TYPE_UINT32, false}, /* y_buf */
    {2598, 5, ORMA_PB_TYPE_UINT32, false}, /* y_scaler */
    {2607, 6, ORMA_PB_TYPE_UINT32, false}, /* pp_lines */
    {2616, 7, ORMA_PB_TYPE_UINT32, false}, /* pp_bytes */
    {2625, 8, ORMA_PB_TYPE_UINT32, false}, /* post_sc */
    {2633, 9, ORMA_PB_TYPE_UINT32, false}, /* fbc_bytes */
    {2643, 10, ORMA_PB_TYPE_UINT32, false}, /* prefill_bytes */
    {2679, 1, ORMA_PB_TYPE_INT32, false}, /* client */
    {2686, 2, ORMA_PB_TYPE_UINT64, false}, /* ab_quota */
    {2695, 3, ORMA_PB_TYPE_UINT64, false}, /* ib_quota */
    {95, 1, ORMA_PB_TYPE_UINT32, false}, /* state */
    {2749, 1, ORMA_PB_TYPE_UINT64, false}, /* pfn */
    {2753, 2, ORMA_PB_TYPE_UINT64, false}, /* i_ino */
    {2759, 3, ORMA_PB_TYPE_UINT64, false}, /* index */
    {2765, 4, ORMA_PB_TYPE_UINT64, false}, /* s_dev */
    {2771, 5, ORMA_PB_TYPE_UINT64, false}, /* page */
    {2749, 1, ORMA_PB_TYPE_UINT64, false}, /* pfn */
    {2753, 2, ORMA_PB_TYPE_UINT64, false}, /* i_ino */
    {2759, 3, ORMA_PB_TYPE_UINT64, false}, /* index */
    {2765, 4, ORMA_PB_TYPE_UINT64, false}, /* s_dev */
    {2771, 5, ORMA_PB_TYPE_UINT64, false}, /* page */
    {2839, 1, ORMA_PB_TYPE_UINT64, false}, /* zone_start */
    {2850, 2, ORMA_PB_TYPE_UINT64, false}, /* migrate_pfn */
    {2862, 3, ORMA_PB_TYPE_UINT64, false}, /* free_pfn */
    {2871, 4, ORMA_PB_TYPE_UINT64, false}, /* zone_end */
    {2880, 5, ORMA_PB_TYPE_UINT32, false}, /* sync */
    {1029, 1, ORMA_PB_TYPE_INT32, false}, /* nid */
    {2905, 2, ORMA_PB_TYPE_UINT32, false}, /* idx */
    {926, 3, ORMA_PB_TYPE_INT32, false}, /* order */
    {2909, 4, ORMA_PB_TYPE_UINT32, false}, /* considered */
    {2920, 5, ORMA_PB_TYPE_UINT32, false}, /* defer_shift */
    {2932, 6, ORMA_PB_TYPE_INT32, false}, /* order_failed */
    {1029, 1, ORMA_PB_TYPE_INT32, false}, /* nid */
    {2905, 2, ORMA_PB_TYPE_UINT32, false}, /* idx */
    {926, 3, ORMA_PB_TYPE_INT32, false}, /* order */
    {2909, 4, ORMA_PB_TYPE_UINT32, false}, /* considered */
    {2920, 5, ORMA_PB_TYPE_UINT32, false}, /* defer_shift */
    {2932, 6, ORMA_PB_TYPE_INT32, false}, /* order_failed */
    {1029, 1, ORMA_PB_TYPE_INT32, false}, /* nid */
    {2905, 2, ORMA_PB_TYPE_UINT32, false}, /* idx */
    {926, 3, ORMA_PB_TYPE_INT32, false}, /* order */
    {2909, 4, ORMA_PB_TYPE_UINT32, false}, /* considered */
    {2920, 5, ORMA_PB_TYPE_UINT32, false}, /* defer_shift */
    {2932, 6, ORMA_PB_TYPE_INT32, false}, /* order_failed */
    {2839, 1, ORMA_PB_TYPE_UINT64, false}, /* zone_start */
    {2850, 2, ORMA_PB_TYPE_UINT64, false}, /* migrate_pfn */
    {2862, 3, ORMA_PB_TYPE_UINT64, false}, /* free_pfn */
    {2871, 4, ORMA_PB_TYPE_UINT64, false}, /* zone_end */
    {2880, 5, ORMA_PB_TYPE_UINT32, false}, /* sync */
    {318, 6, ORMA_PB_TYPE_INT32, false}, /* status */
    {1029, 1, ORMA_PB_TYPE_INT32, false}, /* nid */
    {2905, 2, ORMA_PB_TYPE_UINT32, false}, /* idx */
    {926, 3, ORMA_PB_TYPE_INT32, false}, /* order */
    {509, 4, ORMA_PB_TYPE_INT32, false}, /* ret */
    {3066, 1, ORMA_PB_TYPE_UINT64, false}, /* start_pfn */
    {3076, 2, ORMA_PB_TYPE_UINT64, false}, /* end_pfn */
    {3084, 3, ORMA_PB_TYPE_UINT64, false}, /* nr_scanned */
    {3095, 4, ORMA_PB_TYPE_UINT64, false}, /* nr_taken */
    {3066, 1, ORMA_PB_TYPE_UINT64, false}, /* start_pfn */
    {3076, 2, ORMA_PB_TYPE_UINT64, false}, /* end_pfn */
    {3084, 3, ORMA_PB_TYPE_UINT64, false}, /* nr_scanned */
    {3095, 4, ORMA_PB_TYPE_UINT64, false}, /* nr_taken */
    {1029, 1, ORMA_PB_TYPE_INT32, false}, /* nid */
    {1029, 1, ORMA_PB_TYPE_INT32, false}, /* nid */
    {926, 2, ORMA_PB_TYPE_INT32, false}, /* order */
    {3201, 3, ORMA_PB_TYPE_UINT32, false}, /* classzone_idx */
    {3215, 4, ORMA_PB_TYPE_UINT32, false}, /* highest_zoneidx */
    {3260, 1, ORMA_PB_TYPE_UINT64, false}, /* nr_migrated */
    {3272, 2, ORMA_PB_TYPE_UINT64, false}, /* nr_failed */
    {1029, 1, ORMA_PB_TYPE_INT32, false}, /* nid */
    {2905, 2, ORMA_PB_TYPE_UINT32, false}, /* idx */
    {926, 3, ORMA_PB_TYPE_INT32, false}, /* order */
    {509, 4, ORMA_PB_TYPE_INT32, false}, /* ret */
    {926, 1, ORMA_PB_TYPE_INT32, false}, /* order */
    {3332, 2, ORMA_PB_TYPE_UINT32, false}, /* gfp_mask */
    {2201, 3, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {226, 4, ORMA_PB_TYPE_INT32, false}, /* prio */
    {1029, 1, ORMA_PB_TYPE_INT32, false}, /* nid */
    {926, 2, ORMA_PB_TYPE_INT32, false}, /* order */
    {3201, 3, ORMA_PB_TYPE_UINT32, false}, /* classzone_idx */
    {3215, 4, ORMA_PB_TYPE_UINT32, false}, /* highest_zoneidx */
    {3407, 1, ORMA_PB_TYPE_STRING, false}, /* action */
    {1554, 2, ORMA_PB_TYPE_INT32, false}, /* val */
    {3414, 3, ORMA_PB_TYPE_UINT32, false}, /* start */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {226, 3, ORMA_PB_TYPE_INT32, false}, /* prio */
    {231, 4, ORMA_PB_TYPE_INT32, false}, /* success */
    {239, 5, ORMA_PB_TYPE_INT32, false}, /* target_cpu */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {902, 4, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {217, 5, ORMA_PB_TYPE_STRING, false}, /* comm */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {902, 4, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {217, 5, ORMA_PB_TYPE_STRING, false}, /* comm */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {312, 4, ORMA_PB_TYPE_INT32, false}, /* error */
    {902, 5, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {902, 4, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {217, 5, ORMA_PB_TYPE_STRING, false}, /* comm */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {902, 4, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {217, 5, ORMA_PB_TYPE_STRING, false}, /* comm */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {3545, 4, ORMA_PB_TYPE_UINT64, false}, /* old_dev */
    {3553, 5, ORMA_PB_TYPE_UINT64, false}, /* old_sector */
    {902, 6, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {3580, 3, ORMA_PB_TYPE_UINT64, false}, /* size */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {902, 4, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {217, 5, ORMA_PB_TYPE_STRING, false}, /* comm */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {3627, 4, ORMA_PB_TYPE_INT32, false}, /* errors */
    {902, 5, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {907, 6, ORMA_PB_TYPE_STRING, false}, /* cmd */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {3627, 4, ORMA_PB_TYPE_INT32, false}, /* errors */
    {902, 5, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {907, 6, ORMA_PB_TYPE_STRING, false}, /* cmd */
    {312, 7, ORMA_PB_TYPE_INT32, false}, /* error */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {896, 4, ORMA_PB_TYPE_UINT32, false}, /* bytes */
    {902, 5, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {217, 6, ORMA_PB_TYPE_STRING, false}, /* comm */
    {907, 7, ORMA_PB_TYPE_STRING, false}, /* cmd */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {3545, 4, ORMA_PB_TYPE_UINT64, false}, /* old_dev */
    {3553, 5, ORMA_PB_TYPE_UINT64, false}, /* old_sector */
    {3683, 6, ORMA_PB_TYPE_UINT32, false}, /* nr_bios */
    {902, 7, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {3627, 4, ORMA_PB_TYPE_INT32, false}, /* errors */
    {902, 5, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {907, 6, ORMA_PB_TYPE_STRING, false}, /* cmd */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {902, 4, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {217, 5, ORMA_PB_TYPE_STRING, false}, /* comm */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {3737, 3, ORMA_PB_TYPE_UINT64, false}, /* new_sector */
    {902, 4, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {217, 5, ORMA_PB_TYPE_STRING, false}, /* comm */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {3580, 3, ORMA_PB_TYPE_UINT64, false}, /* size */
    {3779, 1, ORMA_PB_TYPE_INT32, false}, /* nr_rq */
    {217, 2, ORMA_PB_TYPE_STRING, false}, /* comm */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3798, 3, ORMA_PB_TYPE_UINT32, false}, /* data_blocks */
    {3810, 4, ORMA_PB_TYPE_UINT32, false}, /* meta_blocks */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3843, 3, ORMA_PB_TYPE_UINT64, false}, /* block */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {3849, 5, ORMA_PB_TYPE_UINT32, false}, /* logical */
    {3857, 6, ORMA_PB_TYPE_UINT32, false}, /* lleft */
    {3863, 7, ORMA_PB_TYPE_UINT32, false}, /* lright */
    {3870, 8, ORMA_PB_TYPE_UINT64, false}, /* goal */
    {3875, 9, ORMA_PB_TYPE_UINT64, false}, /* pleft */
    {3881, 10, ORMA_PB_TYPE_UINT64, false}, /* pright */
    {472, 11, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3909, 3, ORMA_PB_TYPE_UINT64, false}, /* dir */
    {2201, 4, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3933, 3, ORMA_PB_TYPE_INT64, false}, /* new_size */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3970, 3, ORMA_PB_TYPE_INT64, false}, /* offset */
    {478, 4, ORMA_PB_TYPE_INT64, false}, /* len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3997, 3, ORMA_PB_TYPE_UINT64, false}, /* i_blocks */
    {4006, 4, ORMA_PB_TYPE_INT32, false}, /* freed_blocks */
    {4019, 5, ORMA_PB_TYPE_INT32, false}, /* reserved_data_blocks */
    {4040, 6, ORMA_PB_TYPE_INT32, false}, /* reserved_meta_blocks */
    {4061, 7, ORMA_PB_TYPE_INT32, false}, /* allocated_meta_blocks */
    {2201, 8, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3997, 3, ORMA_PB_TYPE_UINT64, false}, /* i_blocks */
    {4019, 4, ORMA_PB_TYPE_INT32, false}, /* reserved_data_blocks */
    {4040, 5, ORMA_PB_TYPE_INT32, false}, /* reserved_meta_blocks */
    {2201, 6, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {4105, 7, ORMA_PB_TYPE_INT32, false}, /* md_needed */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3997, 3, ORMA_PB_TYPE_UINT64, false}, /* i_blocks */
    {4137, 4, ORMA_PB_TYPE_INT32, false}, /* used_blocks */
    {4019, 5, ORMA_PB_TYPE_INT32, false}, /* reserved_data_blocks */
    {4040, 6, ORMA_PB_TYPE_INT32, false}, /* reserved_meta_blocks */
    {4061, 7, ORMA_PB_TYPE_INT32, false}, /* allocated_meta_blocks */
    {4149, 8, ORMA_PB_TYPE_INT32, false}, /* quota_claim */
    {2201, 9, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4190, 3, ORMA_PB_TYPE_UINT64, false}, /* first_page */
    {4201, 4, ORMA_PB_TYPE_INT64, false}, /* nr_to_write */
    {4213, 5, ORMA_PB_TYPE_INT32, false}, /* sync_mode */
    {4223, 6, ORMA_PB_TYPE_UINT64, false}, /* b_blocknr */
    {4233, 7, ORMA_PB_TYPE_UINT32, false}, /* b_size */
    {4240, 8, ORMA_PB_TYPE_UINT32, false}, /* b_state */
    {4248, 9, ORMA_PB_TYPE_INT32, false}, /* io_done */
    {4256, 10, ORMA_PB_TYPE_INT32, false}, /* pages_written */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT64, false}, /* lblk */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {472, 5, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {773, 3, ORMA_PB_TYPE_INT64, false}, /* pos */
    {478, 4, ORMA_PB_TYPE_UINT64, false}, /* len */
    {4322, 5, ORMA_PB_TYPE_INT32, false}, /* rw */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {773, 3, ORMA_PB_TYPE_INT64, false}, /* pos */
    {478, 4, ORMA_PB_TYPE_UINT64, false}, /* len */
    {4322, 5, ORMA_PB_TYPE_INT32, false}, /* rw */
    {509, 6, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {4366, 2, ORMA_PB_TYPE_UINT64, false}, /* blk */
    {4370, 3, ORMA_PB_TYPE_UINT64, false}, /* count */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {478, 3, ORMA_PB_TYPE_UINT32, false}, /* len */
    {4396, 4, ORMA_PB_TYPE_UINT32, false}, /* needed */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4431, 3, ORMA_PB_TYPE_INT32, false}, /* drop */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {4452, 5, ORMA_PB_TYPE_UINT64, false}, /* pblk */
    {318, 6, ORMA_PB_TYPE_UINT32, false}, /* status */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {4452, 5, ORMA_PB_TYPE_UINT64, false}, /* pblk */
    {318, 6, ORMA_PB_TYPE_UINT64, false}, /* status */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {4452, 5, ORMA_PB_TYPE_UINT64, false}, /* pblk */
    {318, 6, ORMA_PB_TYPE_UINT64, false}, /* status */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {4452, 5, ORMA_PB_TYPE_UINT64, false}, /* pblk */
    {318, 6, ORMA_PB_TYPE_UINT64, false}, /* status */
    {4607, 7, ORMA_PB_TYPE_INT32, false}, /* found */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_INT64, false}, /* lblk */
    {478, 4, ORMA_PB_TYPE_INT64, false}, /* len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {4662, 2, ORMA_PB_TYPE_INT32, false}, /* nr_shrunk */
    {4672, 3, ORMA_PB_TYPE_UINT64, false}, /* scan_time */
    {4682, 4, ORMA_PB_TYPE_INT32, false}, /* nr_skipped */
    {4693, 5, ORMA_PB_TYPE_INT32, false}, /* retried */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {4716, 2, ORMA_PB_TYPE_INT32, false}, /* nr_to_scan */
    {4727, 3, ORMA_PB_TYPE_INT32, false}, /* cache_cnt */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {4716, 2, ORMA_PB_TYPE_INT32, false}, /* nr_to_scan */
    {4727, 3, ORMA_PB_TYPE_INT32, false}, /* cache_cnt */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {4662, 2, ORMA_PB_TYPE_INT32, false}, /* nr_shrunk */
    {4727, 3, ORMA_PB_TYPE_INT32, false}, /* cache_cnt */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4809, 3, ORMA_PB_TYPE_INT32, false}, /* nlink */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4832, 3, ORMA_PB_TYPE_UINT32, false}, /* m_lblk */
    {4839, 4, ORMA_PB_TYPE_UINT32, false}, /* m_len */
    {4845, 5, ORMA_PB_TYPE_UINT32, false}, /* u_lblk */
    {4852, 6, ORMA_PB_TYPE_UINT32, false}, /* u_len */
    {4858, 7, ORMA_PB_TYPE_UINT64, false}, /* u_pblk */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4832, 3, ORMA_PB_TYPE_UINT32, false}, /* m_lblk */
    {4839, 4, ORMA_PB_TYPE_UINT32, false}, /* m_len */
    {4845, 5, ORMA_PB_TYPE_UINT32, false}, /* u_lblk */
    {4852, 6, ORMA_PB_TYPE_UINT32, false}, /* u_len */
    {4858, 7, ORMA_PB_TYPE_UINT64, false}, /* u_pblk */
    {4903, 8, ORMA_PB_TYPE_UINT32, false}, /* i_lblk */
    {4910, 9, ORMA_PB_TYPE_UINT32, false}, /* i_len */
    {4916, 10, ORMA_PB_TYPE_UINT64, false}, /* i_pblk */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {472, 3, ORMA_PB_TYPE_INT32, false}, /* flags */
    {4290, 4, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {4452, 5, ORMA_PB_TYPE_UINT64, false}, /* pblk */
    {478, 6, ORMA_PB_TYPE_UINT32, false}, /* len */
    {4964, 7, ORMA_PB_TYPE_UINT32, false}, /* allocated */
    {4974, 8, ORMA_PB_TYPE_UINT64, false}, /* newblk */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {509, 4, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4452, 3, ORMA_PB_TYPE_UINT64, false}, /* pblk */
    {4290, 4, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {472, 5, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {472, 3, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {4452, 4, ORMA_PB_TYPE_UINT64, false}, /* pblk */
    {4290, 5, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {478, 6, ORMA_PB_TYPE_UINT32, false}, /* len */
    {5080, 7, ORMA_PB_TYPE_UINT32, false}, /* mflags */
    {509, 8, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {3414, 5, ORMA_PB_TYPE_UINT64, false}, /* start */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3414, 3, ORMA_PB_TYPE_UINT32, false}, /* start */
    {5134, 4, ORMA_PB_TYPE_UINT32, false}, /* end */
    {5138, 5, ORMA_PB_TYPE_INT32, false}, /* depth */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3414, 3, ORMA_PB_TYPE_UINT32, false}, /* start */
    {5134, 4, ORMA_PB_TYPE_UINT32, false}, /* end */
    {5138, 5, ORMA_PB_TYPE_INT32, false}, /* depth */
    {5166, 6, ORMA_PB_TYPE_INT64, false}, /* partial */
    {5174, 7, ORMA_PB_TYPE_UINT32, false}, /* eh_entries */
    {5185, 8, ORMA_PB_TYPE_UINT32, false}, /* pc_lblk */
    {5193, 9, ORMA_PB_TYPE_UINT64, false}, /* pc_pclu */
    {5201, 10, ORMA_PB_TYPE_INT32, false}, /* pc_state */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4452, 3, ORMA_PB_TYPE_UINT64, false}, /* pblk */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {5166, 3, ORMA_PB_TYPE_INT64, false}, /* partial */
    {3414, 4, ORMA_PB_TYPE_UINT32, false}, /* start */
    {5253, 5, ORMA_PB_TYPE_UINT32, false}, /* ee_lblk */
    {5261, 6, ORMA_PB_TYPE_UINT64, false}, /* ee_pblk */
    {5269, 7, ORMA_PB_TYPE_INT32, false}, /* ee_len */
    {5185, 8, ORMA_PB_TYPE_UINT32, false}, /* pc_lblk */
    {5193, 9, ORMA_PB_TYPE_UINT64, false}, /* pc_pclu */
    {5201, 10, ORMA_PB_TYPE_INT32, false}, /* pc_state */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4452, 3, ORMA_PB_TYPE_UINT64, false}, /* pblk */
    {4290, 4, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {478, 5, ORMA_PB_TYPE_UINT32, false}, /* len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3970, 3, ORMA_PB_TYPE_INT64, false}, /* offset */
    {478, 4, ORMA_PB_TYPE_INT64, false}, /* len */
    {2201, 5, ORMA_PB_TYPE_INT32, false}, /* mode */
    {773, 6, ORMA_PB_TYPE_INT64, false}, /* pos */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {773, 3, ORMA_PB_TYPE_INT64, false}, /* pos */
    {5335, 4, ORMA_PB_TYPE_UINT32, false}, /* blocks */
    {509, 5, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {5362, 3, ORMA_PB_TYPE_UINT32, false}, /* from */
    {5367, 4, ORMA_PB_TYPE_UINT32, false}, /* to */
    {5370, 5, ORMA_PB_TYPE_INT32, false}, /* reverse */
    {4607, 6, ORMA_PB_TYPE_INT32, false}, /* found */
    {5378, 7, ORMA_PB_TYPE_UINT32, false}, /* found_blk */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3843, 3, ORMA_PB_TYPE_UINT64, false}, /* block */
    {5413, 4, ORMA_PB_TYPE_INT32, false}, /* is_metadata */
    {2201, 5, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3843, 3, ORMA_PB_TYPE_UINT64, false}, /* block */
    {4370, 4, ORMA_PB_TYPE_UINT64, false}, /* count */
    {472, 5, ORMA_PB_TYPE_INT32, false}, /* flags */
    {2201, 6, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {5454, 3, ORMA_PB_TYPE_UINT32, false}, /* uid */
    {5458, 4, ORMA_PB_TYPE_UINT32, false}, /* gid */
    {5335, 5, ORMA_PB_TYPE_UINT64, false}, /* blocks */
    {2201, 6, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {472, 2, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {4452, 4, ORMA_PB_TYPE_UINT64, false}, /* pblk */
    {478, 5, ORMA_PB_TYPE_UINT32, false}, /* len */
    {509, 6, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4290, 3, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {472, 5, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {472, 3, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {4452, 4, ORMA_PB_TYPE_UINT64, false}, /* pblk */
    {4290, 5, ORMA_PB_TYPE_UINT32, false}, /* lblk */
    {478, 6, ORMA_PB_TYPE_UINT32, false}, /* len */
    {5080, 7, ORMA_PB_TYPE_UINT32, false}, /* mflags */
    {509, 8, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3970, 3, ORMA_PB_TYPE_INT64, false}, /* offset */
    {478, 4, ORMA_PB_TYPE_INT64, false}, /* len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {2759, 3, ORMA_PB_TYPE_UINT64, false}, /* index */
    {3970, 4, ORMA_PB_TYPE_UINT64, false}, /* offset */
    {5615, 5, ORMA_PB_TYPE_UINT32, false}, /* length */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {0, 2, ORMA_PB_TYPE_UINT64, false}, /* ip */
    {5335, 3, ORMA_PB_TYPE_INT32, false}, /* blocks */
    {5642, 4, ORMA_PB_TYPE_INT32, false}, /* rsv_blocks */
    {5653, 5, ORMA_PB_TYPE_INT32, false}, /* nblocks */
    {5661, 6, ORMA_PB_TYPE_INT32, false}, /* revoke_creds */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {0, 2, ORMA_PB_TYPE_UINT64, false}, /* ip */
    {5335, 3, ORMA_PB_TYPE_INT32, false}, /* blocks */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {2759, 3, ORMA_PB_TYPE_UINT64, false}, /* index */
    {3970, 4, ORMA_PB_TYPE_UINT64, false}, /* offset */
    {5615, 5, ORMA_PB_TYPE_UINT32, false}, /* length */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {773, 3, ORMA_PB_TYPE_INT64, false}, /* pos */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {797, 5, ORMA_PB_TYPE_UINT32, false}, /* copied */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {5794, 2, ORMA_PB_TYPE_UINT32, false}, /* group */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {0, 3, ORMA_PB_TYPE_UINT64, false}, /* ip */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {5794, 2, ORMA_PB_TYPE_UINT32, false}, /* group */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {5794, 2, ORMA_PB_TYPE_UINT32, false}, /* group */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {4396, 2, ORMA_PB_TYPE_INT32, false}, /* needed */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {5922, 3, ORMA_PB_TYPE_UINT64, false}, /* pa_pstart */
    {5932, 4, ORMA_PB_TYPE_UINT64, false}, /* pa_lstart */
    {5942, 5, ORMA_PB_TYPE_UINT32, false}, /* pa_len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {5922, 3, ORMA_PB_TYPE_UINT64, false}, /* pa_pstart */
    {5932, 4, ORMA_PB_TYPE_UINT64, false}, /* pa_lstart */
    {5942, 5, ORMA_PB_TYPE_UINT32, false}, /* pa_len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {5922, 2, ORMA_PB_TYPE_UINT64, false}, /* pa_pstart */
    {5942, 3, ORMA_PB_TYPE_UINT32, false}, /* pa_len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3843, 3, ORMA_PB_TYPE_UINT64, false}, /* block */
    {4370, 4, ORMA_PB_TYPE_UINT32, false}, /* count */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {6041, 3, ORMA_PB_TYPE_UINT32, false}, /* orig_logical */
    {6054, 4, ORMA_PB_TYPE_INT32, false}, /* orig_start */
    {6065, 5, ORMA_PB_TYPE_UINT32, false}, /* orig_group */
    {6076, 6, ORMA_PB_TYPE_INT32, false}, /* orig_len */
    {6085, 7, ORMA_PB_TYPE_UINT32, false}, /* goal_logical */
    {6098, 8, ORMA_PB_TYPE_INT32, false}, /* goal_start */
    {6109, 9, ORMA_PB_TYPE_UINT32, false}, /* goal_group */
    {6120, 10, ORMA_PB_TYPE_INT32, false}, /* goal_len */
    {6129, 11, ORMA_PB_TYPE_UINT32, false}, /* result_logical */
    {6144, 12, ORMA_PB_TYPE_INT32, false}, /* result_start */
    {6157, 13, ORMA_PB_TYPE_UINT32, false}, /* result_group */
    {6170, 14, ORMA_PB_TYPE_INT32, false}, /* result_len */
    {4607, 15, ORMA_PB_TYPE_UINT32, false}, /* found */
    {6181, 16, ORMA_PB_TYPE_UINT32, false}, /* groups */
    {6188, 17, ORMA_PB_TYPE_UINT32, false}, /* buddy */
    {472, 18, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {6194, 19, ORMA_PB_TYPE_UINT32, false}, /* tail */
    {6199, 20, ORMA_PB_TYPE_UINT32, false}, /* cr */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {6144, 3, ORMA_PB_TYPE_INT32, false}, /* result_start */
    {6157, 4, ORMA_PB_TYPE_UINT32, false}, /* result_group */
    {6170, 5, ORMA_PB_TYPE_INT32, false}, /* result_len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {6144, 3, ORMA_PB_TYPE_INT32, false}, /* result_start */
    {6157, 4, ORMA_PB_TYPE_UINT32, false}, /* result_group */
    {6170, 5, ORMA_PB_TYPE_INT32, false}, /* result_len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {6041, 3, ORMA_PB_TYPE_UINT32, false}, /* orig_logical */
    {6054, 4, ORMA_PB_TYPE_INT32, false}, /* orig_start */
    {6065, 5, ORMA_PB_TYPE_UINT32, false}, /* orig_group */
    {6076, 6, ORMA_PB_TYPE_INT32, false}, /* orig_len */
    {6129, 7, ORMA_PB_TYPE_UINT32, false}, /* result_logical */
    {6144, 8, ORMA_PB_TYPE_INT32, false}, /* result_start */
    {6157, 9, ORMA_PB_TYPE_UINT32, false}, /* result_group */
    {6170, 10, ORMA_PB_TYPE_INT32, false}, /* result_len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {6282, 3, ORMA_PB_TYPE_UINT64, false}, /* orig_ino */
    {5454, 4, ORMA_PB_TYPE_UINT32, false}, /* uid */
    {5458, 5, ORMA_PB_TYPE_UINT32, false}, /* gid */
    {2201, 6, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3970, 3, ORMA_PB_TYPE_INT64, false}, /* offset */
    {478, 4, ORMA_PB_TYPE_INT64, false}, /* len */
    {2201, 5, ORMA_PB_TYPE_INT32, false}, /* mode */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {5794, 2, ORMA_PB_TYPE_UINT32, false}, /* group */
    {6336, 3, ORMA_PB_TYPE_UINT32, false}, /* prefetch */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {2759, 3, ORMA_PB_TYPE_UINT64, false}, /* index */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {2759, 3, ORMA_PB_TYPE_UINT64, false}, /* index */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {5362, 3, ORMA_PB_TYPE_UINT32, false}, /* from */
    {5367, 4, ORMA_PB_TYPE_UINT32, false}, /* to */
    {5166, 5, ORMA_PB_TYPE_INT64, false}, /* partial */
    {5261, 6, ORMA_PB_TYPE_UINT64, false}, /* ee_pblk */
    {5253, 7, ORMA_PB_TYPE_UINT32, false}, /* ee_lblk */
    {5269, 8, ORMA_PB_TYPE_UINT32, false}, /* ee_len */
    {5185, 9, ORMA_PB_TYPE_UINT32, false}, /* pc_lblk */
    {5193, 10, ORMA_PB_TYPE_UINT64, false}, /* pc_pclu */
    {5201, 11, ORMA_PB_TYPE_INT32, false}, /* pc_state */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {478, 3, ORMA_PB_TYPE_UINT32, false}, /* len */
    {3849, 4, ORMA_PB_TYPE_UINT32, false}, /* logical */
    {3857, 5, ORMA_PB_TYPE_UINT32, false}, /* lleft */
    {3863, 6, ORMA_PB_TYPE_UINT32, false}, /* lright */
    {3870, 7, ORMA_PB_TYPE_UINT64, false}, /* goal */
    {3875, 8, ORMA_PB_TYPE_UINT64, false}, /* pleft */
    {3881, 9, ORMA_PB_TYPE_UINT64, false}, /* pright */
    {472, 10, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {3909, 2, ORMA_PB_TYPE_UINT64, false}, /* dir */
    {2201, 3, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {6462, 2, ORMA_PB_TYPE_INT32, false}, /* wait */
    {6480, 1, ORMA_PB_TYPE_INT32, false}, /* dev_major */
    {6490, 2, ORMA_PB_TYPE_INT32, false}, /* dev_minor */
    {5794, 3, ORMA_PB_TYPE_UINT32, false}, /* group */
    {3414, 4, ORMA_PB_TYPE_INT32, false}, /* start */
    {478, 5, ORMA_PB_TYPE_INT32, false}, /* len */
    {6480, 1, ORMA_PB_TYPE_INT32, false}, /* dev_major */
    {6490, 2, ORMA_PB_TYPE_INT32, false}, /* dev_minor */
    {5794, 3, ORMA_PB_TYPE_UINT32, false}, /* group */
    {3414, 4, ORMA_PB_TYPE_INT32, false}, /* start */
    {478, 5, ORMA_PB_TYPE_INT32, false}, /* len */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {5335, 3, ORMA_PB_TYPE_UINT64, false}, /* blocks */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {5335, 3, ORMA_PB_TYPE_UINT64, false}, /* blocks */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {822, 3, ORMA_PB_TYPE_UINT64, false}, /* parent */
    {3580, 4, ORMA_PB_TYPE_INT64, false}, /* size */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {509, 3, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {773, 3, ORMA_PB_TYPE_INT64, false}, /* pos */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {472, 5, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {773, 3, ORMA_PB_TYPE_INT64, false}, /* pos */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {797, 5, ORMA_PB_TYPE_UINT32, false}, /* copied */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {2759, 3, ORMA_PB_TYPE_UINT64, false}, /* index */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {4201, 3, ORMA_PB_TYPE_INT64, false}, /* nr_to_write */
    {6657, 4, ORMA_PB_TYPE_INT64, false}, /* pages_skipped */
    {6671, 5, ORMA_PB_TYPE_INT64, false}, /* range_start */
    {6683, 6, ORMA_PB_TYPE_INT64, false}, /* range_end */
    {6693, 7, ORMA_PB_TYPE_UINT64, false}, /* writeback_index */
    {4213, 8, ORMA_PB_TYPE_INT32, false}, /* sync_mode */
    {6709, 9, ORMA_PB_TYPE_UINT32, false}, /* for_kupdate */
    {6721, 10, ORMA_PB_TYPE_UINT32, false}, /* range_cyclic */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {509, 3, ORMA_PB_TYPE_INT32, false}, /* ret */
    {4256, 4, ORMA_PB_TYPE_INT32, false}, /* pages_written */
    {6657, 5, ORMA_PB_TYPE_INT64, false}, /* pages_skipped */
    {6693, 6, ORMA_PB_TYPE_UINT64, false}, /* writeback_index */
    {4213, 7, ORMA_PB_TYPE_INT32, false}, /* sync_mode */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3970, 3, ORMA_PB_TYPE_INT64, false}, /* offset */
    {478, 4, ORMA_PB_TYPE_INT64, false}, /* len */
    {2201, 5, ORMA_PB_TYPE_INT32, false}, /* mode */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {217, 2, ORMA_PB_TYPE_STRING, false}, /* comm */
    {6789, 3, ORMA_PB_TYPE_UINT64, false}, /* clone_flags */
    {6801, 4, ORMA_PB_TYPE_INT32, false}, /* oom_score_adj */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {6828, 2, ORMA_PB_TYPE_STRING, false}, /* oldcomm */
    {6836, 3, ORMA_PB_TYPE_STRING, false}, /* newcomm */
    {6801, 4, ORMA_PB_TYPE_INT32, false}, /* oom_score_adj */
    {6856, 1, ORMA_PB_TYPE_STRING, false}, /* filename */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {6865, 3, ORMA_PB_TYPE_INT32, false}, /* old_pid */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {6892, 3, ORMA_PB_TYPE_INT32, false}, /* tgid */
    {226, 4, ORMA_PB_TYPE_INT32, false}, /* prio */
    {6916, 1, ORMA_PB_TYPE_STRING, false}, /* parent_comm */
    {6928, 2, ORMA_PB_TYPE_INT32, false}, /* parent_pid */
    {6939, 3, ORMA_PB_TYPE_STRING, false}, /* child_comm */
    {6950, 4, ORMA_PB_TYPE_INT32, false}, /* child_pid */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {226, 3, ORMA_PB_TYPE_INT32, false}, /* prio */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {226, 3, ORMA_PB_TYPE_INT32, false}, /* prio */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {7036, 2, ORMA_PB_TYPE_INT32, false}, /* btype */
    {2880, 3, ORMA_PB_TYPE_UINT32, false}, /* sync */
    {879, 4, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {3580, 5, ORMA_PB_TYPE_UINT32, false}, /* size */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {7061, 3, ORMA_PB_TYPE_UINT64, false}, /* pino */
    {2201, 4, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {3580, 5, ORMA_PB_TYPE_INT64, false}, /* size */
    {4809, 6, ORMA_PB_TYPE_UINT32, false}, /* nlink */
    {5335, 7, ORMA_PB_TYPE_UINT64, false}, /* blocks */
    {7066, 8, ORMA_PB_TYPE_UINT32, false}, /* advise */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {2201, 3, ORMA_PB_TYPE_INT32, false}, /* mode */
    {3970, 4, ORMA_PB_TYPE_INT64, false}, /* offset */
    {478, 5, ORMA_PB_TYPE_INT64, false}, /* len */
    {3580, 6, ORMA_PB_TYPE_INT64, false}, /* size */
    {5335, 7, ORMA_PB_TYPE_UINT64, false}, /* blocks */
    {509, 8, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {7105, 3, ORMA_PB_TYPE_UINT64, false}, /* iblock */
    {7112, 4, ORMA_PB_TYPE_UINT64, false}, /* bh_start */
    {7121, 5, ORMA_PB_TYPE_UINT64, false}, /* bh_size */
    {509, 6, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {7149, 2, ORMA_PB_TYPE_INT32, false}, /* type */
    {7154, 3, ORMA_PB_TYPE_INT32, false}, /* gc_type */
    {7162, 4, ORMA_PB_TYPE_INT32, false}, /* alloc_mode */
    {7173, 5, ORMA_PB_TYPE_INT32, false}, /* gc_mode */
    {7181, 6, ORMA_PB_TYPE_UINT32, false}, /* victim */
    {7188, 7, ORMA_PB_TYPE_UINT32, false}, /* ofs_unit */
    {7197, 8, ORMA_PB_TYPE_UINT32, false}, /* pre_victim */
    {7208, 9, ORMA_PB_TYPE_UINT32, false}, /* prefree */
    {645, 10, ORMA_PB_TYPE_UINT32, false}, /* free */
    {7216, 11, ORMA_PB_TYPE_UINT32, false}, /* cost */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {7061, 3, ORMA_PB_TYPE_UINT64, false}, /* pino */
    {2201, 4, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {3580, 5, ORMA_PB_TYPE_INT64, false}, /* size */
    {4809, 6, ORMA_PB_TYPE_UINT32, false}, /* nlink */
    {5335, 7, ORMA_PB_TYPE_UINT64, false}, /* blocks */
    {7066, 8, ORMA_PB_TYPE_UINT32, false}, /* advise */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {509, 3, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {509, 3, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {2759, 3, ORMA_PB_TYPE_UINT64, false}, /* index */
    {7277, 4, ORMA_PB_TYPE_UINT64, false}, /* blkaddr */
    {7149, 5, ORMA_PB_TYPE_INT32, false}, /* type */
    {3909, 6, ORMA_PB_TYPE_INT32, false}, /* dir */
    {7285, 7, ORMA_PB_TYPE_INT32, false}, /* dirty */
    {7291, 8, ORMA_PB_TYPE_INT32, false}, /* uptodate */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {1029, 2, ORMA_PB_TYPE_UINT32, false}, /* nid */
    {7314, 3, ORMA_PB_TYPE_UINT32, false}, /* ofs_in_node */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {7149, 3, ORMA_PB_TYPE_INT32, false}, /* type */
    {3909, 4, ORMA_PB_TYPE_INT32, false}, /* dir */
    {2759, 5, ORMA_PB_TYPE_UINT64, false}, /* index */
    {7285, 6, ORMA_PB_TYPE_INT32, false}, /* dirty */
    {7291, 7, ORMA_PB_TYPE_INT32, false}, /* uptodate */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {7149, 3, ORMA_PB_TYPE_INT32, false}, /* type */
    {2759, 4, ORMA_PB_TYPE_UINT64, false}, /* index */
    {3843, 5, ORMA_PB_TYPE_UINT32, false}, /* block */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {7061, 3, ORMA_PB_TYPE_UINT64, false}, /* pino */
    {2201, 4, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {3580, 5, ORMA_PB_TYPE_INT64, false}, /* size */
    {4809, 6, ORMA_PB_TYPE_UINT32, false}, /* nlink */
    {5335, 7, ORMA_PB_TYPE_UINT64, false}, /* blocks */
    {7066, 8, ORMA_PB_TYPE_UINT32, false}, /* advise */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {7413, 3, ORMA_PB_TYPE_UINT32, false}, /* need_cp */
    {829, 4, ORMA_PB_TYPE_INT32, false}, /* datasync */
    {509, 5, ORMA_PB_TYPE_INT32, false}, /* ret */
    {7421, 6, ORMA_PB_TYPE_INT32, false}, /* cp_reason */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {7285, 2, ORMA_PB_TYPE_INT32, false}, /* dirty */
    {6462, 3, ORMA_PB_TYPE_INT32, false}, /* wait */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {7061, 3, ORMA_PB_TYPE_UINT64, false}, /* pino */
    {2201, 4, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {3580, 5, ORMA_PB_TYPE_INT64, false}, /* size */
    {4809, 6, ORMA_PB_TYPE_UINT32, false}, /* nlink */
    {5335, 7, ORMA_PB_TYPE_UINT64, false}, /* blocks */
    {7066, 8, ORMA_PB_TYPE_UINT32, false}, /* advise */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3580, 3, ORMA_PB_TYPE_INT64, false}, /* size */
    {5335, 4, ORMA_PB_TYPE_UINT64, false}, /* blocks */
    {5362, 5, ORMA_PB_TYPE_UINT64, false}, /* from */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {509, 3, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {1029, 3, ORMA_PB_TYPE_UINT32, false}, /* nid */
    {7531, 4, ORMA_PB_TYPE_UINT32, false}, /* ofs */
    {645, 5, ORMA_PB_TYPE_INT32, false}, /* free */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3580, 3, ORMA_PB_TYPE_INT64, false}, /* size */
    {5335, 4, ORMA_PB_TYPE_UINT64, false}, /* blocks */
    {5362, 5, ORMA_PB_TYPE_UINT64, false}, /* from */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {509, 3, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {1029, 3, ORMA_PB_TYPE_UINT32, false}, /* nid */
    {7632, 4, ORMA_PB_TYPE_UINT32, false}, /* blk_addr */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {1029, 3, ORMA_PB_TYPE_UINT32, false}, /* nid */
    {7632, 4, ORMA_PB_TYPE_UINT32, false}, /* blk_addr */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {509, 3, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {1029, 3, ORMA_PB_TYPE_UINT32, false}, /* nid */
    {5138, 4, ORMA_PB_TYPE_INT32, false}, /* depth */
    {7711, 5, ORMA_PB_TYPE_INT32, false}, /* err */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3580, 3, ORMA_PB_TYPE_INT64, false}, /* size */
    {5335, 4, ORMA_PB_TYPE_UINT64, false}, /* blocks */
    {170, 5, ORMA_PB_TYPE_STRING, false}, /* name */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {509, 3, ORMA_PB_TYPE_INT32, false}, /* ret */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {7149, 3, ORMA_PB_TYPE_INT32, false}, /* type */
    {3909, 4, ORMA_PB_TYPE_INT32, false}, /* dir */
    {2759, 5, ORMA_PB_TYPE_UINT64, false}, /* index */
    {7285, 6, ORMA_PB_TYPE_INT32, false}, /* dirty */
    {7291, 7, ORMA_PB_TYPE_INT32, false}, /* uptodate */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {773, 3, ORMA_PB_TYPE_INT64, false}, /* pos */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {472, 5, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {7816, 2, ORMA_PB_TYPE_UINT32, false}, /* is_umount */
    {7826, 3, ORMA_PB_TYPE_STRING, false}, /* msg */
    {356, 4, ORMA_PB_TYPE_INT32, false}, /* reason */
    {7830, 5, ORMA_PB_TYPE_UINT32, false}, /* phase */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {773, 3, ORMA_PB_TYPE_INT64, false}, /* pos */
    {478, 4, ORMA_PB_TYPE_UINT32, false}, /* len */
    {797, 5, ORMA_PB_TYPE_UINT32, false}, /* copied */
    {946, 1, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {926, 2, ORMA_PB_TYPE_UINT32, false}, /* order */
    {946, 1, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {926, 2, ORMA_PB_TYPE_UINT32, false}, /* order */
    {946, 1, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {926, 2, ORMA_PB_TYPE_UINT32, false}, /* order */
    {946, 1, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {926, 2, ORMA_PB_TYPE_UINT32, false}, /* order */
    {946, 1, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {926, 2, ORMA_PB_TYPE_UINT32, false}, /* order */
    {946, 1, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {926, 2, ORMA_PB_TYPE_UINT32, false}, /* order */
    {8005, 1, ORMA_PB_TYPE_INT32, false}, /* tries */
    {8038, 1, ORMA_PB_TYPE_UINT64, false}, /* chunk_size */
    {478, 2, ORMA_PB_TYPE_UINT64, false}, /* len */
    {8049, 3, ORMA_PB_TYPE_UINT64, false}, /* pa */
    {8052, 4, ORMA_PB_TYPE_UINT64, false}, /* va */
    {478, 1, ORMA_PB_TYPE_UINT64, false}, /* len */
    {1842, 2, ORMA_PB_TYPE_INT32, false}, /* num */
    {8049, 3, ORMA_PB_TYPE_UINT32, false}, /* pa */
    {8071, 4, ORMA_PB_TYPE_INT32, false}, /* sec_id */
    {8052, 5, ORMA_PB_TYPE_UINT64, false}, /* va */
    {478, 1, ORMA_PB_TYPE_UINT64, false}, /* len */
    {1842, 2, ORMA_PB_TYPE_INT32, false}, /* num */
    {8049, 3, ORMA_PB_TYPE_UINT32, false}, /* pa */
    {8071, 4, ORMA_PB_TYPE_INT32, false}, /* sec_id */
    {8052, 5, ORMA_PB_TYPE_UINT64, false}, /* va */
    {8138, 1, ORMA_PB_TYPE_STRING, false}, /* client_name */
    {472, 2, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {8150, 3, ORMA_PB_TYPE_STRING, false}, /* heap_name */
    {478, 4, ORMA_PB_TYPE_UINT64, false}, /* len */
    {8160, 5, ORMA_PB_TYPE_UINT32, false}, /* mask */
    {8138, 1, ORMA_PB_TYPE_STRING, false}, /* client_name */
    {312, 2, ORMA_PB_TYPE_INT64, false}, /* error */
    {472, 3, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {8150, 4, ORMA_PB_TYPE_STRING, false}, /* heap_name */
    {478, 5, ORMA_PB_TYPE_UINT64, false}, /* len */
    {8160, 6, ORMA_PB_TYPE_UINT32, false}, /* mask */
    {8138, 1, ORMA_PB_TYPE_STRING, false}, /* client_name */
    {312, 2, ORMA_PB_TYPE_INT64, false}, /* error */
    {472, 3, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {8150, 4, ORMA_PB_TYPE_STRING, false}, /* heap_name */
    {478, 5, ORMA_PB_TYPE_UINT64, false}, /* len */
    {8160, 6, ORMA_PB_TYPE_UINT32, false}, /* mask */
    {8138, 1, ORMA_PB_TYPE_STRING, false}, /* client_name */
    {472, 2, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {8150, 3, ORMA_PB_TYPE_STRING, false}, /* heap_name */
    {478, 4, ORMA_PB_TYPE_UINT64, false}, /* len */
    {8160, 5, ORMA_PB_TYPE_UINT32, false}, /* mask */
    {8005, 1, ORMA_PB_TYPE_INT32, false}, /* tries */
    {8276, 1, ORMA_PB_TYPE_UINT64, false}, /* align */
    {472, 2, ORMA_PB_TYPE_UINT64, false}, /* flags */
    {8150, 3, ORMA_PB_TYPE_STRING, false}, /* heap_name */
    {478, 4, ORMA_PB_TYPE_UINT64, false}, /* len */
    {8276, 1, ORMA_PB_TYPE_UINT64, false}, /* align */
    {472, 2, ORMA_PB_TYPE_UINT64, false}, /* flags */
    {8150, 3, ORMA_PB_TYPE_STRING, false}, /* heap_name */
    {478, 4, ORMA_PB_TYPE_UINT64, false}, /* len */
    {478, 1, ORMA_PB_TYPE_UINT64, false}, /* len */
    {8350, 1, ORMA_PB_TYPE_UINT32, false}, /* is_prefetch */
    {478, 2, ORMA_PB_TYPE_UINT64, false}, /* len */
    {8362, 3, ORMA_PB_TYPE_INT32, false}, /* pool_total */
    {8350, 1, ORMA_PB_TYPE_UINT32, false}, /* is_prefetch */
    {478, 2, ORMA_PB_TYPE_UINT64, false}, /* len */
    {8362, 3, ORMA_PB_TYPE_INT32, false}, /* pool_total */
    {8276, 1, ORMA_PB_TYPE_UINT64, false}, /* align */
    {472, 2, ORMA_PB_TYPE_UINT64, false}, /* flags */
    {8150, 3, ORMA_PB_TYPE_STRING, false}, /* heap_name */
    {478, 4, ORMA_PB_TYPE_UINT64, false}, /* len */
    {8276, 1, ORMA_PB_TYPE_UINT64, false}, /* align */
    {472, 2, ORMA_PB_TYPE_UINT64, false}, /* flags */
    {8150, 3, ORMA_PB_TYPE_STRING, false}, /* heap_name */
    {478, 4, ORMA_PB_TYPE_UINT64, false}, /* len */
    {8495, 1, ORMA_PB_TYPE_UINT64, false}, /* drained_size */
    {8508, 2, ORMA_PB_TYPE_UINT64, false}, /* skipped_size */
    {8495, 1, ORMA_PB_TYPE_UINT64, false}, /* drained_size */
    {8508, 2, ORMA_PB_TYPE_UINT64, false}, /* skipped_size */
    {8585, 1, ORMA_PB_TYPE_UINT64, false}, /* call_site */
    {8595, 2, ORMA_PB_TYPE_UINT64, false}, /* ptr */
    {8605, 1, ORMA_PB_TYPE_UINT64, false}, /* bytes_alloc */
    {8617, 2, ORMA_PB_TYPE_UINT64, false}, /* bytes_req */
    {8585, 3, ORMA_PB_TYPE_UINT64, false}, /* call_site */
    {946, 4, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {8595, 5, ORMA_PB_TYPE_UINT64, false}, /* ptr */
    {8605, 1, ORMA_PB_TYPE_UINT64, false}, /* bytes_alloc */
    {8617, 2, ORMA_PB_TYPE_UINT64, false}, /* bytes_req */
    {8585, 3, ORMA_PB_TYPE_UINT64, false}, /* call_site */
    {946, 4, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {8635, 5, ORMA_PB_TYPE_INT32, false}, /* node */
    {8595, 6, ORMA_PB_TYPE_UINT64, false}, /* ptr */
    {8605, 1, ORMA_PB_TYPE_UINT64, false}, /* bytes_alloc */
    {8617, 2, ORMA_PB_TYPE_UINT64, false}, /* bytes_req */
    {8585, 3, ORMA_PB_TYPE_UINT64, false}, /* call_site */
    {946, 4, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {8595, 5, ORMA_PB_TYPE_UINT64, false}, /* ptr */
    {8605, 1, ORMA_PB_TYPE_UINT64, false}, /* bytes_alloc */
    {8617, 2, ORMA_PB_TYPE_UINT64, false}, /* bytes_req */
    {8585, 3, ORMA_PB_TYPE_UINT64, false}, /* call_site */
    {946, 4, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {8635, 5, ORMA_PB_TYPE_INT32, false}, /* node */
    {8595, 6, ORMA_PB_TYPE_UINT64, false}, /* ptr */
    {8585, 1, ORMA_PB_TYPE_UINT64, false}, /* call_site */
    {8595, 2, ORMA_PB_TYPE_UINT64, false}, /* ptr */
    {2201, 1, ORMA_PB_TYPE_INT32, false}, /* mode */
    {2201, 1, ORMA_PB_TYPE_INT32, false}, /* mode */
    {8005, 1, ORMA_PB_TYPE_INT32, false}, /* tries */
    {946, 1, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {8760, 2, ORMA_PB_TYPE_INT32, false}, /* migratetype */
    {926, 3, ORMA_PB_TYPE_UINT32, false}, /* order */
    {2771, 4, ORMA_PB_TYPE_UINT64, false}, /* page */
    {2749, 5, ORMA_PB_TYPE_UINT64, false}, /* pfn */
    {8786, 1, ORMA_PB_TYPE_INT32, false}, /* alloc_migratetype */
    {8804, 2, ORMA_PB_TYPE_INT32, false}, /* alloc_order */
    {8816, 3, ORMA_PB_TYPE_INT32, false}, /* fallback_migratetype */
    {8837, 4, ORMA_PB_TYPE_INT32, false}, /* fallback_order */
    {2771, 5, ORMA_PB_TYPE_UINT64, false}, /* page */
    {8852, 6, ORMA_PB_TYPE_INT32, false}, /* change_ownership */
    {2749, 7, ORMA_PB_TYPE_UINT64, false}, /* pfn */
    {8760, 1, ORMA_PB_TYPE_INT32, false}, /* migratetype */
    {926, 2, ORMA_PB_TYPE_UINT32, false}, /* order */
    {2771, 3, ORMA_PB_TYPE_UINT64, false}, /* page */
    {2749, 4, ORMA_PB_TYPE_UINT64, false}, /* pfn */
    {926, 1, ORMA_PB_TYPE_UINT32, false}, /* order */
    {2771, 2, ORMA_PB_TYPE_UINT64, false}, /* page */
    {2749, 3, ORMA_PB_TYPE_UINT64, false}, /* pfn */
    {8930, 1, ORMA_PB_TYPE_INT32, false}, /* cold */
    {2771, 2, ORMA_PB_TYPE_UINT64, false}, /* page */
    {2749, 3, ORMA_PB_TYPE_UINT64, false}, /* pfn */
    {8760, 1, ORMA_PB_TYPE_INT32, false}, /* migratetype */
    {926, 2, ORMA_PB_TYPE_UINT32, false}, /* order */
    {2771, 3, ORMA_PB_TYPE_UINT64, false}, /* page */
    {2749, 4, ORMA_PB_TYPE_UINT64, false}, /* pfn */
    {8975, 1, ORMA_PB_TYPE_INT32, false}, /* member */
    {3580, 2, ORMA_PB_TYPE_INT64, false}, /* size */
    {8982, 3, ORMA_PB_TYPE_UINT32, false}, /* curr */
    {8987, 4, ORMA_PB_TYPE_UINT32, false}, /* mm_id */
    {8150, 1, ORMA_PB_TYPE_STRING, false}, /* heap_name */
    {478, 2, ORMA_PB_TYPE_UINT64, false}, /* len */
    {9002, 3, ORMA_PB_TYPE_INT64, false}, /* total_allocated */
    {8150, 1, ORMA_PB_TYPE_STRING, false}, /* heap_name */
    {478, 2, ORMA_PB_TYPE_UINT64, false}, /* len */
    {9002, 3, ORMA_PB_TYPE_INT64, false}, /* total_allocated */
    {9048, 1, ORMA_PB_TYPE_UINT32, false}, /* context */
    {9056, 2, ORMA_PB_TYPE_STRING, false}, /* driver */
    {9063, 3, ORMA_PB_TYPE_UINT32, false}, /* seqno */
    {712, 4, ORMA_PB_TYPE_STRING, false}, /* timeline */
    {9048, 1, ORMA_PB_TYPE_UINT32, false}, /* context */
    {9056, 2, ORMA_PB_TYPE_STRING, false}, /* driver */
    {9063, 3, ORMA_PB_TYPE_UINT32, false}, /* seqno */
    {712, 4, ORMA_PB_TYPE_STRING, false}, /* timeline */
    {9048, 1, ORMA_PB_TYPE_UINT32, false}, /* context */
    {9056, 2, ORMA_PB_TYPE_STRING, false}, /* driver */
    {9063, 3, ORMA_PB_TYPE_UINT32, false}, /* seqno */
    {712, 4, ORMA_PB_TYPE_STRING, false}, /* timeline */
    {9048, 1, ORMA_PB_TYPE_UINT32, false}, /* context */
    {9056, 2, ORMA_PB_TYPE_STRING, false}, /* driver */
    {9063, 3, ORMA_PB_TYPE_UINT32, false}, /* seqno */
    {712, 4, ORMA_PB_TYPE_STRING, false}, /* timeline */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {9152, 2, ORMA_PB_TYPE_UINT64, false}, /* rate */
    {9170, 1, ORMA_PB_TYPE_UINT64, false}, /* data_size */
    {1082, 2, ORMA_PB_TYPE_INT32, false}, /* debug_id */
    {9180, 3, ORMA_PB_TYPE_UINT64, false}, /* offsets_size */
    {9193, 4, ORMA_PB_TYPE_UINT64, false}, /* extra_buffers_size */
    {1127, 1, ORMA_PB_TYPE_INT32, false}, /* code */
    {9241, 2, ORMA_PB_TYPE_UINT64, false}, /* sa_flags */
    {9250, 3, ORMA_PB_TYPE_INT32, false}, /* sig */
    {1127, 1, ORMA_PB_TYPE_INT32, false}, /* code */
    {217, 2, ORMA_PB_TYPE_STRING, false}, /* comm */
    {5794, 3, ORMA_PB_TYPE_INT32, false}, /* group */
    {222, 4, ORMA_PB_TYPE_INT32, false}, /* pid */
    {9269, 5, ORMA_PB_TYPE_INT32, false}, /* result */
    {9250, 6, ORMA_PB_TYPE_INT32, false}, /* sig */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {6801, 2, ORMA_PB_TYPE_INT32, false}, /* oom_score_adj */
    {222, 3, ORMA_PB_TYPE_INT32, false}, /* pid */
    {9313, 1, ORMA_PB_TYPE_STRING, false}, /* event_name */
    {9324, 2, ORMA_PB_TYPE_MESSAGE, true}, /* field */
    {9338, 1, ORMA_PB_TYPE_UINT32, false}, /* avg_lat */
    {4370, 2, ORMA_PB_TYPE_UINT32, false}, /* count */
    {9346, 3, ORMA_PB_TYPE_UINT32, false}, /* max_lat */
    {7149, 4, ORMA_PB_TYPE_UINT32, false}, /* type */
    {1654, 1, ORMA_PB_TYPE_INT64, false}, /* id */
    {9370, 2, ORMA_PB_TYPE_UINT64, true}, /* args */
    {1654, 1, ORMA_PB_TYPE_INT64, false}, /* id */
    {509, 2, ORMA_PB_TYPE_INT64, false}, /* ret */
    {9394, 1, ORMA_PB_TYPE_INT32, false}, /* flag */
    {170, 2, ORMA_PB_TYPE_STRING, false}, /* name */
    {222, 3, ORMA_PB_TYPE_INT32, false}, /* pid */
    {721, 4, ORMA_PB_TYPE_INT64, false}, /* value */
    {9404, 1, ORMA_PB_TYPE_UINT32, false}, /* gpu_id */
    {95, 2, ORMA_PB_TYPE_UINT32, false}, /* state */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {2026, 2, ORMA_PB_TYPE_STRING, false}, /* trace_name */
    {9425, 3, ORMA_PB_TYPE_UINT32, false}, /* trace_type */
    {721, 4, ORMA_PB_TYPE_INT32, false}, /* value */
    {2037, 5, ORMA_PB_TYPE_UINT32, false}, /* trace_begin */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {9471, 1, ORMA_PB_TYPE_UINT32, false}, /* buffer_id */
    {478, 2, ORMA_PB_TYPE_INT64, false}, /* len */
    {9002, 3, ORMA_PB_TYPE_UINT64, false}, /* total_allocated */
    {467, 1, ORMA_PB_TYPE_UINT64, false}, /* addr */
    {478, 2, ORMA_PB_TYPE_UINT64, false}, /* len */
    {467, 1, ORMA_PB_TYPE_UINT64, false}, /* addr */
    {478, 2, ORMA_PB_TYPE_UINT64, false}, /* len */
    {9527, 1, ORMA_PB_TYPE_UINT32, false}, /* arginfo */
    {9535, 2, ORMA_PB_TYPE_UINT64, false}, /* x0 */
    {9538, 3, ORMA_PB_TYPE_UINT64, false}, /* x5 */
    {9404, 1, ORMA_PB_TYPE_UINT32, false}, /* gpu_id */
    {222, 2, ORMA_PB_TYPE_UINT32, false}, /* pid */
    {3580, 3, ORMA_PB_TYPE_UINT64, false}, /* size */
    {1654, 1, ORMA_PB_TYPE_INT32, false}, /* id */
    {9583, 2, ORMA_PB_TYPE_INT32, false}, /* temp */
    {9588, 3, ORMA_PB_TYPE_INT32, false}, /* temp_prev */
    {9598, 4, ORMA_PB_TYPE_STRING, false}, /* thermal_zone */
    {9631, 1, ORMA_PB_TYPE_UINT64, false}, /* target */
    {7149, 2, ORMA_PB_TYPE_STRING, false}, /* type */
    {1378, 1, ORMA_PB_TYPE_UINT32, false}, /* cpu */
    {2905, 2, ORMA_PB_TYPE_INT32, false}, /* idx */
    {509, 3, ORMA_PB_TYPE_INT32, false}, /* ret */
    {95, 4, ORMA_PB_TYPE_INT32, false}, /* state */
    {1378, 1, ORMA_PB_TYPE_UINT32, false}, /* cpu */
    {9661, 2, ORMA_PB_TYPE_UINT64, false}, /* fun */
    {2905, 3, ORMA_PB_TYPE_INT32, false}, /* idx */
    {9631, 4, ORMA_PB_TYPE_INT32, false}, /* target */
    {1378, 1, ORMA_PB_TYPE_UINT32, false}, /* cpu */
    {9661, 2, ORMA_PB_TYPE_UINT64, false}, /* fun */
    {2905, 3, ORMA_PB_TYPE_INT32, false}, /* idx */
    {9631, 4, ORMA_PB_TYPE_INT32, false}, /* target */
    {1378, 1, ORMA_PB_TYPE_UINT32, false}, /* cpu */
    {509, 2, ORMA_PB_TYPE_INT32, false}, /* ret */
    {95, 3, ORMA_PB_TYPE_UINT32, false}, /* state */
    {9695, 4, ORMA_PB_TYPE_UINT64, false}, /* time */
    {9714, 1, ORMA_PB_TYPE_INT32, false}, /* cid */
    {478, 2, ORMA_PB_TYPE_INT64, false}, /* len */
    {9002, 3, ORMA_PB_TYPE_UINT64, false}, /* total_allocated */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {2026, 2, ORMA_PB_TYPE_STRING, false}, /* trace_name */
    {2037, 3, ORMA_PB_TYPE_UINT32, false}, /* trace_begin */
    {170, 4, ORMA_PB_TYPE_STRING, false}, /* name */
    {7149, 5, ORMA_PB_TYPE_UINT32, false}, /* type */
    {721, 6, ORMA_PB_TYPE_INT32, false}, /* value */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {170, 4, ORMA_PB_TYPE_STRING, false}, /* name */
    {7149, 5, ORMA_PB_TYPE_UINT32, false}, /* type */
    {721, 6, ORMA_PB_TYPE_INT32, false}, /* value */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {7149, 3, ORMA_PB_TYPE_UINT32, false}, /* type */
    {721, 4, ORMA_PB_TYPE_INT32, false}, /* value */
    {9805, 1, ORMA_PB_TYPE_UINT64, false}, /* inode */
    {478, 2, ORMA_PB_TYPE_INT64, false}, /* len */
    {9002, 3, ORMA_PB_TYPE_UINT64, false}, /* total_allocated */
    {9825, 1, ORMA_PB_TYPE_UINT32, false}, /* active_cpus */
    {9837, 2, ORMA_PB_TYPE_UINT32, false}, /* cpus */
    {9842, 3, ORMA_PB_TYPE_UINT32, false}, /* pause */
    {9695, 4, ORMA_PB_TYPE_UINT32, false}, /* time */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {9860, 2, ORMA_PB_TYPE_INT32, false}, /* newprio */
    {9868, 3, ORMA_PB_TYPE_INT32, false}, /* oldprio */
    {222, 4, ORMA_PB_TYPE_INT32, false}, /* pid */
    {9893, 1, ORMA_PB_TYPE_STRING, false}, /* evtlog_tag */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {9904, 3, ORMA_PB_TYPE_UINT32, false}, /* tag_id */
    {9911, 4, ORMA_PB_TYPE_UINT32, false}, /* d00 */
    {9915, 5, ORMA_PB_TYPE_UINT32, false}, /* d01 */
    {9919, 6, ORMA_PB_TYPE_UINT32, false}, /* d02 */
    {9923, 7, ORMA_PB_TYPE_UINT32, false}, /* d03 */
    {9927, 8, ORMA_PB_TYPE_UINT32, false}, /* d04 */
    {9931, 9, ORMA_PB_TYPE_UINT32, false}, /* d05 */
    {9935, 10, ORMA_PB_TYPE_UINT32, false}, /* d06 */
    {9939, 11, ORMA_PB_TYPE_UINT32, false}, /* d07 */
    {9943, 12, ORMA_PB_TYPE_UINT32, false}, /* d08 */
    {9947, 13, ORMA_PB_TYPE_UINT32, false}, /* d09 */
    {9951, 14, ORMA_PB_TYPE_UINT32, false}, /* d10 */
    {9955, 15, ORMA_PB_TYPE_UINT32, false}, /* d11 */
    {9959, 16, ORMA_PB_TYPE_UINT32, false}, /* d12 */
    {9963, 17, ORMA_PB_TYPE_UINT32, false}, /* d13 */
    {9967, 18, ORMA_PB_TYPE_UINT32, false}, /* d14 */
    {9986, 1, ORMA_PB_TYPE_UINT64, false}, /* bw_ctl_ebi */
    {9997, 2, ORMA_PB_TYPE_UINT64, false}, /* bw_ctl_llcc */
    {10009, 3, ORMA_PB_TYPE_UINT64, false}, /* bw_ctl_mnoc */
    {10021, 4, ORMA_PB_TYPE_UINT32, false}, /* core_clk_rate */
    {10035, 5, ORMA_PB_TYPE_UINT32, false}, /* crtc */
    {10040, 6, ORMA_PB_TYPE_UINT64, false}, /* ib_ebi */
    {10047, 7, ORMA_PB_TYPE_UINT64, false}, /* ib_llcc */
    {10055, 8, ORMA_PB_TYPE_UINT64, false}, /* ib_mnoc */
    {9986, 1, ORMA_PB_TYPE_UINT64, false}, /* bw_ctl_ebi */
    {9997, 2, ORMA_PB_TYPE_UINT64, false}, /* bw_ctl_llcc */
    {10009, 3, ORMA_PB_TYPE_UINT64, false}, /* bw_ctl_mnoc */
    {10021, 4, ORMA_PB_TYPE_UINT32, false}, /* core_clk_rate */
    {10035, 5, ORMA_PB_TYPE_UINT32, false}, /* crtc */
    {10086, 6, ORMA_PB_TYPE_INT32, false}, /* params */
    {10093, 7, ORMA_PB_TYPE_UINT64, false}, /* per_pipe_ib_ebi */
    {10109, 8, ORMA_PB_TYPE_UINT64, false}, /* per_pipe_ib_llcc */
    {10126, 9, ORMA_PB_TYPE_UINT64, false}, /* per_pipe_ib_mnoc */
    {10143, 10, ORMA_PB_TYPE_UINT32, false}, /* stop_req */
    {10152, 11, ORMA_PB_TYPE_UINT32, false}, /* update_bus */
    {10163, 12, ORMA_PB_TYPE_UINT32, false}, /* update_clk */
    {2330, 1, ORMA_PB_TYPE_UINT32, false}, /* fl */
    {2197, 2, ORMA_PB_TYPE_UINT32, false}, /* fmt */
    {2333, 3, ORMA_PB_TYPE_UINT64, false}, /* lut */
    {10199, 4, ORMA_PB_TYPE_UINT32, false}, /* lut_usage */
    {1885, 5, ORMA_PB_TYPE_UINT32, false}, /* pnum */
    {10209, 6, ORMA_PB_TYPE_UINT32, false}, /* rt */
    {2686, 1, ORMA_PB_TYPE_UINT64, false}, /* ab_quota */
    {10238, 2, ORMA_PB_TYPE_UINT32, false}, /* bus_id */
    {2679, 3, ORMA_PB_TYPE_INT32, false}, /* client */
    {2695, 4, ORMA_PB_TYPE_UINT64, false}, /* ib_quota */
    {8982, 1, ORMA_PB_TYPE_UINT32, false}, /* curr */
    {8975, 2, ORMA_PB_TYPE_INT32, false}, /* member */
    {8987, 3, ORMA_PB_TYPE_UINT32, false}, /* mm_id */
    {3580, 4, ORMA_PB_TYPE_INT64, false}, /* size */
    {478, 1, ORMA_PB_TYPE_UINT32, false}, /* len */
    {170, 2, ORMA_PB_TYPE_STRING, false}, /* name */
    {10288, 3, ORMA_PB_TYPE_UINT64, false}, /* skbaddr */
    {478, 1, ORMA_PB_TYPE_UINT32, false}, /* len */
    {170, 2, ORMA_PB_TYPE_STRING, false}, /* name */
    {10314, 3, ORMA_PB_TYPE_INT32, false}, /* rc */
    {10288, 4, ORMA_PB_TYPE_UINT64, false}, /* skbaddr */
    {10330, 1, ORMA_PB_TYPE_UINT32, false}, /* daddr */
    {10336, 2, ORMA_PB_TYPE_UINT32, false}, /* dport */
    {10342, 3, ORMA_PB_TYPE_UINT32, false}, /* family */
    {10349, 4, ORMA_PB_TYPE_INT32, false}, /* newstate */
    {10358, 5, ORMA_PB_TYPE_INT32, false}, /* oldstate */
    {542, 6, ORMA_PB_TYPE_UINT32, false}, /* protocol */
    {10367, 7, ORMA_PB_TYPE_UINT32, false}, /* saddr */
    {10373, 8, ORMA_PB_TYPE_UINT64, false}, /* skaddr */
    {10380, 9, ORMA_PB_TYPE_UINT32, false}, /* sport */
    {10330, 1, ORMA_PB_TYPE_UINT32, false}, /* daddr */
    {10336, 2, ORMA_PB_TYPE_UINT32, false}, /* dport */
    {10367, 3, ORMA_PB_TYPE_UINT32, false}, /* saddr */
    {10373, 4, ORMA_PB_TYPE_UINT64, false}, /* skaddr */
    {10288, 5, ORMA_PB_TYPE_UINT64, false}, /* skbaddr */
    {10380, 6, ORMA_PB_TYPE_UINT32, false}, /* sport */
    {95, 7, ORMA_PB_TYPE_INT32, false}, /* state */
    {10425, 1, ORMA_PB_TYPE_INT64, false}, /* current_time */
    {10438, 2, ORMA_PB_TYPE_INT64, false}, /* current_timestamp */
    {10456, 3, ORMA_PB_TYPE_INT64, false}, /* delta */
    {10462, 4, ORMA_PB_TYPE_UINT32, false}, /* ec_fifo_timestamp */
    {10480, 5, ORMA_PB_TYPE_UINT32, false}, /* ec_sensor_num */
    {10494, 6, ORMA_PB_TYPE_INT64, false}, /* fifo_timestamp */
    {10532, 1, ORMA_PB_TYPE_UINT32, false}, /* data_len */
    {10541, 2, ORMA_PB_TYPE_UINT32, false}, /* gso_size */
    {10550, 3, ORMA_PB_TYPE_UINT32, false}, /* gso_type */
    {10559, 4, ORMA_PB_TYPE_UINT32, false}, /* hash */
    {10564, 5, ORMA_PB_TYPE_UINT32, false}, /* ip_summed */
    {10574, 6, ORMA_PB_TYPE_UINT32, false}, /* l4_hash */
    {478, 7, ORMA_PB_TYPE_UINT32, false}, /* len */
    {10582, 8, ORMA_PB_TYPE_INT32, false}, /* mac_header */
    {10593, 9, ORMA_PB_TYPE_UINT32, false}, /* mac_header_valid */
    {170, 10, ORMA_PB_TYPE_STRING, false}, /* name */
    {10610, 11, ORMA_PB_TYPE_UINT32, false}, /* napi_id */
    {10618, 12, ORMA_PB_TYPE_UINT32, false}, /* nr_frags */
    {542, 13, ORMA_PB_TYPE_UINT32, false}, /* protocol */
    {10627, 14, ORMA_PB_TYPE_UINT32, false}, /* queue_mapping */
    {10288, 15, ORMA_PB_TYPE_UINT64, false}, /* skbaddr */
    {10641, 16, ORMA_PB_TYPE_UINT32, false}, /* truesize */
    {10650, 17, ORMA_PB_TYPE_UINT32, false}, /* vlan_proto */
    {10661, 18, ORMA_PB_TYPE_UINT32, false}, /* vlan_tagged */
    {10673, 19, ORMA_PB_TYPE_UINT32, false}, /* vlan_tci */
    {509, 1, ORMA_PB_TYPE_INT32, false}, /* ret */
    {10727, 1, ORMA_PB_TYPE_UINT64, false}, /* location */
    {542, 2, ORMA_PB_TYPE_UINT32, false}, /* protocol */
    {10288, 3, ORMA_PB_TYPE_UINT64, false}, /* skbaddr */
    {10746, 1, ORMA_PB_TYPE_UINT64, false}, /* ipa */
    {10767, 1, ORMA_PB_TYPE_UINT32, false}, /* irqchip */
    {10775, 2, ORMA_PB_TYPE_UINT32, false}, /* pin */
    {5134, 1, ORMA_PB_TYPE_UINT64, false}, /* end */
    {3414, 2, ORMA_PB_TYPE_UINT64, false}, /* start */
    {10803, 1, ORMA_PB_TYPE_UINT64, false}, /* gfn */
    {10807, 2, ORMA_PB_TYPE_UINT64, false}, /* hva */
    {1657, 3, ORMA_PB_TYPE_UINT32, false}, /* level */
    {10811, 4, ORMA_PB_TYPE_UINT32, false}, /* referenced */
    {10835, 1, ORMA_PB_TYPE_UINT32, false}, /* guest_debug */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {721, 2, ORMA_PB_TYPE_UINT32, false}, /* value */
    {478, 1, ORMA_PB_TYPE_INT32, false}, /* len */
    {170, 2, ORMA_PB_TYPE_STRING, false}, /* name */
    {10835, 1, ORMA_PB_TYPE_UINT32, false}, /* guest_debug */
    {10905, 2, ORMA_PB_TYPE_UINT64, false}, /* vcpu */
    {10930, 1, ORMA_PB_TYPE_UINT64, false}, /* vcpu_pc */
    {10948, 1, ORMA_PB_TYPE_UINT32, false}, /* esr_ec */
    {509, 2, ORMA_PB_TYPE_INT32, false}, /* ret */
    {10930, 3, ORMA_PB_TYPE_UINT64, false}, /* vcpu_pc */
    {10964, 1, ORMA_PB_TYPE_UINT32, false}, /* load */
    {10977, 1, ORMA_PB_TYPE_INT32, false}, /* direct_ptimer */
    {10991, 2, ORMA_PB_TYPE_INT32, false}, /* direct_vtimer */
    {11005, 3, ORMA_PB_TYPE_INT32, false}, /* emul_ptimer */
    {11017, 4, ORMA_PB_TYPE_UINT64, false}, /* vcpu_id */
    {11043, 1, ORMA_PB_TYPE_UINT64, false}, /* hsr */
    {11047, 2, ORMA_PB_TYPE_UINT64, false}, /* hxfar */
    {10746, 3, ORMA_PB_TYPE_UINT64, false}, /* ipa */
    {10930, 4, ORMA_PB_TYPE_UINT64, false}, /* vcpu_pc */
    {11043, 1, ORMA_PB_TYPE_UINT64, false}, /* hsr */
    {11088, 1, ORMA_PB_TYPE_UINT64, false}, /* imm */
    {11092, 2, ORMA_PB_TYPE_UINT64, false}, /* r0 */
    {10930, 3, ORMA_PB_TYPE_UINT64, false}, /* vcpu_pc */
    {11109, 1, ORMA_PB_TYPE_INT32, false}, /* irq_num */
    {1657, 2, ORMA_PB_TYPE_INT32, false}, /* level */
    {7149, 3, ORMA_PB_TYPE_UINT32, false}, /* type */
    {11117, 4, ORMA_PB_TYPE_INT32, false}, /* vcpu_idx */
    {11139, 1, ORMA_PB_TYPE_UINT64, false}, /* gpa */
    {478, 2, ORMA_PB_TYPE_UINT32, false}, /* len */
    {7149, 3, ORMA_PB_TYPE_UINT32, false}, /* type */
    {1554, 4, ORMA_PB_TYPE_UINT64, false}, /* val */
    {11152, 1, ORMA_PB_TYPE_UINT64, false}, /* cpsr */
    {11157, 2, ORMA_PB_TYPE_UINT64, false}, /* instr */
    {10930, 3, ORMA_PB_TYPE_UINT64, false}, /* vcpu_pc */
    {10835, 1, ORMA_PB_TYPE_UINT32, false}, /* guest_debug */
    {10905, 2, ORMA_PB_TYPE_UINT64, false}, /* vcpu */
    {11200, 1, ORMA_PB_TYPE_UINT32, false}, /* gsi */
    {11204, 2, ORMA_PB_TYPE_INT32, false}, /* irq_source_id */
    {1657, 3, ORMA_PB_TYPE_INT32, false}, /* level */
    {10807, 1, ORMA_PB_TYPE_UINT64, false}, /* hva */
    {11247, 1, ORMA_PB_TYPE_UINT32, false}, /* cache */
    {10930, 2, ORMA_PB_TYPE_UINT64, false}, /* vcpu_pc */
    {11271, 1, ORMA_PB_TYPE_UINT32, false}, /* CRm */
    {11275, 2, ORMA_PB_TYPE_UINT32, false}, /* CRn */
    {11279, 3, ORMA_PB_TYPE_UINT32, false}, /* Op0 */
    {11283, 4, ORMA_PB_TYPE_UINT32, false}, /* Op1 */
    {11287, 5, ORMA_PB_TYPE_UINT32, false}, /* Op2 */
    {11291, 6, ORMA_PB_TYPE_UINT32, false}, /* is_write */
    {170, 7, ORMA_PB_TYPE_STRING, false}, /* name */
    {10930, 8, ORMA_PB_TYPE_UINT64, false}, /* vcpu_pc */
    {10807, 1, ORMA_PB_TYPE_UINT64, false}, /* hva */
    {11332, 1, ORMA_PB_TYPE_UINT32, false}, /* should_fire */
    {11344, 2, ORMA_PB_TYPE_INT32, false}, /* timer_idx */
    {11344, 1, ORMA_PB_TYPE_INT32, false}, /* timer_idx */
    {11397, 1, ORMA_PB_TYPE_UINT64, false}, /* ctl */
    {11401, 2, ORMA_PB_TYPE_UINT64, false}, /* cval */
    {11344, 3, ORMA_PB_TYPE_INT32, false}, /* timer_idx */
    {11397, 1, ORMA_PB_TYPE_UINT64, false}, /* ctl */
    {11401, 2, ORMA_PB_TYPE_UINT64, false}, /* cval */
    {11344, 3, ORMA_PB_TYPE_INT32, false}, /* timer_idx */
    {665, 1, ORMA_PB_TYPE_UINT32, false}, /* irq */
    {1657, 2, ORMA_PB_TYPE_INT32, false}, /* level */
    {11017, 3, ORMA_PB_TYPE_UINT64, false}, /* vcpu_id */
    {11472, 1, ORMA_PB_TYPE_UINT32, false}, /* now */
    {10930, 2, ORMA_PB_TYPE_UINT64, false}, /* vcpu_pc */
    {11476, 3, ORMA_PB_TYPE_UINT32, false}, /* was */
    {5134, 1, ORMA_PB_TYPE_UINT64, false}, /* end */
    {3414, 2, ORMA_PB_TYPE_UINT64, false}, /* start */
    {356, 1, ORMA_PB_TYPE_UINT32, false}, /* reason */
    {11536, 1, ORMA_PB_TYPE_UINT64, false}, /* ns */
    {11539, 2, ORMA_PB_TYPE_UINT32, false}, /* valid */
    {11545, 3, ORMA_PB_TYPE_UINT32, false}, /* waited */
    {11568, 1, ORMA_PB_TYPE_UINT32, false}, /* is_wfe */
    {10930, 2, ORMA_PB_TYPE_UINT64, false}, /* vcpu_pc */
    {11589, 1, ORMA_PB_TYPE_STRING, false}, /* fn */
    {11291, 2, ORMA_PB_TYPE_UINT32, false}, /* is_write */
    {11592, 3, ORMA_PB_TYPE_INT32, false}, /* reg */
    {11596, 4, ORMA_PB_TYPE_UINT64, false}, /* write_value */
    {665, 1, ORMA_PB_TYPE_UINT32, false}, /* irq */
    {1657, 2, ORMA_PB_TYPE_UINT32, false}, /* level */
    {11017, 3, ORMA_PB_TYPE_UINT64, false}, /* vcpu_id */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {95, 2, ORMA_PB_TYPE_UINT64, false}, /* state */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {95, 2, ORMA_PB_TYPE_UINT64, false}, /* state */
    {11689, 1, ORMA_PB_TYPE_STRING, false}, /* dev_name */
    {11698, 2, ORMA_PB_TYPE_UINT32, false}, /* doorbell */
    {11707, 3, ORMA_PB_TYPE_UINT32, false}, /* intr */
    {11712, 4, ORMA_PB_TYPE_UINT64, false}, /* lba */
    {11716, 5, ORMA_PB_TYPE_UINT32, false}, /* opcode */
    {11723, 6, ORMA_PB_TYPE_STRING, false}, /* str */
    {1242, 7, ORMA_PB_TYPE_UINT32, false}, /* tag */
    {11727, 8, ORMA_PB_TYPE_INT32, false}, /* transfer_len */
    {11740, 9, ORMA_PB_TYPE_UINT32, false}, /* group_id */
    {11749, 10, ORMA_PB_TYPE_UINT32, false}, /* str_t */
    {11689, 1, ORMA_PB_TYPE_STRING, false}, /* dev_name */
    {95, 2, ORMA_PB_TYPE_INT32, false}, /* state */
    {7826, 1, ORMA_PB_TYPE_STRING, false}, /* msg */
    {10035, 1, ORMA_PB_TYPE_INT32, false}, /* crtc */
    {11796, 2, ORMA_PB_TYPE_UINT32, false}, /* high_prec */
    {11806, 3, ORMA_PB_TYPE_UINT32, false}, /* seq */
    {9695, 4, ORMA_PB_TYPE_INT64, false}, /* time */
    {10035, 1, ORMA_PB_TYPE_INT32, false}, /* crtc */
    {11827, 2, ORMA_PB_TYPE_UINT64, false}, /* file */
    {11806, 3, ORMA_PB_TYPE_UINT32, false}, /* seq */
    {11859, 1, ORMA_PB_TYPE_UINT64, false}, /* entity */
    {11866, 2, ORMA_PB_TYPE_UINT64, false}, /* fence */
    {11872, 3, ORMA_PB_TYPE_INT32, false}, /* hw_job_count */
    {1654, 4, ORMA_PB_TYPE_UINT64, false}, /* id */
    {11885, 5, ORMA_PB_TYPE_UINT32, false}, /* job_count */
    {170, 6, ORMA_PB_TYPE_STRING, false}, /* name */
    {11859, 1, ORMA_PB_TYPE_UINT64, false}, /* entity */
    {11866, 2, ORMA_PB_TYPE_UINT64, false}, /* fence */
    {11872, 3, ORMA_PB_TYPE_INT32, false}, /* hw_job_count */
    {1654, 4, ORMA_PB_TYPE_UINT64, false}, /* id */
    {11885, 5, ORMA_PB_TYPE_UINT32, false}, /* job_count */
    {170, 6, ORMA_PB_TYPE_STRING, false}, /* name */
    {11866, 1, ORMA_PB_TYPE_UINT64, false}, /* fence */
    {9048, 1, ORMA_PB_TYPE_UINT32, false}, /* context */
    {9056, 2, ORMA_PB_TYPE_STRING, false}, /* driver */
    {9063, 3, ORMA_PB_TYPE_UINT32, false}, /* seqno */
    {712, 4, ORMA_PB_TYPE_STRING, false}, /* timeline */
    {9048, 1, ORMA_PB_TYPE_UINT32, false}, /* context */
    {9056, 2, ORMA_PB_TYPE_STRING, false}, /* driver */
    {9063, 3, ORMA_PB_TYPE_UINT32, false}, /* seqno */
    {712, 4, ORMA_PB_TYPE_STRING, false}, /* timeline */
    {9048, 1, ORMA_PB_TYPE_UINT32, false}, /* context */
    {9056, 2, ORMA_PB_TYPE_STRING, false}, /* driver */
    {9063, 3, ORMA_PB_TYPE_UINT32, false}, /* seqno */
    {712, 4, ORMA_PB_TYPE_STRING, false}, /* timeline */
    {9048, 1, ORMA_PB_TYPE_UINT32, false}, /* context */
    {9056, 2, ORMA_PB_TYPE_STRING, false}, /* driver */
    {9063, 3, ORMA_PB_TYPE_UINT32, false}, /* seqno */
    {712, 4, ORMA_PB_TYPE_STRING, false}, /* timeline */
    {9048, 1, ORMA_PB_TYPE_UINT32, false}, /* context */
    {9056, 2, ORMA_PB_TYPE_STRING, false}, /* driver */
    {9063, 3, ORMA_PB_TYPE_UINT32, false}, /* seqno */
    {712, 4, ORMA_PB_TYPE_STRING, false}, /* timeline */
    {12032, 1, ORMA_PB_TYPE_UINT64, false}, /* app_bio */
    {12040, 2, ORMA_PB_TYPE_UINT64, false}, /* app_brio */
    {12049, 3, ORMA_PB_TYPE_UINT64, false}, /* app_dio */
    {12057, 4, ORMA_PB_TYPE_UINT64, false}, /* app_drio */
    {12066, 5, ORMA_PB_TYPE_UINT64, false}, /* app_mio */
    {12074, 6, ORMA_PB_TYPE_UINT64, false}, /* app_mrio */
    {12083, 7, ORMA_PB_TYPE_UINT64, false}, /* app_rio */
    {12091, 8, ORMA_PB_TYPE_UINT64, false}, /* app_wio */
    {765, 9, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {12099, 10, ORMA_PB_TYPE_UINT64, false}, /* fs_cdrio */
    {12108, 11, ORMA_PB_TYPE_UINT64, false}, /* fs_cp_dio */
    {12118, 12, ORMA_PB_TYPE_UINT64, false}, /* fs_cp_mio */
    {12128, 13, ORMA_PB_TYPE_UINT64, false}, /* fs_cp_nio */
    {12138, 14, ORMA_PB_TYPE_UINT64, false}, /* fs_dio */
    {12145, 15, ORMA_PB_TYPE_UINT64, false}, /* fs_discard */
    {12156, 16, ORMA_PB_TYPE_UINT64, false}, /* fs_drio */
    {12164, 17, ORMA_PB_TYPE_UINT64, false}, /* fs_gc_dio */
    {12174, 18, ORMA_PB_TYPE_UINT64, false}, /* fs_gc_nio */
    {12184, 19, ORMA_PB_TYPE_UINT64, false}, /* fs_gdrio */
    {12193, 20, ORMA_PB_TYPE_UINT64, false}, /* fs_mio */
    {12200, 21, ORMA_PB_TYPE_UINT64, false}, /* fs_mrio */
    {12208, 22, ORMA_PB_TYPE_UINT64, false}, /* fs_nio */
    {12215, 23, ORMA_PB_TYPE_UINT64, false}, /* fs_nrio */
    {12235, 1, ORMA_PB_TYPE_UINT32, false}, /* d_rd_avg */
    {12244, 2, ORMA_PB_TYPE_UINT32, false}, /* d_rd_cnt */
    {12253, 3, ORMA_PB_TYPE_UINT32, false}, /* d_rd_peak */
    {12263, 4, ORMA_PB_TYPE_UINT32, false}, /* d_wr_as_avg */
    {12275, 5, ORMA_PB_TYPE_UINT32, false}, /* d_wr_as_cnt */
    {12287, 6, ORMA_PB_TYPE_UINT32, false}, /* d_wr_as_peak */
    {12300, 7, ORMA_PB_TYPE_UINT32, false}, /* d_wr_s_avg */
    {12311, 8, ORMA_PB_TYPE_UINT32, false}, /* d_wr_s_cnt */
    {12322, 9, ORMA_PB_TYPE_UINT32, false}, /* d_wr_s_peak */
    {765, 10, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {12334, 11, ORMA_PB_TYPE_UINT32, false}, /* m_rd_avg */
    {12343, 12, ORMA_PB_TYPE_UINT32, false}, /* m_rd_cnt */
    {12352, 13, ORMA_PB_TYPE_UINT32, false}, /* m_rd_peak */
    {12362, 14, ORMA_PB_TYPE_UINT32, false}, /* m_wr_as_avg */
    {12374, 15, ORMA_PB_TYPE_UINT32, false}, /* m_wr_as_cnt */
    {12386, 16, ORMA_PB_TYPE_UINT32, false}, /* m_wr_as_peak */
    {12399, 17, ORMA_PB_TYPE_UINT32, false}, /* m_wr_s_avg */
    {12410, 18, ORMA_PB_TYPE_UINT32, false}, /* m_wr_s_cnt */
    {12421, 19, ORMA_PB_TYPE_UINT32, false}, /* m_wr_s_peak */
    {12433, 20, ORMA_PB_TYPE_UINT32, false}, /* n_rd_avg */
    {12442, 21, ORMA_PB_TYPE_UINT32, false}, /* n_rd_cnt */
    {12451, 22, ORMA_PB_TYPE_UINT32, false}, /* n_rd_peak */
    {12461, 23, ORMA_PB_TYPE_UINT32, false}, /* n_wr_as_avg */
    {12473, 24, ORMA_PB_TYPE_UINT32, false}, /* n_wr_as_cnt */
    {12485, 25, ORMA_PB_TYPE_UINT32, false}, /* n_wr_as_peak */
    {12498, 26, ORMA_PB_TYPE_UINT32, false}, /* n_wr_s_avg */
    {12509, 27, ORMA_PB_TYPE_UINT32, false}, /* n_wr_s_cnt */
    {12520, 28, ORMA_PB_TYPE_UINT32, false}, /* n_wr_s_peak */
    {12552, 1, ORMA_PB_TYPE_INT32, false}, /* active */
    {12559, 2, ORMA_PB_TYPE_UINT64, false}, /* capacity */
    {12568, 3, ORMA_PB_TYPE_UINT64, false}, /* capacity_orig */
    {1378, 4, ORMA_PB_TYPE_UINT32, false}, /* cpu */
    {12582, 5, ORMA_PB_TYPE_UINT64, false}, /* cpu_importance */
    {12597, 6, ORMA_PB_TYPE_UINT64, false}, /* cpu_util */
    {12606, 7, ORMA_PB_TYPE_UINT32, false}, /* exit_lat */
    {12615, 8, ORMA_PB_TYPE_UINT64, false}, /* group_capacity */
    {12630, 9, ORMA_PB_TYPE_UINT32, false}, /* grp_overutilized */
    {12647, 10, ORMA_PB_TYPE_UINT32, false}, /* idle_cpu */
    {12656, 11, ORMA_PB_TYPE_UINT32, false}, /* nr_running */
    {12667, 12, ORMA_PB_TYPE_INT64, false}, /* spare_cap */
    {12677, 13, ORMA_PB_TYPE_UINT32, false}, /* task_fits */
    {12687, 14, ORMA_PB_TYPE_UINT64, false}, /* wake_group_util */
    {12703, 15, ORMA_PB_TYPE_UINT64, false}, /* wake_util */
    {12732, 1, ORMA_PB_TYPE_UINT32, false}, /* bytesused */
    {9324, 2, ORMA_PB_TYPE_UINT32, false}, /* field */
    {472, 3, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {2759, 4, ORMA_PB_TYPE_UINT32, false}, /* index */
    {12742, 5, ORMA_PB_TYPE_INT32, false}, /* minor */
    {12748, 6, ORMA_PB_TYPE_UINT32, false}, /* sequence */
    {12757, 7, ORMA_PB_TYPE_UINT32, false}, /* timecode_flags */
    {12772, 8, ORMA_PB_TYPE_UINT32, false}, /* timecode_frames */
    {12788, 9, ORMA_PB_TYPE_UINT32, false}, /* timecode_hours */
    {12803, 10, ORMA_PB_TYPE_UINT32, false}, /* timecode_minutes */
    {12820, 11, ORMA_PB_TYPE_UINT32, false}, /* timecode_seconds */
    {12837, 12, ORMA_PB_TYPE_UINT32, false}, /* timecode_type */
    {12851, 13, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits0 */
    {12870, 14, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits1 */
    {12889, 15, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits2 */
    {12908, 16, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits3 */
    {12927, 17, ORMA_PB_TYPE_INT64, false}, /* timestamp */
    {7149, 18, ORMA_PB_TYPE_UINT32, false}, /* type */
    {12732, 1, ORMA_PB_TYPE_UINT32, false}, /* bytesused */
    {9324, 2, ORMA_PB_TYPE_UINT32, false}, /* field */
    {472, 3, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {2759, 4, ORMA_PB_TYPE_UINT32, false}, /* index */
    {12742, 5, ORMA_PB_TYPE_INT32, false}, /* minor */
    {12748, 6, ORMA_PB_TYPE_UINT32, false}, /* sequence */
    {12757, 7, ORMA_PB_TYPE_UINT32, false}, /* timecode_flags */
    {12772, 8, ORMA_PB_TYPE_UINT32, false}, /* timecode_frames */
    {12788, 9, ORMA_PB_TYPE_UINT32, false}, /* timecode_hours */
    {12803, 10, ORMA_PB_TYPE_UINT32, false}, /* timecode_minutes */
    {12820, 11, ORMA_PB_TYPE_UINT32, false}, /* timecode_seconds */
    {12837, 12, ORMA_PB_TYPE_UINT32, false}, /* timecode_type */
    {12851, 13, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits0 */
    {12870, 14, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits1 */
    {12889, 15, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits2 */
    {12908, 16, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits3 */
    {12927, 17, ORMA_PB_TYPE_INT64, false}, /* timestamp */
    {7149, 18, ORMA_PB_TYPE_UINT32, false}, /* type */
    {9324, 1, ORMA_PB_TYPE_UINT32, false}, /* field */
    {472, 2, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {12742, 3, ORMA_PB_TYPE_INT32, false}, /* minor */
    {12748, 4, ORMA_PB_TYPE_UINT32, false}, /* sequence */
    {12757, 5, ORMA_PB_TYPE_UINT32, false}, /* timecode_flags */
    {12772, 6, ORMA_PB_TYPE_UINT32, false}, /* timecode_frames */
    {12788, 7, ORMA_PB_TYPE_UINT32, false}, /* timecode_hours */
    {12803, 8, ORMA_PB_TYPE_UINT32, false}, /* timecode_minutes */
    {12820, 9, ORMA_PB_TYPE_UINT32, false}, /* timecode_seconds */
    {12837, 10, ORMA_PB_TYPE_UINT32, false}, /* timecode_type */
    {12851, 11, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits0 */
    {12870, 12, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits1 */
    {12889, 13, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits2 */
    {12908, 14, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits3 */
    {12927, 15, ORMA_PB_TYPE_INT64, false}, /* timestamp */
    {9324, 1, ORMA_PB_TYPE_UINT32, false}, /* field */
    {472, 2, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {12742, 3, ORMA_PB_TYPE_INT32, false}, /* minor */
    {12748, 4, ORMA_PB_TYPE_UINT32, false}, /* sequence */
    {12757, 5, ORMA_PB_TYPE_UINT32, false}, /* timecode_flags */
    {12772, 6, ORMA_PB_TYPE_UINT32, false}, /* timecode_frames */
    {12788, 7, ORMA_PB_TYPE_UINT32, false}, /* timecode_hours */
    {12803, 8, ORMA_PB_TYPE_UINT32, false}, /* timecode_minutes */
    {12820, 9, ORMA_PB_TYPE_UINT32, false}, /* timecode_seconds */
    {12837, 10, ORMA_PB_TYPE_UINT32, false}, /* timecode_type */
    {12851, 11, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits0 */
    {12870, 12, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits1 */
    {12889, 13, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits2 */
    {12908, 14, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits3 */
    {12927, 15, ORMA_PB_TYPE_INT64, false}, /* timestamp */
    {9324, 1, ORMA_PB_TYPE_UINT32, false}, /* field */
    {472, 2, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {12742, 3, ORMA_PB_TYPE_INT32, false}, /* minor */
    {12748, 4, ORMA_PB_TYPE_UINT32, false}, /* sequence */
    {12757, 5, ORMA_PB_TYPE_UINT32, false}, /* timecode_flags */
    {12772, 6, ORMA_PB_TYPE_UINT32, false}, /* timecode_frames */
    {12788, 7, ORMA_PB_TYPE_UINT32, false}, /* timecode_hours */
    {12803, 8, ORMA_PB_TYPE_UINT32, false}, /* timecode_minutes */
    {12820, 9, ORMA_PB_TYPE_UINT32, false}, /* timecode_seconds */
    {12837, 10, ORMA_PB_TYPE_UINT32, false}, /* timecode_type */
    {12851, 11, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits0 */
    {12870, 12, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits1 */
    {12889, 13, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits2 */
    {12908, 14, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits3 */
    {12927, 15, ORMA_PB_TYPE_INT64, false}, /* timestamp */
    {9324, 1, ORMA_PB_TYPE_UINT32, false}, /* field */
    {472, 2, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {12742, 3, ORMA_PB_TYPE_INT32, false}, /* minor */
    {12748, 4, ORMA_PB_TYPE_UINT32, false}, /* sequence */
    {12757, 5, ORMA_PB_TYPE_UINT32, false}, /* timecode_flags */
    {12772, 6, ORMA_PB_TYPE_UINT32, false}, /* timecode_frames */
    {12788, 7, ORMA_PB_TYPE_UINT32, false}, /* timecode_hours */
    {12803, 8, ORMA_PB_TYPE_UINT32, false}, /* timecode_minutes */
    {12820, 9, ORMA_PB_TYPE_UINT32, false}, /* timecode_seconds */
    {12837, 10, ORMA_PB_TYPE_UINT32, false}, /* timecode_type */
    {12851, 11, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits0 */
    {12870, 12, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits1 */
    {12889, 13, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits2 */
    {12908, 14, ORMA_PB_TYPE_UINT32, false}, /* timecode_userbits3 */
    {12927, 15, ORMA_PB_TYPE_INT64, false}, /* timestamp */
    {13024, 1, ORMA_PB_TYPE_UINT32, false}, /* header */
    {13031, 2, ORMA_PB_TYPE_UINT32, false}, /* payload */
    {907, 1, ORMA_PB_TYPE_UINT32, false}, /* cmd */
    {13059, 3, ORMA_PB_TYPE_BYTES, false}, /* rx_buf */
    {13073, 1, ORMA_PB_TYPE_UINT32, false}, /* last */
    {7149, 3, ORMA_PB_TYPE_UINT32, false}, /* type */
    {13078, 4, ORMA_PB_TYPE_BYTES, false}, /* tx_buf */
    {896, 1, ORMA_PB_TYPE_INT32, false}, /* bytes */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3970, 3, ORMA_PB_TYPE_INT64, false}, /* offset */
    {896, 1, ORMA_PB_TYPE_INT32, false}, /* bytes */
    {13116, 2, ORMA_PB_TYPE_STRING, false}, /* cmdline */
    {13124, 3, ORMA_PB_TYPE_INT64, false}, /* i_size */
    {769, 4, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3970, 5, ORMA_PB_TYPE_INT64, false}, /* offset */
    {13131, 6, ORMA_PB_TYPE_STRING, false}, /* pathbuf */
    {222, 7, ORMA_PB_TYPE_INT32, false}, /* pid */
    {896, 1, ORMA_PB_TYPE_INT32, false}, /* bytes */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3970, 3, ORMA_PB_TYPE_INT64, false}, /* offset */
    {896, 1, ORMA_PB_TYPE_INT32, false}, /* bytes */
    {13116, 2, ORMA_PB_TYPE_STRING, false}, /* cmdline */
    {13124, 3, ORMA_PB_TYPE_INT64, false}, /* i_size */
    {769, 4, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3970, 5, ORMA_PB_TYPE_INT64, false}, /* offset */
    {13131, 6, ORMA_PB_TYPE_STRING, false}, /* pathbuf */
    {222, 7, ORMA_PB_TYPE_INT32, false}, /* pid */
    {896, 1, ORMA_PB_TYPE_INT32, false}, /* bytes */
    {769, 2, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {3970, 3, ORMA_PB_TYPE_INT64, false}, /* offset */
    {13116, 1, ORMA_PB_TYPE_STRING, false}, /* cmdline */
    {13124, 2, ORMA_PB_TYPE_INT64, false}, /* i_size */
    {769, 3, ORMA_PB_TYPE_UINT64, false}, /* ino */
    {13131, 4, ORMA_PB_TYPE_STRING, false}, /* pathbuf */
    {222, 5, ORMA_PB_TYPE_INT32, false}, /* pid */
    {5138, 1, ORMA_PB_TYPE_INT32, false}, /* depth */
    {13261, 2, ORMA_PB_TYPE_UINT64, false}, /* func */
    {13282, 1, ORMA_PB_TYPE_UINT64, false}, /* calltime */
    {5138, 2, ORMA_PB_TYPE_INT32, false}, /* depth */
    {13261, 3, ORMA_PB_TYPE_UINT64, false}, /* func */
    {13291, 4, ORMA_PB_TYPE_UINT64, false}, /* overrun */
    {13299, 5, ORMA_PB_TYPE_UINT64, false}, /* rettime */
    {13322, 1, ORMA_PB_TYPE_UINT32, false}, /* stream_id */
    {7149, 2, ORMA_PB_TYPE_UINT32, false}, /* type */
    {13322, 1, ORMA_PB_TYPE_UINT32, false}, /* stream_id */
    {7149, 2, ORMA_PB_TYPE_UINT32, false}, /* type */
    {13371, 1, ORMA_PB_TYPE_UINT32, false}, /* data_size0 */
    {13382, 2, ORMA_PB_TYPE_UINT32, false}, /* data_size1 */
    {13393, 3, ORMA_PB_TYPE_UINT32, false}, /* data_size2 */
    {13404, 4, ORMA_PB_TYPE_UINT32, false}, /* data_size3 */
    {13415, 5, ORMA_PB_TYPE_UINT32, false}, /* queue_type */
    {13426, 6, ORMA_PB_TYPE_INT32, false}, /* resource_id */
    {13322, 7, ORMA_PB_TYPE_INT32, false}, /* stream_id */
    {12927, 8, ORMA_PB_TYPE_UINT64, false}, /* timestamp */
    {13371, 1, ORMA_PB_TYPE_UINT32, false}, /* data_size0 */
    {13382, 2, ORMA_PB_TYPE_UINT32, false}, /* data_size1 */
    {13393, 3, ORMA_PB_TYPE_UINT32, false}, /* data_size2 */
    {13404, 4, ORMA_PB_TYPE_UINT32, false}, /* data_size3 */
    {13415, 5, ORMA_PB_TYPE_UINT32, false}, /* queue_type */
    {13426, 6, ORMA_PB_TYPE_INT32, false}, /* resource_id */
    {13322, 7, ORMA_PB_TYPE_INT32, false}, /* stream_id */
    {12927, 8, ORMA_PB_TYPE_UINT64, false}, /* timestamp */
    {13499, 1, ORMA_PB_TYPE_UINT64, false}, /* cache_items */
    {10456, 2, ORMA_PB_TYPE_UINT64, false}, /* delta */
    {946, 3, ORMA_PB_TYPE_UINT32, false}, /* gfp_flags */
    {13511, 4, ORMA_PB_TYPE_UINT64, false}, /* lru_pgs */
    {13519, 5, ORMA_PB_TYPE_INT64, false}, /* nr_objects_to_shrink */
    {13540, 6, ORMA_PB_TYPE_UINT64, false}, /* pgs_scanned */
    {13552, 7, ORMA_PB_TYPE_UINT64, false}, /* shr */
    {13556, 8, ORMA_PB_TYPE_UINT64, false}, /* shrink */
    {13563, 9, ORMA_PB_TYPE_UINT64, false}, /* total_scan */
    {1029, 10, ORMA_PB_TYPE_INT32, false}, /* nid */
    {13574, 11, ORMA_PB_TYPE_INT32, false}, /* priority */
    {13604, 1, ORMA_PB_TYPE_INT64, false}, /* new_scan */
    {13613, 2, ORMA_PB_TYPE_INT32, false}, /* retval */
    {13552, 3, ORMA_PB_TYPE_UINT64, false}, /* shr */
    {13556, 4, ORMA_PB_TYPE_UINT64, false}, /* shrink */
    {13563, 5, ORMA_PB_TYPE_INT64, false}, /* total_scan */
    {13620, 6, ORMA_PB_TYPE_INT64, false}, /* unused_scan */
    {1029, 7, ORMA_PB_TYPE_INT32, false}, /* nid */
    {11092, 1, ORMA_PB_TYPE_UINT64, false}, /* r0 */
    {13651, 2, ORMA_PB_TYPE_UINT64, false}, /* r1 */
    {13654, 3, ORMA_PB_TYPE_UINT64, false}, /* r2 */
    {13657, 4, ORMA_PB_TYPE_UINT64, false}, /* r3 */
    {509, 1, ORMA_PB_TYPE_UINT64, false}, /* ret */
    {11092, 1, ORMA_PB_TYPE_UINT64, false}, /* r0 */
    {13651, 2, ORMA_PB_TYPE_UINT64, false}, /* r1 */
    {13654, 3, ORMA_PB_TYPE_UINT64, false}, /* r2 */
    {13657, 4, ORMA_PB_TYPE_UINT64, false}, /* r3 */
    {509, 1, ORMA_PB_TYPE_INT64, false}, /* ret */
    {478, 1, ORMA_PB_TYPE_UINT64, false}, /* len */
    {13728, 2, ORMA_PB_TYPE_UINT32, false}, /* lend */
    {13733, 3, ORMA_PB_TYPE_UINT32, false}, /* nents */
    {13759, 1, ORMA_PB_TYPE_UINT64, false}, /* handle */
    {478, 2, ORMA_PB_TYPE_UINT64, false}, /* len */
    {13728, 3, ORMA_PB_TYPE_UINT32, false}, /* lend */
    {13733, 4, ORMA_PB_TYPE_UINT32, false}, /* nents */
    {509, 5, ORMA_PB_TYPE_INT32, false}, /* ret */
    {1654, 1, ORMA_PB_TYPE_UINT64, false}, /* id */
    {1654, 1, ORMA_PB_TYPE_UINT64, false}, /* id */
    {509, 2, ORMA_PB_TYPE_INT32, false}, /* ret */
    {665, 1, ORMA_PB_TYPE_INT32, false}, /* irq */
    {13851, 1, ORMA_PB_TYPE_UINT32, false}, /* chan */
    {13856, 2, ORMA_PB_TYPE_UINT32, false}, /* event_id */
    {13865, 3, ORMA_PB_TYPE_STRING, false}, /* srv_name */
    {13851, 1, ORMA_PB_TYPE_UINT32, false}, /* chan */
    {13898, 2, ORMA_PB_TYPE_STRING, false}, /* port */
    {95, 3, ORMA_PB_TYPE_INT32, false}, /* state */
    {13851, 1, ORMA_PB_TYPE_UINT32, false}, /* chan */
    {7711, 2, ORMA_PB_TYPE_INT32, false}, /* err */
    {95, 3, ORMA_PB_TYPE_INT32, false}, /* state */
    {13945, 1, ORMA_PB_TYPE_UINT64, false}, /* buf_id */
    {13851, 2, ORMA_PB_TYPE_UINT32, false}, /* chan */
    {13952, 3, ORMA_PB_TYPE_INT32, false}, /* kind_shm */
    {13961, 4, ORMA_PB_TYPE_INT32, false}, /* len_or_err */
    {13972, 5, ORMA_PB_TYPE_UINT64, false}, /* shm_cnt */
    {13865, 6, ORMA_PB_TYPE_STRING, false}, /* srv_name */
    {13851, 1, ORMA_PB_TYPE_UINT32, false}, /* chan */
    {13997, 2, ORMA_PB_TYPE_UINT32, false}, /* poll_mask */
    {13865, 3, ORMA_PB_TYPE_STRING, false}, /* srv_name */
    {13851, 1, ORMA_PB_TYPE_UINT32, false}, /* chan */
    {13865, 2, ORMA_PB_TYPE_STRING, false}, /* srv_name */
    {13945, 1, ORMA_PB_TYPE_UINT64, false}, /* buf_id */
    {13851, 2, ORMA_PB_TYPE_UINT32, false}, /* chan */
    {13961, 3, ORMA_PB_TYPE_INT32, false}, /* len_or_err */
    {13972, 4, ORMA_PB_TYPE_UINT64, false}, /* shm_cnt */
    {13865, 5, ORMA_PB_TYPE_STRING, false}, /* srv_name */
    {13945, 1, ORMA_PB_TYPE_UINT64, false}, /* buf_id */
    {13851, 2, ORMA_PB_TYPE_UINT32, false}, /* chan */
    {13865, 3, ORMA_PB_TYPE_STRING, false}, /* srv_name */
    {14073, 1, ORMA_PB_TYPE_UINT32, false}, /* arg1 */
    {14078, 2, ORMA_PB_TYPE_UINT32, false}, /* arg2 */
    {14083, 3, ORMA_PB_TYPE_UINT32, false}, /* arg3 */
    {8276, 1, ORMA_PB_TYPE_UINT32, false}, /* align */
    {4370, 2, ORMA_PB_TYPE_UINT32, false}, /* count */
    {170, 3, ORMA_PB_TYPE_STRING, false}, /* name */
    {8276, 1, ORMA_PB_TYPE_UINT32, false}, /* align */
    {4370, 2, ORMA_PB_TYPE_UINT32, false}, /* count */
    {14123, 3, ORMA_PB_TYPE_UINT32, false}, /* err_iso */
    {14131, 4, ORMA_PB_TYPE_UINT32, false}, /* err_mig */
    {14139, 5, ORMA_PB_TYPE_UINT32, false}, /* err_test */
    {170, 6, ORMA_PB_TYPE_STRING, false}, /* name */
    {14148, 7, ORMA_PB_TYPE_UINT64, false}, /* nr_mapped */
    {3260, 8, ORMA_PB_TYPE_UINT64, false}, /* nr_migrated */
    {987, 9, ORMA_PB_TYPE_UINT64, false}, /* nr_reclaimed */
    {2749, 10, ORMA_PB_TYPE_UINT64, false}, /* pfn */
    {14173, 1, ORMA_PB_TYPE_STRING, false}, /* lwis_name */
    {7149, 2, ORMA_PB_TYPE_UINT32, false}, /* type */
    {222, 3, ORMA_PB_TYPE_INT32, false}, /* pid */
    {14183, 4, ORMA_PB_TYPE_STRING, false}, /* func_name */
    {721, 5, ORMA_PB_TYPE_INT64, false}, /* value */
    {14217, 1, ORMA_PB_TYPE_UINT32, false}, /* ctx_id */
    {765, 2, ORMA_PB_TYPE_INT32, false}, /* dev */
    {14224, 3, ORMA_PB_TYPE_UINT64, false}, /* fence_id */
    {472, 4, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {170, 5, ORMA_PB_TYPE_STRING, false}, /* name */
    {14233, 6, ORMA_PB_TYPE_UINT32, false}, /* num_free */
    {9063, 7, ORMA_PB_TYPE_UINT32, false}, /* seqno */
    {7149, 8, ORMA_PB_TYPE_UINT32, false}, /* type */
    {14242, 9, ORMA_PB_TYPE_UINT32, false}, /* vq */
    {14217, 1, ORMA_PB_TYPE_UINT32, false}, /* ctx_id */
    {765, 2, ORMA_PB_TYPE_INT32, false}, /* dev */
    {14224, 3, ORMA_PB_TYPE_UINT64, false}, /* fence_id */
    {472, 4, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {170, 5, ORMA_PB_TYPE_STRING, false}, /* name */
    {14233, 6, ORMA_PB_TYPE_UINT32, false}, /* num_free */
    {9063, 7, ORMA_PB_TYPE_UINT32, false}, /* seqno */
    {7149, 8, ORMA_PB_TYPE_UINT32, false}, /* type */
    {14242, 9, ORMA_PB_TYPE_UINT32, false}, /* vq */
    {1654, 1, ORMA_PB_TYPE_UINT32, false}, /* id */
    {14290, 2, ORMA_PB_TYPE_UINT64, false}, /* info_val1 */
    {14300, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val2 */
    {14310, 4, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14318, 5, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {1654, 1, ORMA_PB_TYPE_UINT32, false}, /* id */
    {14290, 2, ORMA_PB_TYPE_UINT64, false}, /* info_val1 */
    {14300, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val2 */
    {14310, 4, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14318, 5, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {1654, 1, ORMA_PB_TYPE_UINT32, false}, /* id */
    {14290, 2, ORMA_PB_TYPE_UINT64, false}, /* info_val1 */
    {14300, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val2 */
    {14310, 4, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14318, 5, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14290, 1, ORMA_PB_TYPE_UINT64, false}, /* info_val1 */
    {14300, 2, ORMA_PB_TYPE_UINT64, false}, /* info_val2 */
    {14318, 3, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 4, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {1654, 5, ORMA_PB_TYPE_UINT32, false}, /* id */
    {14290, 1, ORMA_PB_TYPE_UINT64, false}, /* info_val1 */
    {14300, 2, ORMA_PB_TYPE_UINT64, false}, /* info_val2 */
    {14318, 3, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 4, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {1654, 5, ORMA_PB_TYPE_UINT32, false}, /* id */
    {14290, 1, ORMA_PB_TYPE_UINT64, false}, /* info_val1 */
    {14300, 2, ORMA_PB_TYPE_UINT64, false}, /* info_val2 */
    {14318, 3, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 4, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {1654, 5, ORMA_PB_TYPE_UINT32, false}, /* id */
    {1654, 1, ORMA_PB_TYPE_UINT32, false}, /* id */
    {14518, 2, ORMA_PB_TYPE_UINT32, false}, /* invalid */
    {1654, 1, ORMA_PB_TYPE_UINT64, false}, /* id */
    {14537, 2, ORMA_PB_TYPE_UINT32, false}, /* forwarded */
    {14556, 1, ORMA_PB_TYPE_UINT64, false}, /* esr */
    {467, 2, ORMA_PB_TYPE_UINT64, false}, /* addr */
    {3414, 1, ORMA_PB_TYPE_UINT32, false}, /* start */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {2026, 2, ORMA_PB_TYPE_STRING, false}, /* trace_name */
    {2037, 3, ORMA_PB_TYPE_UINT32, false}, /* trace_begin */
    {9425, 4, ORMA_PB_TYPE_UINT32, false}, /* trace_type */
    {721, 5, ORMA_PB_TYPE_INT32, false}, /* value */
    {907, 1, ORMA_PB_TYPE_UINT32, false}, /* cmd */
    {907, 1, ORMA_PB_TYPE_UINT32, false}, /* cmd */
    {6865, 1, ORMA_PB_TYPE_INT32, false}, /* old_pid */
    {14721, 2, ORMA_PB_TYPE_INT32, false}, /* new_pid */
    {14729, 3, ORMA_PB_TYPE_UINT64, false}, /* cctr */
    {14734, 4, ORMA_PB_TYPE_UINT64, false}, /* ctr0 */
    {14739, 5, ORMA_PB_TYPE_UINT64, false}, /* ctr1 */
    {14744, 6, ORMA_PB_TYPE_UINT64, false}, /* ctr2 */
    {14749, 7, ORMA_PB_TYPE_UINT64, false}, /* ctr3 */
    {14754, 8, ORMA_PB_TYPE_UINT32, false}, /* lctr0 */
    {14760, 9, ORMA_PB_TYPE_UINT32, false}, /* lctr1 */
    {14766, 10, ORMA_PB_TYPE_UINT64, false}, /* ctr4 */
    {14771, 11, ORMA_PB_TYPE_UINT64, false}, /* ctr5 */
    {13, 12, ORMA_PB_TYPE_STRING, false}, /* prev_comm */
    {23, 13, ORMA_PB_TYPE_INT32, false}, /* prev_pid */
    {14776, 14, ORMA_PB_TYPE_UINT32, false}, /* cyc */
    {14780, 15, ORMA_PB_TYPE_UINT32, false}, /* inst */
    {14785, 16, ORMA_PB_TYPE_UINT32, false}, /* stallbm */
    {14793, 17, ORMA_PB_TYPE_UINT32, false}, /* l3dm */
    {63, 18, ORMA_PB_TYPE_INT32, false}, /* next_pid */
    {53, 19, ORMA_PB_TYPE_STRING, false}, /* next_comm */
    {42, 20, ORMA_PB_TYPE_INT64, false}, /* prev_state */
    {14798, 21, ORMA_PB_TYPE_UINT64, false}, /* amu0 */
    {14803, 22, ORMA_PB_TYPE_UINT64, false}, /* amu1 */
    {14808, 23, ORMA_PB_TYPE_UINT64, false}, /* amu2 */
    {9404, 1, ORMA_PB_TYPE_UINT32, false}, /* gpu_id */
    {5454, 2, ORMA_PB_TYPE_UINT32, false}, /* uid */
    {14836, 3, ORMA_PB_TYPE_UINT64, false}, /* start_time_ns */
    {14850, 4, ORMA_PB_TYPE_UINT64, false}, /* end_time_ns */
    {14862, 5, ORMA_PB_TYPE_UINT64, false}, /* total_active_duration_ns */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {318, 2, ORMA_PB_TYPE_INT32, false}, /* status */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {2026, 2, ORMA_PB_TYPE_STRING, false}, /* trace_name */
    {2037, 3, ORMA_PB_TYPE_UINT32, false}, /* trace_begin */
    {170, 4, ORMA_PB_TYPE_STRING, false}, /* name */
    {7149, 5, ORMA_PB_TYPE_UINT32, false}, /* type */
    {721, 6, ORMA_PB_TYPE_INT32, false}, /* value */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {226, 3, ORMA_PB_TYPE_INT32, false}, /* prio */
    {14934, 4, ORMA_PB_TYPE_INT32, false}, /* orig_cpu */
    {14943, 5, ORMA_PB_TYPE_INT32, false}, /* dest_cpu */
    {14952, 6, ORMA_PB_TYPE_INT32, false}, /* running */
    {10964, 7, ORMA_PB_TYPE_UINT32, false}, /* load */
    {13024, 1, ORMA_PB_TYPE_UINT32, false}, /* header */
    {13031, 2, ORMA_PB_TYPE_UINT32, false}, /* payload */
    {907, 1, ORMA_PB_TYPE_UINT32, false}, /* cmd */
    {13059, 3, ORMA_PB_TYPE_BYTES, false}, /* rx_buf */
    {7149, 1, ORMA_PB_TYPE_UINT32, false}, /* type */
    {13073, 3, ORMA_PB_TYPE_UINT32, false}, /* last */
    {15014, 4, ORMA_PB_TYPE_UINT32, false}, /* delay_ms */
    {13078, 5, ORMA_PB_TYPE_BYTES, false}, /* tx_buf */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {15034, 2, ORMA_PB_TYPE_UINT32, false}, /* wait_ms */
    {7208, 3, ORMA_PB_TYPE_UINT32, false}, /* prefree */
    {645, 4, ORMA_PB_TYPE_UINT32, false}, /* free */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {2880, 2, ORMA_PB_TYPE_UINT32, false}, /* sync */
    {15061, 3, ORMA_PB_TYPE_UINT32, false}, /* background */
    {15072, 4, ORMA_PB_TYPE_INT64, false}, /* dirty_nodes */
    {15084, 5, ORMA_PB_TYPE_INT64, false}, /* dirty_dents */
    {15096, 6, ORMA_PB_TYPE_INT64, false}, /* dirty_imeta */
    {15108, 7, ORMA_PB_TYPE_UINT32, false}, /* free_sec */
    {15117, 8, ORMA_PB_TYPE_UINT32, false}, /* free_seg */
    {15126, 9, ORMA_PB_TYPE_INT32, false}, /* reserved_seg */
    {15139, 10, ORMA_PB_TYPE_UINT32, false}, /* prefree_seg */
    {7154, 11, ORMA_PB_TYPE_INT32, false}, /* gc_type */
    {15151, 12, ORMA_PB_TYPE_UINT32, false}, /* no_bg_gc */
    {15160, 13, ORMA_PB_TYPE_UINT32, false}, /* nr_free_secs */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {509, 2, ORMA_PB_TYPE_INT32, false}, /* ret */
    {15187, 3, ORMA_PB_TYPE_INT32, false}, /* seg_freed */
    {15197, 4, ORMA_PB_TYPE_INT32, false}, /* sec_freed */
    {15072, 5, ORMA_PB_TYPE_INT64, false}, /* dirty_nodes */
    {15084, 6, ORMA_PB_TYPE_INT64, false}, /* dirty_dents */
    {15096, 7, ORMA_PB_TYPE_INT64, false}, /* dirty_imeta */
    {15108, 8, ORMA_PB_TYPE_UINT32, false}, /* free_sec */
    {15117, 9, ORMA_PB_TYPE_UINT32, false}, /* free_seg */
    {15126, 10, ORMA_PB_TYPE_INT32, false}, /* reserved_seg */
    {15139, 11, ORMA_PB_TYPE_UINT32, false}, /* prefree_seg */
    {9714, 1, ORMA_PB_TYPE_INT32, false}, /* cid */
    {15219, 2, ORMA_PB_TYPE_UINT64, false}, /* phys */
    {3580, 3, ORMA_PB_TYPE_UINT64, false}, /* size */
    {9714, 1, ORMA_PB_TYPE_INT32, false}, /* cid */
    {15219, 2, ORMA_PB_TYPE_UINT64, false}, /* phys */
    {3580, 3, ORMA_PB_TYPE_UINT64, false}, /* size */
    {15241, 4, ORMA_PB_TYPE_UINT64, false}, /* attr */
    {5080, 5, ORMA_PB_TYPE_INT32, false}, /* mflags */
    {9714, 1, ORMA_PB_TYPE_INT32, false}, /* cid */
    {15219, 2, ORMA_PB_TYPE_UINT64, false}, /* phys */
    {3580, 3, ORMA_PB_TYPE_UINT64, false}, /* size */
    {9714, 1, ORMA_PB_TYPE_INT32, false}, /* cid */
    {15282, 2, ORMA_PB_TYPE_INT32, false}, /* fd */
    {15219, 3, ORMA_PB_TYPE_UINT64, false}, /* phys */
    {3580, 4, ORMA_PB_TYPE_UINT64, false}, /* size */
    {478, 5, ORMA_PB_TYPE_UINT64, false}, /* len */
    {15241, 6, ORMA_PB_TYPE_UINT32, false}, /* attr */
    {5080, 7, ORMA_PB_TYPE_INT32, false}, /* mflags */
    {15301, 1, ORMA_PB_TYPE_STRING, false}, /* event */
    {12927, 2, ORMA_PB_TYPE_UINT64, false}, /* timestamp */
    {15301, 1, ORMA_PB_TYPE_STRING, false}, /* event */
    {12927, 2, ORMA_PB_TYPE_UINT64, false}, /* timestamp */
    {15341, 1, ORMA_PB_TYPE_STRING, false}, /* device */
    {9056, 2, ORMA_PB_TYPE_STRING, false}, /* driver */
    {822, 3, ORMA_PB_TYPE_STRING, false}, /* parent */
    {15348, 4, ORMA_PB_TYPE_STRING, false}, /* pm_ops */
    {15301, 5, ORMA_PB_TYPE_INT32, false}, /* event */
    {15341, 1, ORMA_PB_TYPE_STRING, false}, /* device */
    {9056, 2, ORMA_PB_TYPE_STRING, false}, /* driver */
    {312, 3, ORMA_PB_TYPE_INT32, false}, /* error */
    {15403, 1, ORMA_PB_TYPE_UINT32, false}, /* tz_id */
    {15409, 2, ORMA_PB_TYPE_UINT32, false}, /* current_temp */
    {15422, 3, ORMA_PB_TYPE_UINT32, false}, /* ctrl_temp */
    {15432, 4, ORMA_PB_TYPE_UINT32, false}, /* cdev_state */
    {15443, 5, ORMA_PB_TYPE_INT32, false}, /* pid_et_p */
    {15452, 6, ORMA_PB_TYPE_INT32, false}, /* pid_power_range */
    {15468, 7, ORMA_PB_TYPE_INT32, false}, /* pid_p */
    {15474, 8, ORMA_PB_TYPE_INT32, false}, /* pid_i */
    {15480, 9, ORMA_PB_TYPE_INT32, false}, /* k_p */
    {15484, 10, ORMA_PB_TYPE_INT32, false}, /* k_i */
    {12927, 11, ORMA_PB_TYPE_UINT64, false}, /* timestamp */
    {15403, 1, ORMA_PB_TYPE_INT32, false}, /* tz_id */
    {15409, 2, ORMA_PB_TYPE_UINT32, false}, /* current_temp */
    {15422, 3, ORMA_PB_TYPE_UINT32, false}, /* ctrl_temp */
    {15432, 4, ORMA_PB_TYPE_UINT32, false}, /* cdev_state */
    {15443, 5, ORMA_PB_TYPE_INT32, false}, /* pid_et_p */
    {15480, 6, ORMA_PB_TYPE_INT32, false}, /* k_p */
    {15484, 7, ORMA_PB_TYPE_INT32, false}, /* k_i */
    {1378, 1, ORMA_PB_TYPE_UINT64, false}, /* cpu */
    {15547, 2, ORMA_PB_TYPE_UINT64, false}, /* freq */
    {15563, 1, ORMA_PB_TYPE_UINT32, false}, /* gpu_freq */
    {9404, 2, ORMA_PB_TYPE_UINT32, false}, /* gpu_id */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {14318, 1, ORMA_PB_TYPE_INT32, false}, /* kctx_tgid */
    {14310, 2, ORMA_PB_TYPE_UINT32, false}, /* kctx_id */
    {14598, 3, ORMA_PB_TYPE_UINT64, false}, /* info_val */
    {1654, 1, ORMA_PB_TYPE_INT32, false}, /* id */
    {16368, 2, ORMA_PB_TYPE_INT32, false}, /* throttle */
    {16377, 3, ORMA_PB_TYPE_INT32, false}, /* cpu0_limit */
    {16388, 4, ORMA_PB_TYPE_INT32, false}, /* cpu1_limit */
    {16399, 5, ORMA_PB_TYPE_INT32, false}, /* cpu2_limit */
    {16410, 6, ORMA_PB_TYPE_INT32, false}, /* tpu_limit */
    {16420, 7, ORMA_PB_TYPE_INT32, false}, /* gpu_limit */
    {16430, 8, ORMA_PB_TYPE_INT32, false}, /* voltage */
    {12559, 9, ORMA_PB_TYPE_INT32, false}, /* capacity */
    {1654, 1, ORMA_PB_TYPE_UINT32, false}, /* id */
    {12927, 2, ORMA_PB_TYPE_UINT32, false}, /* timestamp */
    {16454, 3, ORMA_PB_TYPE_UINT32, false}, /* queued */
    {472, 4, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {226, 5, ORMA_PB_TYPE_UINT32, false}, /* prio */
    {1654, 1, ORMA_PB_TYPE_UINT32, false}, /* id */
    {12927, 2, ORMA_PB_TYPE_UINT32, false}, /* timestamp */
    {16489, 3, ORMA_PB_TYPE_INT64, false}, /* inflight */
    {472, 4, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {16498, 5, ORMA_PB_TYPE_UINT64, false}, /* ticks */
    {16504, 6, ORMA_PB_TYPE_UINT64, false}, /* secs */
    {16509, 7, ORMA_PB_TYPE_UINT64, false}, /* usecs */
    {226, 8, ORMA_PB_TYPE_INT32, false}, /* prio */
    {16515, 9, ORMA_PB_TYPE_INT32, false}, /* rb_id */
    {16521, 10, ORMA_PB_TYPE_UINT32, false}, /* rptr */
    {16526, 11, ORMA_PB_TYPE_UINT32, false}, /* wptr */
    {16531, 12, ORMA_PB_TYPE_INT32, false}, /* q_inflight */
    {16542, 13, ORMA_PB_TYPE_INT32, false}, /* dispatch_queue */
    {1654, 1, ORMA_PB_TYPE_UINT32, false}, /* id */
    {12927, 2, ORMA_PB_TYPE_UINT32, false}, /* timestamp */
    {16498, 3, ORMA_PB_TYPE_UINT64, false}, /* ticks */
    {226, 4, ORMA_PB_TYPE_INT32, false}, /* prio */
    {1654, 1, ORMA_PB_TYPE_UINT32, false}, /* id */
    {12927, 2, ORMA_PB_TYPE_UINT32, false}, /* timestamp */
    {16489, 3, ORMA_PB_TYPE_INT64, false}, /* inflight */
    {16614, 4, ORMA_PB_TYPE_UINT32, false}, /* recovery */
    {472, 5, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {3414, 6, ORMA_PB_TYPE_UINT64, false}, /* start */
    {16623, 7, ORMA_PB_TYPE_UINT64, false}, /* retire */
    {226, 8, ORMA_PB_TYPE_INT32, false}, /* prio */
    {16515, 9, ORMA_PB_TYPE_INT32, false}, /* rb_id */
    {16521, 10, ORMA_PB_TYPE_UINT32, false}, /* rptr */
    {16526, 11, ORMA_PB_TYPE_UINT32, false}, /* wptr */
    {16531, 12, ORMA_PB_TYPE_INT32, false}, /* q_inflight */
    {16630, 13, ORMA_PB_TYPE_UINT64, false}, /* fault_recovery */
    {16542, 14, ORMA_PB_TYPE_UINT32, false}, /* dispatch_queue */
    {16645, 15, ORMA_PB_TYPE_UINT64, false}, /* submitted_to_rb */
    {16661, 16, ORMA_PB_TYPE_UINT64, false}, /* retired_on_gmu */
    {12552, 17, ORMA_PB_TYPE_UINT64, false}, /* active */
    {16705, 1, ORMA_PB_TYPE_INT32, false}, /* whatever */
    {16735, 1, ORMA_PB_TYPE_UINT64, false}, /* delta_nr_scanned */
    {16752, 2, ORMA_PB_TYPE_UINT64, false}, /* delta_nr_reclaimed */
    {16771, 3, ORMA_PB_TYPE_UINT64, false}, /* delta_nr_allocated */
    {16790, 4, ORMA_PB_TYPE_UINT64, false}, /* duration_ns */
    {222, 1, ORMA_PB_TYPE_INT32, false}, /* pid */
    {16823, 2, ORMA_PB_TYPE_UINT64, false}, /* cpu_affinity */
    {16836, 3, ORMA_PB_TYPE_UINT64, false}, /* task_util */
    {16846, 4, ORMA_PB_TYPE_UINT64, false}, /* uclamp_min */
    {16857, 5, ORMA_PB_TYPE_UINT64, false}, /* vruntime */
    {11689, 1, ORMA_PB_TYPE_STRING, false}, /* dev_name */
    {15547, 2, ORMA_PB_TYPE_UINT64, false}, /* freq */
    {16889, 3, ORMA_PB_TYPE_UINT64, false}, /* prev_freq */
    {16899, 4, ORMA_PB_TYPE_UINT64, false}, /* busy_time */
    {16909, 5, ORMA_PB_TYPE_UINT64, false}, /* total_time */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {7149, 2, ORMA_PB_TYPE_ENUM, false}, /* type */
    {16951, 1, ORMA_PB_TYPE_STRING, false}, /* body */
    {721, 2, ORMA_PB_TYPE_UINT32, false}, /* value */
    {12927, 3, ORMA_PB_TYPE_INT64, false}, /* timestamp */
    {6856, 1, ORMA_PB_TYPE_STRING, false}, /* filename */
    {472, 2, ORMA_PB_TYPE_INT32, false}, /* flags */
    {2201, 3, ORMA_PB_TYPE_INT32, false}, /* mode */
    {6856, 1, ORMA_PB_TYPE_STRING, false}, /* filename */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {896, 4, ORMA_PB_TYPE_UINT32, false}, /* bytes */
    {16998, 5, ORMA_PB_TYPE_UINT32, false}, /* ioprio */
    {902, 6, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {217, 7, ORMA_PB_TYPE_STRING, false}, /* comm */
    {907, 8, ORMA_PB_TYPE_STRING, false}, /* cmd */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {879, 2, ORMA_PB_TYPE_UINT64, false}, /* sector */
    {886, 3, ORMA_PB_TYPE_UINT32, false}, /* nr_sector */
    {896, 4, ORMA_PB_TYPE_UINT32, false}, /* bytes */
    {16998, 5, ORMA_PB_TYPE_UINT32, false}, /* ioprio */
    {902, 6, ORMA_PB_TYPE_STRING, false}, /* rwbs */
    {217, 7, ORMA_PB_TYPE_STRING, false}, /* comm */
    {907, 8, ORMA_PB_TYPE_STRING, false}, /* cmd */
    {17034, 1, ORMA_PB_TYPE_UINT64, false}, /* change_ns */
    {17044, 2, ORMA_PB_TYPE_INT32, false}, /* from_state */
    {17055, 3, ORMA_PB_TYPE_INT32, false}, /* to_state */
    {1654, 1, ORMA_PB_TYPE_INT32, false}, /* id */
    {17085, 2, ORMA_PB_TYPE_INT32, false}, /* frames_pending */
    {17100, 3, ORMA_PB_TYPE_INT32, false}, /* vsync_count */
    {1654, 1, ORMA_PB_TYPE_INT32, false}, /* id */
    {17134, 2, ORMA_PB_TYPE_INT32, false}, /* output_id */
    {17144, 3, ORMA_PB_TYPE_INT32, false}, /* enable */
    {17178, 1, ORMA_PB_TYPE_UINT64, false}, /* hrtimer */
    {1291, 2, ORMA_PB_TYPE_UINT64, false}, /* function */
    {17186, 3, ORMA_PB_TYPE_INT64, false}, /* expires */
    {17194, 4, ORMA_PB_TYPE_INT64, false}, /* softexpires */
    {2201, 5, ORMA_PB_TYPE_UINT32, false}, /* mode */
    {17178, 1, ORMA_PB_TYPE_UINT64, false}, /* hrtimer */
    {17178, 1, ORMA_PB_TYPE_UINT64, false}, /* hrtimer */
    {11472, 2, ORMA_PB_TYPE_INT64, false}, /* now */
    {1291, 3, ORMA_PB_TYPE_UINT64, false}, /* function */
    {17178, 1, ORMA_PB_TYPE_UINT64, false}, /* hrtimer */
    {17276, 1, ORMA_PB_TYPE_UINT64, false}, /* timer */
    {1291, 2, ORMA_PB_TYPE_UINT64, false}, /* function */
    {17186, 3, ORMA_PB_TYPE_UINT64, false}, /* expires */
    {11472, 4, ORMA_PB_TYPE_UINT64, false}, /* now */
    {17282, 5, ORMA_PB_TYPE_UINT32, false}, /* deferrable */
    {472, 6, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {17293, 7, ORMA_PB_TYPE_UINT64, false}, /* bucket_expiry */
    {17276, 1, ORMA_PB_TYPE_UINT64, false}, /* timer */
    {17276, 1, ORMA_PB_TYPE_UINT64, false}, /* timer */
    {11472, 2, ORMA_PB_TYPE_UINT64, false}, /* now */
    {1291, 3, ORMA_PB_TYPE_UINT64, false}, /* function */
    {17332, 4, ORMA_PB_TYPE_UINT64, false}, /* baseclk */
    {17276, 1, ORMA_PB_TYPE_UINT64, false}, /* timer */
    {17377, 1, ORMA_PB_TYPE_INT32, false}, /* vector */
    {17377, 1, ORMA_PB_TYPE_INT32, false}, /* vector */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {17419, 2, ORMA_PB_TYPE_UINT64, false}, /* req */
    {17423, 3, ORMA_PB_TYPE_UINT32, false}, /* actual */
    {5615, 4, ORMA_PB_TYPE_UINT32, false}, /* length */
    {318, 5, ORMA_PB_TYPE_INT32, false}, /* status */
    {9399, 6, ORMA_PB_TYPE_INT32, false}, /* zero */
    {17430, 7, ORMA_PB_TYPE_INT32, false}, /* short_not_ok */
    {17443, 8, ORMA_PB_TYPE_INT32, false}, /* no_interrupt */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {17475, 2, ORMA_PB_TYPE_UINT64, false}, /* trb */
    {4964, 3, ORMA_PB_TYPE_UINT32, false}, /* allocated */
    {16454, 4, ORMA_PB_TYPE_UINT32, false}, /* queued */
    {17479, 5, ORMA_PB_TYPE_UINT32, false}, /* bpl */
    {17483, 6, ORMA_PB_TYPE_UINT32, false}, /* bph */
    {3580, 7, ORMA_PB_TYPE_UINT32, false}, /* size */
    {17487, 8, ORMA_PB_TYPE_UINT32, false}, /* ctrl */
    {7149, 9, ORMA_PB_TYPE_UINT32, false}, /* type */
    {17492, 10, ORMA_PB_TYPE_UINT32, false}, /* enqueue */
    {17500, 11, ORMA_PB_TYPE_UINT32, false}, /* dequeue */
    {17526, 1, ORMA_PB_TYPE_UINT32, false}, /* bRequestType */
    {17539, 2, ORMA_PB_TYPE_UINT32, false}, /* bRequest */
    {17548, 3, ORMA_PB_TYPE_UINT32, false}, /* wValue */
    {17555, 4, ORMA_PB_TYPE_UINT32, false}, /* wIndex */
    {17562, 5, ORMA_PB_TYPE_UINT32, false}, /* wLength */
    {11723, 6, ORMA_PB_TYPE_STRING, false}, /* str */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {17419, 2, ORMA_PB_TYPE_UINT64, false}, /* req */
    {17423, 3, ORMA_PB_TYPE_UINT32, false}, /* actual */
    {5615, 4, ORMA_PB_TYPE_UINT32, false}, /* length */
    {318, 5, ORMA_PB_TYPE_INT32, false}, /* status */
    {9399, 6, ORMA_PB_TYPE_INT32, false}, /* zero */
    {17430, 7, ORMA_PB_TYPE_INT32, false}, /* short_not_ok */
    {17443, 8, ORMA_PB_TYPE_INT32, false}, /* no_interrupt */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {17419, 2, ORMA_PB_TYPE_UINT64, false}, /* req */
    {17423, 3, ORMA_PB_TYPE_UINT32, false}, /* actual */
    {5615, 4, ORMA_PB_TYPE_UINT32, false}, /* length */
    {318, 5, ORMA_PB_TYPE_INT32, false}, /* status */
    {9399, 6, ORMA_PB_TYPE_INT32, false}, /* zero */
    {17430, 7, ORMA_PB_TYPE_INT32, false}, /* short_not_ok */
    {17443, 8, ORMA_PB_TYPE_INT32, false}, /* no_interrupt */
    {15301, 1, ORMA_PB_TYPE_UINT32, false}, /* event */
    {17614, 2, ORMA_PB_TYPE_UINT32, false}, /* ep0state */
    {11723, 3, ORMA_PB_TYPE_STRING, false}, /* str */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {17419, 2, ORMA_PB_TYPE_UINT64, false}, /* req */
    {17423, 3, ORMA_PB_TYPE_UINT32, false}, /* actual */
    {5615, 4, ORMA_PB_TYPE_UINT32, false}, /* length */
    {318, 5, ORMA_PB_TYPE_INT32, false}, /* status */
    {9399, 6, ORMA_PB_TYPE_INT32, false}, /* zero */
    {17430, 7, ORMA_PB_TYPE_INT32, false}, /* short_not_ok */
    {17443, 8, ORMA_PB_TYPE_INT32, false}, /* no_interrupt */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {907, 2, ORMA_PB_TYPE_UINT32, false}, /* cmd */
    {17652, 3, ORMA_PB_TYPE_UINT32, false}, /* param0 */
    {17659, 4, ORMA_PB_TYPE_UINT32, false}, /* param1 */
    {17666, 5, ORMA_PB_TYPE_UINT32, false}, /* param2 */
    {17673, 6, ORMA_PB_TYPE_INT32, false}, /* cmd_status */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {17703, 2, ORMA_PB_TYPE_UINT32, false}, /* maxpacket */
    {17713, 3, ORMA_PB_TYPE_UINT32, false}, /* maxpacket_limit */
    {17729, 4, ORMA_PB_TYPE_UINT32, false}, /* max_streams */
    {17741, 5, ORMA_PB_TYPE_UINT32, false}, /* maxburst */
    {472, 6, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {17750, 7, ORMA_PB_TYPE_UINT32, false}, /* direction */
    {17760, 8, ORMA_PB_TYPE_UINT32, false}, /* trb_enqueue */
    {17772, 9, ORMA_PB_TYPE_UINT32, false}, /* trb_dequeue */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {17703, 2, ORMA_PB_TYPE_UINT32, false}, /* maxpacket */
    {17713, 3, ORMA_PB_TYPE_UINT32, false}, /* maxpacket_limit */
    {17729, 4, ORMA_PB_TYPE_UINT32, false}, /* max_streams */
    {17741, 5, ORMA_PB_TYPE_UINT32, false}, /* maxburst */
    {472, 6, ORMA_PB_TYPE_UINT32, false}, /* flags */
    {17750, 7, ORMA_PB_TYPE_UINT32, false}, /* direction */
    {17760, 8, ORMA_PB_TYPE_UINT32, false}, /* trb_enqueue */
    {17772, 9, ORMA_PB_TYPE_UINT32, false}, /* trb_dequeue */
    {907, 1, ORMA_PB_TYPE_UINT32, false}, /* cmd */
    {17829, 2, ORMA_PB_TYPE_UINT32, false}, /* param */
    {318, 3, ORMA_PB_TYPE_INT32, false}, /* status */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {17419, 2, ORMA_PB_TYPE_UINT64, false}, /* req */
    {17423, 3, ORMA_PB_TYPE_UINT32, false}, /* actual */
    {5615, 4, ORMA_PB_TYPE_UINT32, false}, /* length */
    {318, 5, ORMA_PB_TYPE_INT32, false}, /* status */
    {9399, 6, ORMA_PB_TYPE_INT32, false}, /* zero */
    {17430, 7, ORMA_PB_TYPE_INT32, false}, /* short_not_ok */
    {17443, 8, ORMA_PB_TYPE_INT32, false}, /* no_interrupt */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {17475, 2, ORMA_PB_TYPE_UINT64, false}, /* trb */
    {4964, 3, ORMA_PB_TYPE_UINT32, false}, /* allocated */
    {16454, 4, ORMA_PB_TYPE_UINT32, false}, /* queued */
    {17479, 5, ORMA_PB_TYPE_UINT32, false}, /* bpl */
    {17483, 6, ORMA_PB_TYPE_UINT32, false}, /* bph */
    {3580, 7, ORMA_PB_TYPE_UINT32, false}, /* size */
    {17487, 8, ORMA_PB_TYPE_UINT32, false}, /* ctrl */
    {7149, 9, ORMA_PB_TYPE_UINT32, false}, /* type */
    {17492, 10, ORMA_PB_TYPE_UINT32, false}, /* enqueue */
    {17500, 11, ORMA_PB_TYPE_UINT32, false}, /* dequeue */
    {17897, 1, ORMA_PB_TYPE_UINT64, false}, /* base */
    {3970, 2, ORMA_PB_TYPE_UINT32, false}, /* offset */
    {721, 3, ORMA_PB_TYPE_UINT32, false}, /* value */
    {7826, 4, ORMA_PB_TYPE_STRING, false}, /* msg */
    {17897, 1, ORMA_PB_TYPE_UINT64, false}, /* base */
    {3970, 2, ORMA_PB_TYPE_UINT32, false}, /* offset */
    {721, 3, ORMA_PB_TYPE_UINT32, false}, /* value */
    {7826, 4, ORMA_PB_TYPE_STRING, false}, /* msg */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {2749, 2, ORMA_PB_TYPE_UINT64, false}, /* pfn */
    {2771, 3, ORMA_PB_TYPE_UINT64, false}, /* page */
    {4370, 4, ORMA_PB_TYPE_UINT64, false}, /* count */
    {8276, 5, ORMA_PB_TYPE_UINT32, false}, /* align */
    {17925, 6, ORMA_PB_TYPE_INT32, false}, /* errorno */
    {3414, 1, ORMA_PB_TYPE_UINT64, false}, /* start */
    {5134, 2, ORMA_PB_TYPE_UINT64, false}, /* end */
    {3260, 3, ORMA_PB_TYPE_UINT64, false}, /* nr_migrated */
    {987, 4, ORMA_PB_TYPE_UINT64, false}, /* nr_reclaimed */
    {14148, 5, ORMA_PB_TYPE_UINT64, false}, /* nr_mapped */
    {8760, 6, ORMA_PB_TYPE_INT32, false}, /* migratetype */
    {17985, 1, ORMA_PB_TYPE_UINT64, false}, /* func_id */
    {17993, 2, ORMA_PB_TYPE_UINT64, false}, /* res_a1 */
    {18000, 3, ORMA_PB_TYPE_UINT64, false}, /* res_a2 */
    {18007, 4, ORMA_PB_TYPE_UINT64, false}, /* res_a3 */
    {18014, 5, ORMA_PB_TYPE_UINT64, false}, /* res_a4 */
    {18021, 6, ORMA_PB_TYPE_INT32, false}, /* handled */
    {7711, 7, ORMA_PB_TYPE_INT32, false}, /* err */
    {18043, 1, ORMA_PB_TYPE_UINT64, false}, /* rss */
    {18047, 2, ORMA_PB_TYPE_INT64, false}, /* rss_delta */
    {2753, 3, ORMA_PB_TYPE_UINT64, false}, /* i_ino */
    {5362, 1, ORMA_PB_TYPE_UINT64, false}, /* from */
    {5367, 2, ORMA_PB_TYPE_UINT64, false}, /* to */
    {18073, 3, ORMA_PB_TYPE_INT32, false}, /* prot */
    {4370, 1, ORMA_PB_TYPE_UINT64, false}, /* count */
    {11476, 2, ORMA_PB_TYPE_UINT64, false}, /* was */
    {1654, 1, ORMA_PB_TYPE_UINT32, false}, /* id */
    {14518, 2, ORMA_PB_TYPE_UINT32, false}, /* invalid */
    {1654, 1, ORMA_PB_TYPE_UINT64, false}, /* id */
    {14537, 2, ORMA_PB_TYPE_UINT32, false}, /* forwarded */
    {5362, 1, ORMA_PB_TYPE_UINT64, false}, /* from */
    {5367, 2, ORMA_PB_TYPE_UINT64, false}, /* to */
    {18073, 3, ORMA_PB_TYPE_INT32, false}, /* prot */
    {4370, 1, ORMA_PB_TYPE_UINT64, false}, /* count */
    {11476, 2, ORMA_PB_TYPE_UINT64, false}, /* was */
    {14556, 1, ORMA_PB_TYPE_UINT64, false}, /* esr */
    {467, 2, ORMA_PB_TYPE_UINT64, false}, /* addr */
    {18267, 1, ORMA_PB_TYPE_UINT32, false}, /* map */
    {14556, 1, ORMA_PB_TYPE_UINT64, false}, /* esr */
    {18332, 1, ORMA_PB_TYPE_UINT64, false}, /* fence_context */
    {18346, 2, ORMA_PB_TYPE_UINT64, false}, /* fence_seqno */
    {18358, 3, ORMA_PB_TYPE_UINT64, false}, /* ctx */
    {9063, 4, ORMA_PB_TYPE_UINT64, false}, /* seqno */
    {18332, 1, ORMA_PB_TYPE_UINT64, false}, /* fence_context */
    {18346, 2, ORMA_PB_TYPE_UINT64, false}, /* fence_seqno */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {11885, 2, ORMA_PB_TYPE_UINT32, false}, /* job_count */
    {11872, 3, ORMA_PB_TYPE_INT32, false}, /* hw_job_count */
    {765, 4, ORMA_PB_TYPE_STRING, false}, /* dev */
    {18332, 5, ORMA_PB_TYPE_UINT64, false}, /* fence_context */
    {18346, 6, ORMA_PB_TYPE_UINT64, false}, /* fence_seqno */
    {18403, 7, ORMA_PB_TYPE_UINT64, false}, /* client_id */
    {170, 1, ORMA_PB_TYPE_STRING, false}, /* name */
    {11885, 2, ORMA_PB_TYPE_UINT32, false}, /* job_count */
    {11872, 3, ORMA_PB_TYPE_INT32, false}, /* hw_job_count */
    {765, 4, ORMA_PB_TYPE_STRING, false}, /* dev */
    {18332, 5, ORMA_PB_TYPE_UINT64, false}, /* fence_context */
    {18346, 6, ORMA_PB_TYPE_UINT64, false}, /* fence_seqno */
    {18403, 7, ORMA_PB_TYPE_UINT64, false}, /* client_id */
    {18332, 1, ORMA_PB_TYPE_UINT64, false}, /* fence_context */
    {18346, 2, ORMA_PB_TYPE_UINT64, false}, /* fence_seqno */
    {18358, 3, ORMA_PB_TYPE_UINT64, false}, /* ctx */
    {9063, 4, ORMA_PB_TYPE_UINT64, false}, /* seqno */
    {12927, 1, ORMA_PB_TYPE_UINT64, false}, /* timestamp */
    {18479, 2, ORMA_PB_TYPE_UINT32, false}, /* track_id */
    {18488, 3, ORMA_PB_TYPE_STRING, false}, /* category */
    {170, 4, ORMA_PB_TYPE_STRING, false}, /* name */
    {721, 5, ORMA_PB_TYPE_UINT32, false}, /* value */
    {18519, 1, ORMA_PB_TYPE_UINT32, false}, /* host_no */
    {18527, 2, ORMA_PB_TYPE_UINT32, false}, /* channel */
    {1654, 3, ORMA_PB_TYPE_UINT32, false}, /* id */
    {18535, 4, ORMA_PB_TYPE_UINT32, false}, /* lun */
    {18539, 5, ORMA_PB_TYPE_INT32, false}, /* rtn */
    {11716, 6, ORMA_PB_TYPE_UINT32, false}, /* opcode */
    {18543, 7, ORMA_PB_TYPE_UINT32, false}, /* cmd_len */
    {18551, 8, ORMA_PB_TYPE_UINT32, false}, /* data_sglen */
    {18562, 9, ORMA_PB_TYPE_UINT32, false}, /* prot_sglen */
    {18573, 10, ORMA_PB_TYPE_UINT32, false}, /* prot_op */
    {18581, 12, ORMA_PB_TYPE_INT32, false}, /* driver_tag */
    {18592, 13, ORMA_PB_TYPE_INT32, false}, /* scheduler_tag */
    {18606, 14, ORMA_PB_TYPE_BYTES, false}, /* cmnd */
    {18519, 1, ORMA_PB_TYPE_UINT32, false}, /* host_no */
    {18527, 2, ORMA_PB_TYPE_UINT32, false}, /* channel */
    {1654, 3, ORMA_PB_TYPE_UINT32, false}, /* id */
    {18535, 4, ORMA_PB_TYPE_UINT32, false}, /* lun */
    {9269, 5, ORMA_PB_TYPE_INT32, false}, /* result */
    {11716, 6, ORMA_PB_TYPE_UINT32, false}, /* opcode */
    {18543, 7, ORMA_PB_TYPE_UINT32, false}, /* cmd_len */
    {18551, 8, ORMA_PB_TYPE_UINT32, false}, /* data_sglen */
    {18562, 9, ORMA_PB_TYPE_UINT32, false}, /* prot_sglen */
    {18573, 10, ORMA_PB_TYPE_UINT32, false}, /* prot_op */
    {18581, 12, ORMA_PB_TYPE_INT32, false}, /* driver_tag */
    {18592, 13, ORMA_PB_TYPE_INT32, false}, /* scheduler_tag */
    {18635, 14, ORMA_PB_TYPE_UINT32, false}, /* sense_key */
    {18645, 15, ORMA_PB_TYPE_UINT32, false}, /* asc */
    {18649, 16, ORMA_PB_TYPE_UINT32, false}, /* ascq */
    {18606, 17, ORMA_PB_TYPE_BYTES, false}, /* cmnd */
    {18519, 1, ORMA_PB_TYPE_UINT32, false}, /* host_no */
    {12927, 1, ORMA_PB_TYPE_UINT64, false}, /* timestamp */
    {18479, 2, ORMA_PB_TYPE_UINT32, false}, /* track_id */
    {18488, 3, ORMA_PB_TYPE_STRING, false}, /* category */
    {170, 4, ORMA_PB_TYPE_STRING, false}, /* name */
    {749, 5, ORMA_PB_TYPE_UINT32, false}, /* begin */
    {18715, 1, ORMA_PB_TYPE_INT32, false}, /* old_state */
    {18725, 2, ORMA_PB_TYPE_INT32, false}, /* new_state */
    {18751, 1, ORMA_PB_TYPE_INT32, false}, /* panel_index */
    {18763, 2, ORMA_PB_TYPE_UINT32, false}, /* collision_cnt */
    {765, 1, ORMA_PB_TYPE_UINT64, false}, /* dev */
    {217, 2, ORMA_PB_TYPE_STRING, false}, /* comm */
    {222, 3, ORMA_PB_TYPE_INT32, false}, /* pid */
    {226, 4, ORMA_PB_TYPE_INT32, false}, /* prio */
    {18792, 5, ORMA_PB_TYPE_INT32, false}, /* ioprio_class */
    {18805, 6, ORMA_PB_TYPE_INT32, false}, /* ioprio_data */
    {18817, 7, ORMA_PB_TYPE_UINT32, false}, /* lock_name */
    {11291, 8, ORMA_PB_TYPE_UINT32, false}, /* is_write */
    {16909, 9, ORMA_PB_TYPE_UINT64, false}, /* total_time */
    {18827, 10, ORMA_PB_TYPE_UINT64, false}, /* running_time */
    {18840, 11, ORMA_PB_TYPE_UINT64, false}, /* runnable_time */
    {18854, 12, ORMA_PB_TYPE_UINT64, false}, /* io_sleep_time */
    {18868, 13, ORMA_PB_TYPE_UINT64, false}, /* other_time */
    {217, 1, ORMA_PB_TYPE_STRING, false}, /* comm */
    {222, 2, ORMA_PB_TYPE_INT32, false}, /* pid */
    {5794, 3, ORMA_PB_TYPE_STRING, false}, /* group */
    {18902, 4, ORMA_PB_TYPE_INT32, false}, /* group_num */
    {18932, 1, ORMA_PB_TYPE_INT32, false}, /* display_id */
    {17134, 2, ORMA_PB_TYPE_UINT32, false}, /* output_id */
    {17085, 3, ORMA_PB_TYPE_INT32, false}, /* frames_pending */
    {18943, 4, ORMA_PB_TYPE_INT32, false}, /* te_count */
    {18952, 5, ORMA_PB_TYPE_UINT32, false}, /* during_disable */
    {18932, 1, ORMA_PB_TYPE_INT32, false}, /* display_id */
    {17134, 2, ORMA_PB_TYPE_UINT32, false}, /* output_id */
    {17085, 3, ORMA_PB_TYPE_INT32, false}, /* frames_pending */
    {18943, 4, ORMA_PB_TYPE_INT32, false}, /* te_count */
    {926, 1, ORMA_PB_TYPE_INT32, false}, /* order */
    {932, 2, ORMA_PB_TYPE_INT32, false}, /* may_writepage */
    {946, 3, ORMA_PB_TYPE_UINT64, false}, /* gfp_flags */
    {987, 1, ORMA_PB_TYPE_UINT64, false}, /* nr_reclaimed */
    {18932, 1, ORMA_PB_TYPE_INT32, false}, /* display_id */
    {17134, 2, ORMA_PB_TYPE_UINT32, false}, /* output_id */
    {17085, 3, ORMA_PB_TYPE_INT32, false}, /* frames_pending */
    {18943, 4, ORMA_PB_TYPE_INT32, false}, /* te_count */
    {18932, 1, ORMA_PB_TYPE_INT32, false}, /* display_id */
    {17134, 2, ORMA_PB_TYPE_UINT32, false}, /* output_id */
    {17085, 3, ORMA_PB_TYPE_INT32, false}, /* frames_pending */
    {18943, 4, ORMA_PB_TYPE_INT32, false}, /* te_count */
    {18751, 1, ORMA_PB_TYPE_INT32, false}, /* panel_index */
    {19139, 2, ORMA_PB_TYPE_UINT32, false}, /* hbm */
    {19143, 3, ORMA_PB_TYPE_UINT32, false}, /* irc */
    {19147, 4, ORMA_PB_TYPE_UINT32, false}, /* h_pwm */
    {19153, 5, ORMA_PB_TYPE_UINT32, false}, /* fi_auto */
    {19161, 6, ORMA_PB_TYPE_UINT32, false}, /* fi_manual */
    {19171, 7, ORMA_PB_TYPE_UINT32, false}, /* early_exit */
    {19182, 8, ORMA_PB_TYPE_UINT32, false}, /* min_rr */
    {19189, 9, ORMA_PB_TYPE_UINT32, false}, /* max_rr */
    {19196, 10, ORMA_PB_TYPE_UINT32, false}, /* te_freq */
    {18751, 1, ORMA_PB_TYPE_INT32, false}, /* panel_index */
    {19224, 2, ORMA_PB_TYPE_UINT32, false}, /* vrr */
    {19182, 3, ORMA_PB_TYPE_UINT32, false}, /* min_rr */
    {19189, 4, ORMA_PB_TYPE_UINT32, false}, /* max_rr */
    {19196, 5, ORMA_PB_TYPE_UINT32, false}, /* te_freq */
    {1654, 1, ORMA_PB_TYPE_INT32, false}, /* id */
    {17085, 2, ORMA_PB_TYPE_INT32, false}, /* frames_pending */
    {17100, 3, ORMA_PB_TYPE_INT32, false}, /* vsync_count */
    {101, 1, ORMA_PB_TYPE_UINT32, false}, /* cpu_id */
    {95, 2, ORMA_PB_TYPE_UINT32, false}, /* state */
    {19275, 3, ORMA_PB_TYPE_UINT32, false}, /* s2idle */
    {101, 1, ORMA_PB_TYPE_UINT32, false}, /* cpu_id */
    {95, 2, ORMA_PB_TYPE_UINT32, false}, /* state */
    {19275, 3, ORMA_PB_TYPE_UINT32, false}, /* s2idle */
    {665, 1, ORMA_PB_TYPE_INT32, false}, /* irq */
    {19327, 2, ORMA_PB_TYPE_UINT32, false}, /* latency */
    {4370, 3, ORMA_PB_TYPE_UINT32, false}, /* count */
    {19344, 1, ORMA_PB_TYPE_INT32, false}, /* vec_nr */
    {19327, 2, ORMA_PB_TYPE_UINT32, false}, /* latency */
    {4370, 3, ORMA_PB_TYPE_UINT32, false}, /* count */
};

const struct orma_ftrace_message orma_ftrace_messages[] = {
    {3, 2, 7, 0}, /* print */
    {4, 7, 82, 2}, /* sched_switch */
    {11, 2, 108, 9}, /* cpu_frequency */
    {12, 3, 140, 11}, /* cpu_frequency_limits */
    {13, 2, 161, 14}, /* cpu_idle */
    {14, 3, 175, 16}, /* clock_enable */
    {15, 3, 188, 19}, /* clock_disable */
    {16, 3, 202, 22}, /* clock_set_rate */
    {17, 5, 250, 25}, /* sched_wakeup */
    {18, 3, 278, 30}, /* sched_blocked_reason */
    {19, 3, 325, 33}, /* sched_cpu_hotplug */
    {20, 5, 343, 36}, /* sched_waking */
    {21, 1, 363, 41}, /* ipi_entry */
    {22, 1, 373, 42}, /* ipi_exit */
    {23, 2, 394, 43}, /* ipi_raise */
    {24, 1, 408, 45}, /* softirq_entry */
    {25, 1, 422, 46}, /* softirq_exit */
    {26, 1, 435, 47}, /* softirq_raise */
    {27, 5, 482, 48}, /* i2c_read */
    {28, 6, 491, 53}, /* i2c_write */
    {29, 3, 513, 59}, /* i2c_result */
    {30, 6, 524, 62}, /* i2c_reply */
    {31, 5, 551, 68}, /* smbus_read */
    {32, 6, 562, 73}, /* smbus_write */
    {33, 7, 589, 79}, /* smbus_result */
    {34, 6, 602, 86}, /* smbus_reply */
    {35, 5, 650, 92}, /* lowmemory_kill */
    {36, 3, 677, 97}, /* irq_handler_entry */
    {37, 2, 695, 100}, /* irq_handler_exit */
    {38, 2, 727, 102}, /* sync_pt */
    {39, 2, 735, 104}, /* sync_timeline */
    {40, 3, 755, 106}, /* sync_wait */
    {41, 5, 777, 109}, /* ext4_da_write_begin */
    {42, 5, 804, 114}, /* ext4_da_write_end */
    {43, 4, 838, 119}, /* ext4_sync_file_enter */
    {44, 3, 859, 123}, /* ext4_sync_file_exit */
    {45, 7, 911, 126}, /* block_rq_issue */
    {46, 3, 956, 133}, /* mm_vmscan_direct_reclaim_begin */
    {47, 1, 1000, 136}, /* mm_vmscan_direct_reclaim_end */
    {48, 3, 1037, 137}, /* mm_vmscan_kswapd_wake */
    {49, 1, 1059, 140}, /* mm_vmscan_kswapd_sleep */
    {50, 7, 1132, 141}, /* binder_transaction */
    {51, 1, 1151, 148}, /* binder_transaction_received */
    {52, 5, 1222, 149}, /* binder_set_priority */
    {53, 1, 1246, 154}, /* binder_lock */
    {54, 1, 1258, 155}, /* binder_locked */
    {55, 1, 1272, 156}, /* binder_unlock */
    {56, 2, 1300, 157}, /* workqueue_activate_work */
    {57, 2, 1324, 159}, /* workqueue_execute_end */
    {58, 2, 1346, 161}, /* workqueue_execute_start */
    {59, 5, 1392, 163}, /* workqueue_queue_work */
    {60, 1, 1413, 168}, /* regulator_disable */
    {61, 1, 1431, 169}, /* regulator_disable_complete */
    {62, 1, 1458, 170}, /* regulator_enable */
    {63, 1, 1475, 171}, /* regulator_enable_complete */
    {64, 1, 1501, 172}, /* regulator_enable_delay */
    {65, 3, 1532, 173}, /* regulator_set_voltage */
    {66, 2, 1558, 176}, /* regulator_set_voltage_complete */
    {67, 7, 1630, 178}, /* cgroup_attach_task */
    {68, 5, 1668, 185}, /* cgroup_mkdir */
    {69, 3, 1689, 190}, /* cgroup_remount */
    {70, 5, 1704, 193}, /* cgroup_rmdir */
    {71, 7, 1717, 198}, /* cgroup_transfer_tasks */
    {72, 3, 1739, 205}, /* cgroup_destroy_root */
    {73, 5, 1759, 208}, /* cgroup_release */
    {74, 5, 1774, 213}, /* cgroup_rename */
    {75, 3, 1788, 218}, /* cgroup_setup_root */
    {76, 2, 1826, 221}, /* mdp_cmd_kickoff */
    {77, 4, 1874, 223}, /* mdp_commit */
    {78, 4, 1915, 227}, /* mdp_perf_set_ot */
    {79, 16, 2010, 231}, /* mdp_sspp_change */
    {80, 3, 2049, 247}, /* tracing_mark_write */
    {81, 4, 2093, 250}, /* mdp_cmd_pingpong_done */
    {82, 8, 2182, 254}, /* mdp_compare_bw */
    {83, 5, 2227, 262}, /* mdp_perf_set_panic_luts */
    {84, 16, 2251, 267}, /* mdp_sspp_set */
    {85, 2, 2264, 283}, /* mdp_cmd_readptr_done */
    {86, 3, 2308, 285}, /* mdp_misr_crc */
    {87, 7, 2344, 288}, /* mdp_perf_set_qos_luts */
    {88, 3, 2379, 295}, /* mdp_trace_counter */
    {89, 1, 2397, 298}, /* mdp_cmd_release_bw */
    {90, 1, 2426, 299}, /* mdp_mixer_update */
    {91, 8, 2495, 300}, /* mdp_perf_set_wm_levels */
    {92, 2, 2531, 308}, /* mdp_video_underrun_done */
    {93, 2, 2555, 310}, /* mdp_cmd_wait_pingpong */
    {94, 10, 2657, 312}, /* mdp_perf_prefill_calc */
    {95, 3, 2704, 322}, /* mdp_perf_update_bus */
    {96, 1, 2724, 325}, /* rotator_bw_ao_as_context */
    {97, 5, 2776, 326}, /* mm_filemap_add_to_page_cache */
    {98, 5, 2805, 331}, /* mm_filemap_delete_from_page_cache */
    {99, 5, 2885, 336}, /* mm_compaction_begin */
    {100, 6, 2945, 341}, /* mm_compaction_defer_compaction */
    {101, 6, 2976, 347}, /* mm_compaction_deferred */
    {102, 6, 2999, 353}, /* mm_compaction_defer_reset */
    {103, 6, 3025, 359}, /* mm_compaction_end */
    {104, 4, 3043, 365}, /* mm_compaction_finished */
    {105, 4, 3104, 369}, /* mm_compaction_isolate_freepages */
    {106, 4, 3136, 373}, /* mm_compaction_isolate_migratepages */
    {107, 1, 3171, 377}, /* mm_compaction_kcompactd_sleep */
    {108, 4, 3231, 378}, /* mm_compaction_kcompactd_wake */
    {109, 2, 3282, 382}, /* mm_compaction_migratepages */
    {110, 4, 3309, 384}, /* mm_compaction_suitable */
    {111, 4, 3341, 388}, /* mm_compaction_try_to_compact_pages */
    {112, 4, 3376, 392}, /* mm_compaction_wakeup_kcompactd */
    {113, 3, 3420, 396}, /* suspend_resume */
    {114, 5, 3435, 399}, /* sched_wakeup_new */
    {115, 5, 3452, 404}, /* block_bio_backmerge */
    {116, 5, 3472, 409}, /* block_bio_bounce */
    {117, 5, 3489, 414}, /* block_bio_complete */
    {118, 5, 3508, 419}, /* block_bio_frontmerge */
    {119, 5, 3529, 424}, /* block_bio_queue */
    {120, 6, 3564, 429}, /* block_bio_remap */
    {121, 3, 3585, 435}, /* block_dirty_buffer */
    {122, 5, 3604, 438}, /* block_getrq */
    {123, 1, 3616, 443}, /* block_plug */
    {124, 6, 3634, 444}, /* block_rq_abort */
    {125, 7, 3649, 450}, /* block_rq_complete */
    {126, 7, 3667, 457}, /* block_rq_insert */
    {128, 7, 3691, 464}, /* block_rq_remap */
    {129, 6, 3706, 471}, /* block_rq_requeue */
    {130, 5, 3723, 477}, /* block_sleeprq */
    {131, 5, 3748, 482}, /* block_split */
    {132, 3, 3760, 487}, /* block_touch_buffer */
    {133, 2, 3785, 490}, /* block_unplug */
    {134, 4, 3822, 492}, /* ext4_alloc_da_blocks */
    {135, 11, 3888, 496}, /* ext4_allocate_blocks */
    {136, 4, 3913, 507}, /* ext4_allocate_inode */
    {137, 3, 3942, 511}, /* ext4_begin_ordered_truncate */
    {138, 4, 3977, 514}, /* ext4_collapse_range */
    {139, 8, 4083, 518}, /* ext4_da_release_space */
    {140, 7, 4115, 526}, /* ext4_da_reserve_space */
    {141, 9, 4161, 533}, /* ext4_da_update_reserve_space */
    {142, 10, 4270, 542}, /* ext4_da_write_pages */
    {143, 5, 4295, 552}, /* ext4_da_write_pages_extent */
    {144, 5, 4325, 557}, /* ext4_direct_IO_enter */
    {145, 6, 4346, 562}, /* ext4_direct_IO_exit */
    {146, 3, 4376, 568}, /* ext4_discard_blocks */
    {147, 4, 4403, 571}, /* ext4_discard_preallocations */
    {148, 3, 4436, 575}, /* ext4_drop_inode */
    {149, 6, 4457, 578}, /* ext4_es_cache_extent */
    {150, 3, 4478, 584}, /* ext4_es_find_delayed_extent_range_enter */
    {151, 6, 4518, 587}, /* ext4_es_find_delayed_extent_range_exit */
    {152, 6, 4557, 593}, /* ext4_es_insert_extent */
    {153, 3, 4579, 599}, /* ext4_es_lookup_extent_enter */
    {154, 7, 4613, 602}, /* ext4_es_lookup_extent_exit */
    {155, 4, 4640, 609}, /* ext4_es_remove_extent */
    {156, 5, 4701, 613}, /* ext4_es_shrink */
    {157, 3, 4737, 618}, /* ext4_es_shrink_count */
    {158, 3, 4758, 621}, /* ext4_es_shrink_scan_enter */
    {159, 3, 4784, 624}, /* ext4_es_shrink_scan_exit */
    {160, 3, 4815, 627}, /* ext4_evict_inode */
    {161, 7, 4865, 630}, /* ext4_ext_convert_to_initialized_enter */
    {162, 10, 4923, 637}, /* ext4_ext_convert_to_initialized_fastpath */
    {163, 8, 4981, 647}, /* ext4_ext_handle_unwritten_extents */
    {164, 4, 5015, 655}, /* ext4_ext_in_cache */
    {165, 4, 5033, 659}, /* ext4_ext_load_extent */
    {166, 5, 5054, 663}, /* ext4_ext_map_blocks_enter */
    {167, 8, 5087, 668}, /* ext4_ext_map_blocks_exit */
    {168, 5, 5112, 676}, /* ext4_ext_put_in_cache */
    {169, 5, 5144, 681}, /* ext4_ext_remove_space */
    {170, 10, 5210, 686}, /* ext4_ext_remove_space_done */
    {171, 3, 5237, 696}, /* ext4_ext_rm_idx */
    {172, 10, 5276, 699}, /* ext4_ext_rm_leaf */
    {173, 5, 5293, 709}, /* ext4_ext_show_extent */
    {174, 6, 5314, 714}, /* ext4_fallocate_enter */
    {175, 5, 5342, 720}, /* ext4_fallocate_exit */
    {176, 7, 5388, 725}, /* ext4_find_delalloc_range */
    {177, 5, 5425, 732}, /* ext4_forget */
    {178, 6, 5437, 737}, /* ext4_free_blocks */
    {179, 6, 5462, 743}, /* ext4_free_inode */
    {180, 6, 5478, 749}, /* ext4_get_implied_cluster_alloc_exit */
    {181, 4, 5514, 755}, /* ext4_get_reserved_cluster_alloc */
    {182, 5, 5546, 759}, /* ext4_ind_map_blocks_enter */
    {183, 8, 5572, 764}, /* ext4_ind_map_blocks_exit */
    {184, 4, 5597, 772}, /* ext4_insert_range */
    {185, 5, 5622, 776}, /* ext4_invalidatepage */
    {186, 6, 5674, 781}, /* ext4_journal_start */
    {187, 3, 5693, 787}, /* ext4_journal_start_reserved */
    {188, 5, 5721, 790}, /* ext4_journalled_invalidatepage */
    {189, 5, 5752, 795}, /* ext4_journalled_write_end */
    {190, 2, 5778, 800}, /* ext4_load_inode */
    {191, 2, 5800, 802}, /* ext4_load_inode_bitmap */
    {192, 3, 5823, 804}, /* ext4_mark_inode_dirty */
    {193, 2, 5845, 807}, /* ext4_mb_bitmap_load */
    {194, 2, 5865, 809}, /* ext4_mb_buddy_bitmap_load */
    {195, 2, 5891, 811}, /* ext4_mb_discard_preallocations */
    {196, 5, 5949, 813}, /* ext4_mb_new_group_pa */
    {197, 5, 5970, 818}, /* ext4_mb_new_inode_pa */
    {198, 3, 5991, 823}, /* ext4_mb_release_group_pa */
    {199, 4, 6016, 826}, /* ext4_mb_release_inode_pa */
    {200, 20, 6202, 830}, /* ext4_mballoc_alloc */
    {201, 5, 6221, 850}, /* ext4_mballoc_discard */
    {202, 5, 6242, 855}, /* ext4_mballoc_free */
    {203, 10, 6260, 860}, /* ext4_mballoc_prealloc */
    {204, 6, 6291, 870}, /* ext4_other_inode_update_time */
    {205, 5, 6320, 876}, /* ext4_punch_hole */
    {206, 3, 6345, 881}, /* ext4_read_block_bitmap_load */
    {207, 3, 6373, 884}, /* ext4_readpage */
    {208, 3, 6387, 887}, /* ext4_releasepage */
    {209, 11, 6404, 890}, /* ext4_remove_blocks */
    {210, 10, 6423, 901}, /* ext4_request_blocks */
    {211, 3, 6443, 911}, /* ext4_request_inode */
    {212, 2, 6467, 914}, /* ext4_sync_fs */
    {213, 5, 6500, 916}, /* ext4_trim_all_free */
    {214, 5, 6519, 921}, /* ext4_trim_extent */
    {215, 3, 6536, 926}, /* ext4_truncate_enter */
    {216, 3, 6556, 929}, /* ext4_truncate_exit */
    {217, 4, 6575, 932}, /* ext4_unlink_enter */
    {218, 3, 6593, 936}, /* ext4_unlink_exit */
    {219, 5, 6610, 939}, /* ext4_write_begin */
    {230, 5, 6627, 944}, /* ext4_write_end */
    {231, 3, 6642, 949}, /* ext4_writepage */
    {232, 10, 6734, 952}, /* ext4_writepages */
    {233, 7, 6750, 962}, /* ext4_writepages_result */
    {234, 5, 6773, 969}, /* ext4_zero_range */
    {235, 4, 6815, 974}, /* task_newtask */
    {236, 4, 6844, 978}, /* task_rename */
    {237, 3, 6873, 982}, /* sched_process_exec */
    {238, 4, 6897, 985}, /* sched_process_exit */
    {239, 4, 6960, 989}, /* sched_process_fork */
    {240, 3, 6979, 993}, /* sched_process_free */
    {241, 2, 6998, 996}, /* sched_process_hang */
    {242, 3, 7017, 998}, /* sched_process_wait */
    {243, 5, 7042, 1001}, /* f2fs_do_submit_bio */
    {244, 8, 7073, 1006}, /* f2fs_evict_inode */
    {245, 8, 7090, 1014}, /* f2fs_fallocate */
    {246, 6, 7129, 1022}, /* f2fs_get_data_block */
    {247, 11, 7221, 1028}, /* f2fs_get_victim */
    {248, 8, 7237, 1039}, /* f2fs_iget */
    {249, 3, 7247, 1047}, /* f2fs_iget_exit */
    {250, 3, 7262, 1050}, /* f2fs_new_inode */
    {251, 8, 7300, 1053}, /* f2fs_readpage */
    {252, 3, 7326, 1061}, /* f2fs_reserve_new_block */
    {253, 7, 7349, 1064}, /* f2fs_set_page_dirty */
    {254, 5, 7369, 1071}, /* f2fs_submit_write_page */
    {255, 8, 7392, 1076}, /* f2fs_sync_file_enter */
    {256, 6, 7431, 1084}, /* f2fs_sync_file_exit */
    {257, 3, 7451, 1090}, /* f2fs_sync_fs */
    {258, 8, 7464, 1093}, /* f2fs_truncate */
    {259, 5, 7478, 1101}, /* f2fs_truncate_blocks_enter */
    {260, 3, 7505, 1106}, /* f2fs_truncate_blocks_exit */
    {261, 5, 7535, 1109}, /* f2fs_truncate_data_blocks_range */
    {262, 5, 7567, 1114}, /* f2fs_truncate_inode_blocks_enter */
    {263, 3, 7600, 1119}, /* f2fs_truncate_inode_blocks_exit */
    {264, 4, 7641, 1122}, /* f2fs_truncate_node */
    {265, 4, 7660, 1126}, /* f2fs_truncate_nodes_enter */
    {266, 3, 7686, 1130}, /* f2fs_truncate_nodes_exit */
    {267, 5, 7715, 1133}, /* f2fs_truncate_partial_nodes */
    {268, 5, 7743, 1138}, /* f2fs_unlink_enter */
    {269, 3, 7761, 1143}, /* f2fs_unlink_exit */
    {270, 7, 7778, 1146}, /* f2fs_vm_page_mkwrite */
    {271, 5, 7799, 1153}, /* f2fs_write_begin */
    {272, 5, 7836, 1158}, /* f2fs_write_checkpoint */
    {273, 5, 7858, 1163}, /* f2fs_write_end */
    {274, 2, 7873, 1168}, /* alloc_pages_iommu_end */
    {275, 2, 7895, 1170}, /* alloc_pages_iommu_fail */
    {276, 2, 7918, 1172}, /* alloc_pages_iommu_start */
    {277, 2, 7942, 1174}, /* alloc_pages_sys_end */
    {278, 2, 7962, 1176}, /* alloc_pages_sys_fail */
    {279, 2, 7983, 1178}, /* alloc_pages_sys_start */
    {280, 1, 8011, 1180}, /* dma_alloc_contiguous_retry */
    {281, 4, 8055, 1181}, /* iommu_map_range */
    {282, 5, 8078, 1185}, /* iommu_sec_ptbl_map_range_end */
    {283, 5, 8107, 1190}, /* iommu_sec_ptbl_map_range_start */
    {284, 5, 8165, 1195}, /* ion_alloc_buffer_end */
    {285, 6, 8186, 1200}, /* ion_alloc_buffer_fail */
    {286, 6, 8208, 1206}, /* ion_alloc_buffer_fallback */
    {287, 5, 8234, 1212}, /* ion_alloc_buffer_start */
    {288, 1, 8257, 1217}, /* ion_cp_alloc_retry */
    {289, 4, 8282, 1218}, /* ion_cp_secure_buffer_end */
    {290, 4, 8307, 1222}, /* ion_cp_secure_buffer_start */
    {291, 1, 8334, 1226}, /* ion_prefetching */
    {292, 3, 8373, 1227}, /* ion_secure_cma_add_to_pool_end */
    {293, 3, 8404, 1230}, /* ion_secure_cma_add_to_pool_start */
    {294, 4, 8437, 1233}, /* ion_secure_cma_allocate_end */
    {295, 4, 8465, 1237}, /* ion_secure_cma_allocate_start */
    {296, 2, 8521, 1241}, /* ion_secure_cma_shrink_pool_end */
    {297, 2, 8552, 1243}, /* ion_secure_cma_shrink_pool_start */
    {298, 2, 8599, 1245}, /* kfree */
    {299, 5, 8627, 1247}, /* kmalloc */
    {300, 6, 8640, 1252}, /* kmalloc_node */
    {301, 5, 8653, 1258}, /* kmem_cache_alloc */
    {302, 6, 8670, 1263}, /* kmem_cache_alloc_node */
    {303, 2, 8692, 1269}, /* kmem_cache_free */
    {304, 1, 8708, 1271}, /* migrate_pages_end */
    {305, 1, 8726, 1272}, /* migrate_pages_start */
    {306, 1, 8746, 1273}, /* migrate_retry */
    {307, 5, 8772, 1274}, /* mm_page_alloc */
    {308, 7, 8869, 1279}, /* mm_page_alloc_extfrag */
    {309, 4, 8891, 1286}, /* mm_page_alloc_zone_locked */
    {310, 3, 8917, 1290}, /* mm_page_free */
    {311, 3, 8935, 1293}, /* mm_page_free_batched */
    {312, 4, 8956, 1296}, /* mm_page_pcpu_drain */
    {313, 4, 8993, 1300}, /* rss_stat */
    {314, 3, 9018, 1304}, /* ion_heap_shrink */
    {315, 3, 9034, 1307}, /* ion_heap_grow */
    {316, 4, 9069, 1310}, /* fence_init */
    {317, 4, 9080, 1314}, /* fence_destroy */
    {318, 4, 9094, 1318}, /* fence_enable_signal */
    {319, 4, 9114, 1322}, /* fence_signaled */
    {320, 1, 9129, 1326}, /* clk_enable */
    {321, 1, 9140, 1327}, /* clk_disable */
    {322, 2, 9157, 1328}, /* clk_set_rate */
    {323, 4, 9212, 1330}, /* binder_transaction_alloc_buf */
    {324, 3, 9254, 1334}, /* signal_deliver */
    {325, 6, 9276, 1337}, /* signal_generate */
    {326, 3, 9292, 1343}, /* oom_score_adj_update */
    {327, 2, 9330, 1346}, /* generic */
    {328, 4, 9354, 1348}, /* mm_event_record */
    {329, 2, 9375, 1352}, /* sys_enter */
    {330, 2, 9385, 1354}, /* sys_exit */
    {331, 4, 9399, 1356}, /* zero */
    {332, 2, 9411, 1360}, /* gpu_frequency */
    {333, 5, 9436, 1362}, /* sde_tracing_mark_write */
    {334, 1, 9459, 1367}, /* mark_victim */
    {335, 3, 9481, 1368}, /* ion_stat */
    {336, 2, 9490, 1371}, /* ion_buffer_create */
    {337, 2, 9508, 1373}, /* ion_buffer_destroy */
    {338, 3, 9541, 1375}, /* scm_call_start */
    {339, 0, 9556, 0}, /* scm_call_end */
    {340, 3, 9569, 1378}, /* gpu_mem_total */
    {341, 4, 9611, 1381}, /* thermal_temperature */
    {342, 2, 9638, 1385}, /* cdev_update */
    {343, 4, 9650, 1387}, /* cpuhp_exit */
    {344, 4, 9665, 1391}, /* cpuhp_multi_enter */
    {345, 4, 9683, 1395}, /* cpuhp_enter */
    {346, 4, 9700, 1399}, /* cpuhp_latency */
    {347, 3, 9718, 1403}, /* fastrpc_dma_stat */
    {348, 6, 9735, 1406}, /* dpu_tracing_mark_write */
    {349, 4, 9758, 1412}, /* g2d_tracing_mark_write */
    {350, 4, 9781, 1416}, /* mali_tracing_mark_write */
    {351, 3, 9811, 1420}, /* dma_heap_stat */
    {352, 4, 9848, 1423}, /* cpuhp_pause */
    {353, 4, 9876, 1427}, /* sched_pi_setprio */
    {354, 18, 9971, 1431}, /* sde_sde_evtlog */
    {355, 8, 10063, 1449}, /* sde_sde_perf_calc_crtc */
    {356, 12, 10174, 1457}, /* sde_sde_perf_crtc_update */
    {357, 6, 10212, 1469}, /* sde_sde_perf_set_qos_luts */
    {358, 4, 10245, 1475}, /* sde_sde_perf_update_bus */
    {359, 4, 10269, 1479}, /* rss_stat_throttled */
    {360, 3, 10296, 1483}, /* netif_receive_skb */
    {361, 4, 10317, 1486}, /* net_dev_xmit */
    {362, 9, 10386, 1490}, /* inet_sock_set_state */
    {363, 7, 10406, 1499}, /* tcp_retransmit_skb */
    {364, 6, 10509, 1506}, /* cros_ec_sensorhub_data */
    {365, 19, 10682, 1512}, /* napi_gro_receive_entry */
    {366, 1, 10705, 1531}, /* napi_gro_receive_exit */
    {367, 3, 10736, 1532}, /* kfree_skb */
    {368, 1, 10750, 1535}, /* kvm_access_fault */
    {369, 2, 10779, 1536}, /* kvm_ack_irq */
    {370, 2, 10791, 1538}, /* kvm_age_hva */
    {371, 4, 10822, 1540}, /* kvm_age_page */
    {372, 1, 10847, 1544}, /* kvm_arm_clear_debug */
    {373, 2, 10867, 1545}, /* kvm_arm_set_dreg32 */
    {374, 2, 10886, 1547}, /* kvm_arm_set_regset */
    {375, 2, 10910, 1549}, /* kvm_arm_setup_debug */
    {376, 1, 10938, 1551}, /* kvm_entry */
    {377, 3, 10955, 1552}, /* kvm_exit */
    {378, 1, 10969, 1555}, /* kvm_fpu */
    {379, 4, 11025, 1556}, /* kvm_get_timer_map */
    {380, 4, 11053, 1560}, /* kvm_guest_fault */
    {381, 1, 11069, 1564}, /* kvm_handle_sys_reg */
    {382, 3, 11095, 1565}, /* kvm_hvc_arm64 */
    {383, 4, 11126, 1568}, /* kvm_irq_line */
    {384, 4, 11143, 1572}, /* kvm_mmio */
    {385, 3, 11163, 1576}, /* kvm_mmio_emulate */
    {386, 2, 11180, 1579}, /* kvm_set_guest_debug */
    {387, 3, 11218, 1581}, /* kvm_set_irq */
    {388, 1, 11230, 1584}, /* kvm_set_spte_hva */
    {389, 2, 11253, 1585}, /* kvm_set_way_flush */
    {390, 8, 11300, 1587}, /* kvm_sys_access */
    {391, 1, 11315, 1595}, /* kvm_test_age_hva */
    {392, 2, 11354, 1596}, /* kvm_timer_emulate */
    {393, 1, 11372, 1598}, /* kvm_timer_hrtimer_expire */
    {394, 3, 11406, 1599}, /* kvm_timer_restore_state */
    {395, 3, 11430, 1602}, /* kvm_timer_save_state */
    {396, 3, 11451, 1605}, /* kvm_timer_update_irq */
    {397, 3, 11480, 1608}, /* kvm_toggle_cache */
    {398, 2, 11497, 1611}, /* kvm_unmap_hva_range */
    {399, 1, 11517, 1613}, /* kvm_userspace_exit */
    {400, 3, 11552, 1614}, /* kvm_vcpu_wakeup */
    {401, 2, 11575, 1617}, /* kvm_wfx_arm64 */
    {402, 4, 11608, 1619}, /* trap_reg */
    {403, 3, 11617, 1623}, /* vgic_update_irq_pending */
    {404, 2, 11641, 1626}, /* wakeup_source_activate */
    {405, 2, 11664, 1628}, /* wakeup_source_deactivate */
    {406, 10, 11755, 1630}, /* ufshcd_command */
    {407, 2, 11770, 1640}, /* ufshcd_clk_gating */
    {408, 1, 11788, 1642}, /* console */
    {409, 4, 11810, 1643}, /* drm_vblank_event */
    {410, 3, 11832, 1647}, /* drm_vblank_event_delivered */
    {411, 6, 11895, 1650}, /* drm_sched_job */
    {412, 6, 11909, 1656}, /* drm_run_job */
    {413, 1, 11921, 1662}, /* drm_sched_process_job */
    {414, 4, 11943, 1663}, /* dma_fence_init */
    {415, 4, 11958, 1667}, /* dma_fence_emit */
    {416, 4, 11973, 1671}, /* dma_fence_signaled */
    {417, 4, 11992, 1675}, /* dma_fence_wait_start */
    {418, 4, 12013, 1679}, /* dma_fence_wait_end */
    {419, 23, 12223, 1683}, /* f2fs_iostat */
    {420, 28, 12532, 1706}, /* f2fs_iostat_latency */
    {421, 15, 12713, 1734}, /* sched_cpu_util_cfs */
    {422, 18, 12937, 1749}, /* v4l2_qbuf */
    {423, 18, 12947, 1767}, /* v4l2_dqbuf */
    {424, 15, 12958, 1785}, /* vb2_v4l2_buf_queue */
    {425, 15, 12977, 1800}, /* vb2_v4l2_buf_done */
    {426, 15, 12995, 1815}, /* vb2_v4l2_qbuf */
    {427, 15, 13009, 1830}, /* vb2_v4l2_dqbuf */
    {428, 2, 13039, 1845}, /* dsi_cmd_fifo_status */
    {429, 2, 13066, 1847}, /* dsi_rx */
    {430, 3, 13085, 1849}, /* dsi_tx */
    {431, 3, 13092, 1852}, /* android_fs_dataread_end */
    {432, 7, 13139, 1855}, /* android_fs_dataread_start */
    {433, 3, 13165, 1862}, /* android_fs_datawrite_end */
    {434, 7, 13190, 1865}, /* android_fs_datawrite_start */
    {435, 3, 13217, 1872}, /* android_fs_fsync_end */
    {436, 5, 13238, 1875}, /* android_fs_fsync_start */
    {437, 2, 13266, 1880}, /* funcgraph_entry */
    {438, 5, 13307, 1882}, /* funcgraph_exit */
    {439, 2, 13332, 1887}, /* virtio_video_cmd */
    {440, 2, 13349, 1889}, /* virtio_video_cmd_done */
    {441, 8, 13438, 1891}, /* virtio_video_resource_queue */
    {442, 8, 13466, 1899}, /* virtio_video_resource_queue_done */
    {443, 11, 13583, 1907}, /* mm_shrink_slab_start */
    {444, 7, 13632, 1918}, /* mm_shrink_slab_end */
    {445, 4, 13660, 1925}, /* trusty_smc */
    {446, 1, 13671, 1929}, /* trusty_smc_done */
    {447, 4, 13687, 1930}, /* trusty_std_call32 */
    {448, 1, 13705, 1934}, /* trusty_std_call32_done */
    {449, 3, 13739, 1935}, /* trusty_share_memory */
    {450, 5, 13766, 1938}, /* trusty_share_memory_done */
    {451, 1, 13791, 1943}, /* trusty_reclaim_memory */
    {452, 2, 13813, 1944}, /* trusty_reclaim_memory_done */
    {453, 1, 13840, 1946}, /* trusty_irq */
    {454, 3, 13874, 1947}, /* trusty_ipc_handle_event */
    {455, 3, 13903, 1950}, /* trusty_ipc_connect */
    {456, 3, 13922, 1953}, /* trusty_ipc_connect_end */
    {457, 6, 13980, 1956}, /* trusty_ipc_write */
    {458, 3, 14007, 1962}, /* trusty_ipc_poll */
    {460, 2, 14023, 1965}, /* trusty_ipc_read */
    {461, 5, 14039, 1967}, /* trusty_ipc_read_end */
    {462, 3, 14059, 1972}, /* trusty_ipc_rx */
    {464, 3, 14088, 1975}, /* trusty_enqueue_nop */
    {465, 3, 14107, 1978}, /* cma_alloc_start */
    {466, 10, 14158, 1981}, /* cma_alloc_info */
    {467, 5, 14193, 1991}, /* lwis_tracing_mark_write */
    {468, 9, 14245, 1996}, /* virtio_gpu_cmd_queue */
    {469, 9, 14266, 2005}, /* virtio_gpu_cmd_response */
    {470, 5, 14328, 2014}, /* mali_mali_KCPU_CQS_SET */
    {471, 5, 14351, 2019}, /* mali_mali_KCPU_CQS_WAIT_START */
    {472, 5, 14381, 2024}, /* mali_mali_KCPU_CQS_WAIT_END */
    {473, 5, 14409, 2029}, /* mali_mali_KCPU_FENCE_SIGNAL */
    {474, 5, 14437, 2034}, /* mali_mali_KCPU_FENCE_WAIT_START */
    {475, 5, 14469, 2039}, /* mali_mali_KCPU_FENCE_WAIT_END */
    {476, 0, 14499, 0}, /* hyp_enter */
    {477, 0, 14509, 0}, /* hyp_exit */
    {478, 2, 14526, 2044}, /* host_hcall */
    {479, 2, 14547, 2046}, /* host_smc */
    {480, 2, 14560, 2048}, /* host_mem_abort */
    {481, 1, 14575, 2050}, /* suspend_resume_minimal */
    {482, 3, 14607, 2051}, /* mali_mali_CSF_INTERRUPT_START */
    {483, 3, 14637, 2054}, /* mali_mali_CSF_INTERRUPT_END */
    {484, 5, 14665, 2057}, /* samsung_tracing_mark_write */
    {485, 1, 14692, 2062}, /* binder_command */
    {486, 1, 14707, 2063}, /* binder_return */
    {487, 23, 14813, 2064}, /* sched_switch_with_ctrs */
    {488, 5, 14887, 2087}, /* gpu_work_period */
    {489, 2, 14903, 2092}, /* rpm_status */
    {490, 6, 14914, 2094}, /* panel_write_generic */
    {491, 7, 14960, 2100}, /* sched_migrate_task */
    {492, 2, 14979, 2107}, /* dpu_dsi_cmd_fifo_status */
    {493, 2, 15003, 2109}, /* dpu_dsi_rx */
    {494, 4, 15023, 2111}, /* dpu_dsi_tx */
    {495, 4, 15042, 2115}, /* f2fs_background_gc */
    {496, 13, 15173, 2119}, /* f2fs_gc_begin */
    {497, 11, 15207, 2132}, /* f2fs_gc_end */
    {498, 3, 15224, 2143}, /* fastrpc_dma_free */
    {499, 5, 15246, 2146}, /* fastrpc_dma_alloc */
    {500, 3, 15264, 2151}, /* fastrpc_dma_unmap */
    {501, 7, 15285, 2154}, /* fastrpc_dma_map */
    {502, 2, 15307, 2161}, /* google_icc_event */
    {503, 2, 15324, 2163}, /* google_irm_event */
    {504, 5, 15355, 2165}, /* device_pm_callback_start */
    {505, 3, 15380, 2170}, /* device_pm_callback_end */
    {506, 11, 15488, 2173}, /* thermal_exynos_acpm_bulk */
    {507, 7, 15513, 2184}, /* thermal_exynos_acpm_high_overhead */
    {508, 2, 15552, 2191}, /* dcvsh_freq */
    {509, 2, 15572, 2193}, /* kgsl_gpu_frequency */
    {510, 3, 15591, 2195}, /* mali_mali_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND */
    {511, 3, 15642, 2198}, /* mali_mali_PM_MCU_HCTL_CORES_NOTIFY_PEND */
    {512, 3, 15682, 2201}, /* mali_mali_PM_MCU_HCTL_CORE_INACTIVE_PEND */
    {513, 3, 15723, 2204}, /* mali_mali_PM_MCU_HCTL_MCU_ON_RECHECK */
    {514, 3, 15760, 2207}, /* mali_mali_PM_MCU_HCTL_SHADERS_CORE_OFF_PEND */
    {515, 3, 15804, 2210}, /* mali_mali_PM_MCU_HCTL_SHADERS_PEND_OFF */
    {516, 3, 15843, 2213}, /* mali_mali_PM_MCU_HCTL_SHADERS_PEND_ON */
    {517, 3, 15881, 2216}, /* mali_mali_PM_MCU_HCTL_SHADERS_READY_OFF */
    {518, 3, 15921, 2219}, /* mali_mali_PM_MCU_IN_SLEEP */
    {519, 3, 15947, 2222}, /* mali_mali_PM_MCU_OFF */
    {520, 3, 15968, 2225}, /* mali_mali_PM_MCU_ON */
    {521, 3, 15988, 2228}, /* mali_mali_PM_MCU_ON_CORE_ATTR_UPDATE_PEND */
    {522, 3, 16030, 2231}, /* mali_mali_PM_MCU_ON_GLB_REINIT_PEND */
    {523, 3, 16066, 2234}, /* mali_mali_PM_MCU_ON_HALT */
    {524, 3, 16091, 2237}, /* mali_mali_PM_MCU_ON_HWCNT_DISABLE */
    {525, 3, 16125, 2240}, /* mali_mali_PM_MCU_ON_HWCNT_ENABLE */
    {526, 3, 16158, 2243}, /* mali_mali_PM_MCU_ON_PEND_HALT */
    {527, 3, 16188, 2246}, /* mali_mali_PM_MCU_ON_PEND_SLEEP */
    {528, 3, 16219, 2249}, /* mali_mali_PM_MCU_ON_SLEEP_INITIATE */
    {529, 3, 16254, 2252}, /* mali_mali_PM_MCU_PEND_OFF */
    {530, 3, 16280, 2255}, /* mali_mali_PM_MCU_PEND_ON_RELOAD */
    {531, 3, 16312, 2258}, /* mali_mali_PM_MCU_POWER_DOWN */
    {532, 3, 16340, 2261}, /* mali_mali_PM_MCU_RESET_WAIT */
    {533, 9, 16438, 2264}, /* bcl_irq_trigger */
    {534, 5, 16461, 2273}, /* kgsl_adreno_cmdbatch_queued */
    {535, 13, 16557, 2278}, /* kgsl_adreno_cmdbatch_submitted */
    {536, 4, 16588, 2291}, /* kgsl_adreno_cmdbatch_sync */
    {537, 17, 16676, 2295}, /* kgsl_adreno_cmdbatch_retired */
    {538, 1, 16714, 2312}, /* pixel_mm_kswapd_wake */
    {539, 4, 16802, 2313}, /* pixel_mm_kswapd_done */
    {540, 5, 16866, 2317}, /* sched_wakeup_task_attr */
    {541, 5, 16920, 2322}, /* devfreq_frequency */
    {542, 2, 16938, 2327}, /* kprobe_event */
    {543, 3, 16956, 2329}, /* param_set_value_cpm */
    {544, 3, 16976, 2332}, /* do_sys_open */
    {545, 1, 16988, 2335}, /* open_exec */
    {546, 8, 17005, 2336}, /* block_io_start */
    {547, 8, 17020, 2344}, /* block_io_done */
    {548, 3, 17064, 2352}, /* mali_gpu_power_state */
    {549, 3, 17112, 2355}, /* dpu_disp_dpu_underrun */
    {550, 3, 17151, 2358}, /* dpu_disp_vblank_irq_enable */
    {551, 5, 17206, 2361}, /* hrtimer_start */
    {552, 1, 17220, 2366}, /* hrtimer_cancel */
    {553, 3, 17235, 2367}, /* hrtimer_expire_entry */
    {554, 1, 17256, 2370}, /* hrtimer_expire_exit */
    {555, 7, 17307, 2371}, /* timer_start */
    {556, 1, 17319, 2378}, /* timer_cancel */
    {557, 4, 17340, 2379}, /* timer_expire_entry */
    {558, 1, 17359, 2383}, /* timer_expire_exit */
    {559, 1, 17384, 2384}, /* local_timer_entry */
    {560, 1, 17402, 2385}, /* local_timer_exit */
    {561, 8, 17456, 2386}, /* dwc3_alloc_request */
    {562, 11, 17508, 2394}, /* dwc3_complete_trb */
    {563, 6, 17570, 2405}, /* dwc3_ctrl_req */
    {564, 8, 17584, 2411}, /* dwc3_ep_dequeue */
    {565, 8, 17600, 2419}, /* dwc3_ep_queue */
    {566, 3, 17623, 2427}, /* dwc3_event */
    {567, 8, 17634, 2430}, /* dwc3_free_request */
    {568, 6, 17684, 2438}, /* dwc3_gadget_ep_cmd */
    {569, 9, 17784, 2444}, /* dwc3_gadget_ep_disable */
    {570, 9, 17807, 2453}, /* dwc3_gadget_ep_enable */
    {571, 3, 17835, 2462}, /* dwc3_gadget_generic_cmd */
    {572, 8, 17859, 2465}, /* dwc3_gadget_giveback */
    {573, 11, 17880, 2473}, /* dwc3_prepare_trb */
    {574, 4, 17902, 2484}, /* dwc3_readl */
    {575, 4, 17913, 2488}, /* dwc3_writel */
    {576, 6, 17933, 2492}, /* cma_alloc_finish */
    {577, 6, 17950, 2498}, /* mm_alloc_contig_migrate_range_info */
    {578, 7, 18029, 2504}, /* host_ffa_call */
    {579, 3, 18057, 2511}, /* dmabuf_rss_stat */
    {580, 3, 18078, 2514}, /* iommu_idmap */
    {581, 2, 18090, 2517}, /* psci_mem_protect */
    {582, 2, 18107, 2519}, /* hypervisor_host_hcall */
    {583, 2, 18129, 2521}, /* hypervisor_host_smc */
    {584, 0, 18149, 0}, /* hypervisor_hyp_exit */
    {585, 3, 18169, 2523}, /* hypervisor_iommu_idmap */
    {586, 2, 18192, 2526}, /* hypervisor_psci_mem_protect */
    {587, 2, 18220, 2528}, /* hypervisor_host_mem_abort */
    {588, 0, 18246, 0}, /* hypervisor_hyp_enter */
    {589, 1, 18271, 2530}, /* hypervisor_iommu_idmap_complete */
    {590, 1, 18303, 2531}, /* hypervisor_vcpu_illegal_trap */
    {591, 4, 18362, 2532}, /* drm_sched_job_add_dep */
    {592, 2, 18384, 2536}, /* drm_sched_job_done */
    {593, 7, 18413, 2538}, /* drm_sched_job_queue */
    {594, 7, 18433, 2545}, /* drm_sched_job_run */
    {595, 4, 18451, 2552}, /* drm_sched_job_unschedulable */
    {596, 5, 18497, 2556}, /* fwtp_perfetto_counter */
    {597, 13, 18611, 2561}, /* scsi_dispatch_cmd_error */
    {598, 16, 18654, 2574}, /* scsi_dispatch_cmd_timeout */
    {599, 1, 18680, 2590}, /* scsi_eh_wakeup */
    {600, 5, 18695, 2591}, /* fwtp_perfetto_slice */
    {601, 2, 18735, 2596}, /* gpu_power_state */
    {602, 2, 18777, 2598}, /* gram_collision */
    {603, 13, 18879, 2600}, /* f2fs_lock_elapsed_time */
    {604, 4, 18912, 2613}, /* sched_group_tracker */
    {605, 5, 18967, 2617}, /* dpu_disp_frame_done_timeout */
    {606, 4, 18995, 2622}, /* dpu_disp_frame_start_timeout */
    {607, 3, 19024, 2626}, /* mm_vmscan_memcg_reclaim_begin */
    {608, 1, 19054, 2629}, /* mm_vmscan_memcg_reclaim_end */
    {609, 4, 19082, 2630}, /* dpu_disp_frame_done_missing */
    {610, 4, 19110, 2634}, /* dpu_disp_frame_start_missing */
    {611, 10, 19204, 2638}, /* panel_settings_full */
    {612, 5, 19228, 2648}, /* panel_settings_lite */
    {613, 3, 19248, 2653}, /* dpu_disp_dpu_line_underrun */
    {614, 3, 19282, 2656}, /* psci_domain_idle_exit */
    {615, 3, 19304, 2659}, /* psci_domain_idle_enter */
    {616, 3, 19335, 2662}, /* long_irq */
    {617, 3, 19351, 2665}, /* long_softirq */
};

const unsigned orma_ftrace_messages_num = 596;

const struct orma_ftrace_tracepoint orma_ftrace_tracepoints[] = {
    {19364, 13092, 411}, /* android_fs/android_fs_dataread_end */
    {19364, 13139, 412}, /* android_fs/android_fs_dataread_start */
    {19364, 13165, 413}, /* android_fs/android_fs_datawrite_end */
    {19364, 13190, 414}, /* android_fs/android_fs_datawrite_start */
    {19364, 13217, 415}, /* android_fs/android_fs_fsync_end */
    {19364, 13238, 416}, /* android_fs/android_fs_fsync_start */
    {19375, 16438, 511}, /* bcl_exynos/bcl_irq_trigger */
    {19386, 14692, 463}, /* binder/binder_command */
    {19386, 1246, 44}, /* binder/binder_lock */
    {19386, 1258, 45}, /* binder/binder_locked */
    {19386, 14707, 464}, /* binder/binder_return */
    {19386, 1222, 43}, /* binder/binder_set_priority */
    {19386, 1132, 41}, /* binder/binder_transaction */
    {19386, 9212, 303}, /* binder/binder_transaction_alloc_buf */
    {19386, 1151, 42}, /* binder/binder_transaction_received */
    {19386, 1272, 46}, /* binder/binder_unlock */
    {3843, 3452, 106}, /* block/block_bio_backmerge */
    {3843, 3472, 107}, /* block/block_bio_bounce */
    {3843, 3489, 108}, /* block/block_bio_complete */
    {3843, 3508, 109}, /* block/block_bio_frontmerge */
    {3843, 3529, 110}, /* block/block_bio_queue */
    {3843, 3564, 111}, /* block/block_bio_remap */
    {3843, 3585, 112}, /* block/block_dirty_buffer */
    {3843, 3604, 113}, /* block/block_getrq */
    {3843, 17020, 525}, /* block/block_io_done */
    {3843, 17005, 524}, /* block/block_io_start */
    {3843, 3616, 114}, /* block/block_plug */
    {3843, 3634, 115}, /* block/block_rq_abort */
    {3843, 3649, 116}, /* block/block_rq_complete */
    {3843, 3667, 117}, /* block/block_rq_insert */
    {3843, 911, 36}, /* block/block_rq_issue */
    {3843, 3691, 118}, /* block/block_rq_remap */
    {3843, 3706, 119}, /* block/block_rq_requeue */
    {3843, 3723, 120}, /* block/block_sleeprq */
    {3843, 3748, 121}, /* block/block_split */
    {3843, 3760, 122}, /* block/block_touch_buffer */
    {3843, 3785, 123}, /* block/block_unplug */
    {19393, 1630, 58}, /* cgroup/cgroup_attach_task */
    {19393, 1739, 63}, /* cgroup/cgroup_destroy_root */
    {19393, 1668, 59}, /* cgroup/cgroup_mkdir */
    {19393, 1759, 64}, /* cgroup/cgroup_release */
    {19393, 1689, 60}, /* cgroup/cgroup_remount */
    {19393, 1774, 65}, /* cgroup/cgroup_rename */
    {19393, 1704, 61}, /* cgroup/cgroup_rmdir */
    {19393, 1788, 66}, /* cgroup/cgroup_setup_root */
    {19393, 1717, 62}, /* cgroup/cgroup_transfer_tasks */
    {19400, 9140, 301}, /* clk/clk_disable */
    {19400, 9129, 300}, /* clk/clk_enable */
    {19400, 9157, 302}, /* clk/clk_set_rate */
    {19404, 17933, 554}, /* cma/cma_alloc_finish */
    {19404, 14158, 444}, /* cma/cma_alloc_info */
    {19404, 14107, 443}, /* cma/cma_alloc_start */
    {19408, 2885, 90}, /* compaction/mm_compaction_begin */
    {19408, 2945, 91}, /* compaction/mm_compaction_defer_compaction */
    {19408, 2999, 93}, /* compaction/mm_compaction_defer_reset */
    {19408, 2976, 92}, /* compaction/mm_compaction_deferred */
    {19408, 3025, 94}, /* compaction/mm_compaction_end */
    {19408, 3043, 95}, /* compaction/mm_compaction_finished */
    {19408, 3104, 96}, /* compaction/mm_compaction_isolate_freepages */
    {19408, 3136, 97}, /* compaction/mm_compaction_isolate_migratepages */
    {19408, 3171, 98}, /* compaction/mm_compaction_kcompactd_sleep */
    {19408, 3231, 99}, /* compaction/mm_compaction_kcompactd_wake */
    {19408, 3282, 100}, /* compaction/mm_compaction_migratepages */
    {19408, 3309, 101}, /* compaction/mm_compaction_suitable */
    {19408, 3341, 102}, /* compaction/mm_compaction_try_to_compact_pages */
    {19408, 3376, 103}, /* compaction/mm_compaction_wakeup_kcompactd */
    {19419, 16956, 521}, /* cpm_trace/param_set_value_cpm */
    {19429, 9683, 325}, /* cpuhp/cpuhp_enter */
    {19429, 9650, 323}, /* cpuhp/cpuhp_exit */
    {19429, 9700, 326}, /* cpuhp/cpuhp_latency */
    {19429, 9665, 324}, /* cpuhp/cpuhp_multi_enter */
    {19429, 9848, 332}, /* cpuhp/cpuhp_pause */
    {19435, 10509, 344}, /* cros_ec/cros_ec_sensorhub_data */
    {19443, 15552, 486}, /* dcvsh/dcvsh_freq */
    {19449, 16920, 519}, /* devfreq/devfreq_frequency */
    {19457, 11958, 395}, /* dma_fence/dma_fence_emit */
    {19457, 11943, 394}, /* dma_fence/dma_fence_init */
    {19457, 11973, 396}, /* dma_fence/dma_fence_signaled */
    {19457, 12013, 398}, /* dma_fence/dma_fence_wait_end */
    {19457, 11992, 397}, /* dma_fence/dma_fence_wait_start */
    {19467, 9811, 331}, /* dmabuf_heap/dma_heap_stat */
    {19479, 19483, 591}, /* dpu/disp_dpu_line_underrun */
    {19479, 19506, 527}, /* dpu/disp_dpu_underrun */
    {19479, 19524, 587}, /* dpu/disp_frame_done_missing */
    {19479, 19548, 583}, /* dpu/disp_frame_done_timeout */
    {19479, 19572, 588}, /* dpu/disp_frame_start_missing */
    {19479, 19597, 584}, /* dpu/disp_frame_start_timeout */
    {19479, 19622, 528}, /* dpu/disp_vblank_irq_enable */
    {19479, 13039, 470}, /* dpu/dsi_cmd_fifo_status */
    {19479, 13066, 471}, /* dpu/dsi_rx */
    {19479, 13085, 472}, /* dpu/dsi_tx */
    {19479, 2049, 328}, /* dpu/tracing_mark_write */
    {19645, 11810, 389}, /* drm/drm_vblank_event */
    {19645, 11832, 390}, /* drm/drm_vblank_event_delivered */
    {19649, 17456, 539}, /* dwc3/dwc3_alloc_request */
    {19649, 17508, 540}, /* dwc3/dwc3_complete_trb */
    {19649, 17570, 541}, /* dwc3/dwc3_ctrl_req */
    {19649, 17584, 542}, /* dwc3/dwc3_ep_dequeue */
    {19649, 17600, 543}, /* dwc3/dwc3_ep_queue */
    {19649, 17623, 544}, /* dwc3/dwc3_event */
    {19649, 17634, 545}, /* dwc3/dwc3_free_request */
    {19649, 17684, 546}, /* dwc3/dwc3_gadget_ep_cmd */
    {19649, 17784, 547}, /* dwc3/dwc3_gadget_ep_disable */
    {19649, 17807, 548}, /* dwc3/dwc3_gadget_ep_enable */
    {19649, 17835, 549}, /* dwc3/dwc3_gadget_generic_cmd */
    {19649, 17859, 550}, /* dwc3/dwc3_gadget_giveback */
    {19649, 17880, 551}, /* dwc3/dwc3_prepare_trb */
    {19649, 17902, 552}, /* dwc3/dwc3_readl */
    {19649, 17913, 553}, /* dwc3/dwc3_writel */
    {19654, 3822, 124}, /* ext4/ext4_alloc_da_blocks */
    {19654, 3888, 125}, /* ext4/ext4_allocate_blocks */
    {19654, 3913, 126}, /* ext4/ext4_allocate_inode */
    {19654, 3942, 127}, /* ext4/ext4_begin_ordered_truncate */
    {19654, 3977, 128}, /* ext4/ext4_collapse_range */
    {19654, 4083, 129}, /* ext4/ext4_da_release_space */
    {19654, 4115, 130}, /* ext4/ext4_da_reserve_space */
    {19654, 4161, 131}, /* ext4/ext4_da_update_reserve_space */
    {19654, 777, 32}, /* ext4/ext4_da_write_begin */
    {19654, 804, 33}, /* ext4/ext4_da_write_end */
    {19654, 4270, 132}, /* ext4/ext4_da_write_pages */
    {19654, 4295, 133}, /* ext4/ext4_da_write_pages_extent */
    {19654, 4325, 134}, /* ext4/ext4_direct_IO_enter */
    {19654, 4346, 135}, /* ext4/ext4_direct_IO_exit */
    {19654, 4376, 136}, /* ext4/ext4_discard_blocks */
    {19654, 4403, 137}, /* ext4/ext4_discard_preallocations */
    {19654, 4436, 138}, /* ext4/ext4_drop_inode */
    {19654, 4457, 139}, /* ext4/ext4_es_cache_extent */
    {19654, 4478, 140}, /* ext4/ext4_es_find_delayed_extent_range_enter */
    {19654, 4518, 141}, /* ext4/ext4_es_find_delayed_extent_range_exit */
    {19654, 4557, 142}, /* ext4/ext4_es_insert_extent */
    {19654, 4579, 143}, /* ext4/ext4_es_lookup_extent_enter */
    {19654, 4613, 144}, /* ext4/ext4_es_lookup_extent_exit */
    {19654, 4640, 145}, /* ext4/ext4_es_remove_extent */
    {19654, 4701, 146}, /* ext4/ext4_es_shrink */
    {19654, 4737, 147}, /* ext4/ext4_es_shrink_count */
    {19654, 4758, 148}, /* ext4/ext4_es_shrink_scan_enter */
    {19654, 4784, 149}, /* ext4/ext4_es_shrink_scan_exit */
    {19654, 4815, 150}, /* ext4/ext4_evict_inode */
    {19654, 4865, 151}, /* ext4/ext4_ext_convert_to_initialized_enter */
    {19654, 4923, 152}, /* ext4/ext4_ext_convert_to_initialized_fastpath */
    {19654, 4981, 153}, /* ext4/ext4_ext_handle_unwritten_extents */
    {19654, 5015, 154}, /* ext4/ext4_ext_in_cache */
    {19654, 5033, 155}, /* ext4/ext4_ext_load_extent */
    {19654, 5054, 156}, /* ext4/ext4_ext_map_blocks_enter */
    {19654, 5087, 157}, /* ext4/ext4_ext_map_blocks_exit */
    {19654, 5112, 158}, /* ext4/ext4_ext_put_in_cache */
    {19654, 5144, 159}, /* ext4/ext4_ext_remove_space */
    {19654, 5210, 160}, /* ext4/ext4_ext_remove_space_done */
    {19654, 5237, 161}, /* ext4/ext4_ext_rm_idx */
    {19654, 5276, 162}, /* ext4/ext4_ext_rm_leaf */
    {19654, 5293, 163}, /* ext4/ext4_ext_show_extent */
    {19654, 5314, 164}, /* ext4/ext4_fallocate_enter */
    {19654, 5342, 165}, /* ext4/ext4_fallocate_exit */
    {19654, 5388, 166}, /* ext4/ext4_find_delalloc_range */
    {19654, 5425, 167}, /* ext4/ext4_forget */
    {19654, 5437, 168}, /* ext4/ext4_free_blocks */
    {19654, 5462, 169}, /* ext4/ext4_free_inode */
    {19654, 5478, 170}, /* ext4/ext4_get_implied_cluster_alloc_exit */
    {19654, 5514, 171}, /* ext4/ext4_get_reserved_cluster_alloc */
    {19654, 5546, 172}, /* ext4/ext4_ind_map_blocks_enter */
    {19654, 5572, 173}, /* ext4/ext4_ind_map_blocks_exit */
    {19654, 5597, 174}, /* ext4/ext4_insert_range */
    {19654, 5622, 175}, /* ext4/ext4_invalidatepage */
    {19654, 5674, 176}, /* ext4/ext4_journal_start */
    {19654, 5693, 177}, /* ext4/ext4_journal_start_reserved */
    {19654, 5721, 178}, /* ext4/ext4_journalled_invalidatepage */
    {19654, 5752, 179}, /* ext4/ext4_journalled_write_end */
    {19654, 5778, 180}, /* ext4/ext4_load_inode */
    {19654, 5800, 181}, /* ext4/ext4_load_inode_bitmap */
    {19654, 5823, 182}, /* ext4/ext4_mark_inode_dirty */
    {19654, 5845, 183}, /* ext4/ext4_mb_bitmap_load */
    {19654, 5865, 184}, /* ext4/ext4_mb_buddy_bitmap_load */
    {19654, 5891, 185}, /* ext4/ext4_mb_discard_preallocations */
    {19654, 5949, 186}, /* ext4/ext4_mb_new_group_pa */
    {19654, 5970, 187}, /* ext4/ext4_mb_new_inode_pa */
    {19654, 5991, 188}, /* ext4/ext4_mb_release_group_pa */
    {19654, 6016, 189}, /* ext4/ext4_mb_release_inode_pa */
    {19654, 6202, 190}, /* ext4/ext4_mballoc_alloc */
    {19654, 6221, 191}, /* ext4/ext4_mballoc_discard */
    {19654, 6242, 192}, /* ext4/ext4_mballoc_free */
    {19654, 6260, 193}, /* ext4/ext4_mballoc_prealloc */
    {19654, 6291, 194}, /* ext4/ext4_other_inode_update_time */
    {19654, 6320, 195}, /* ext4/ext4_punch_hole */
    {19654, 6345, 196}, /* ext4/ext4_read_block_bitmap_load */
    {19654, 6373, 197}, /* ext4/ext4_readpage */
    {19654, 6387, 198}, /* ext4/ext4_releasepage */
    {19654, 6404, 199}, /* ext4/ext4_remove_blocks */
    {19654, 6423, 200}, /* ext4/ext4_request_blocks */
    {19654, 6443, 201}, /* ext4/ext4_request_inode */
    {19654, 838, 34}, /* ext4/ext4_sync_file_enter */
    {19654, 859, 35}, /* ext4/ext4_sync_file_exit */
    {19654, 6467, 202}, /* ext4/ext4_sync_fs */
    {19654, 6500, 203}, /* ext4/ext4_trim_all_free */
    {19654, 6519, 204}, /* ext4/ext4_trim_extent */
    {19654, 6536, 205}, /* ext4/ext4_truncate_enter */
    {19654, 6556, 206}, /* ext4/ext4_truncate_exit */
    {19654, 6575, 207}, /* ext4/ext4_unlink_enter */
    {19654, 6593, 208}, /* ext4/ext4_unlink_exit */
    {19654, 6610, 209}, /* ext4/ext4_write_begin */
    {19654, 6627, 210}, /* ext4/ext4_write_end */
    {19654, 6642, 211}, /* ext4/ext4_writepage */
    {19654, 6734, 212}, /* ext4/ext4_writepages */
    {19654, 6750, 213}, /* ext4/ext4_writepages_result */
    {19654, 6773, 214}, /* ext4/ext4_zero_range */
    {19659, 15042, 473}, /* f2fs/f2fs_background_gc */
    {19659, 7042, 223}, /* f2fs/f2fs_do_submit_bio */
    {19659, 7073, 224}, /* f2fs/f2fs_evict_inode */
    {19659, 7090, 225}, /* f2fs/f2fs_fallocate */
    {19659, 15173, 474}, /* f2fs/f2fs_gc_begin */
    {19659, 15207, 475}, /* f2fs/f2fs_gc_end */
    {19659, 7129, 226}, /* f2fs/f2fs_get_data_block */
    {19659, 7221, 227}, /* f2fs/f2fs_get_victim */
    {19659, 7237, 228}, /* f2fs/f2fs_iget */
    {19659, 7247, 229}, /* f2fs/f2fs_iget_exit */
    {19659, 12223, 399}, /* f2fs/f2fs_iostat */
    {19659, 12532, 400}, /* f2fs/f2fs_iostat_latency */
    {19659, 18879, 581}, /* f2fs/f2fs_lock_elapsed_time */
    {19659, 7262, 230}, /* f2fs/f2fs_new_inode */
    {19659, 7300, 231}, /* f2fs/f2fs_readpage */
    {19659, 7326, 232}, /* f2fs/f2fs_reserve_new_block */
    {19659, 7349, 233}, /* f2fs/f2fs_set_page_dirty */
    {19659, 7369, 234}, /* f2fs/f2fs_submit_write_page */
    {19659, 7392, 235}, /* f2fs/f2fs_sync_file_enter */
    {19659, 7431, 236}, /* f2fs/f2fs_sync_file_exit */
    {19659, 7451, 237}, /* f2fs/f2fs_sync_fs */
    {19659, 7464, 238}, /* f2fs/f2fs_truncate */
    {19659, 7478, 239}, /* f2fs/f2fs_truncate_blocks_enter */
    {19659, 7505, 240}, /* f2fs/f2fs_truncate_blocks_exit */
    {19659, 7535, 241}, /* f2fs/f2fs_truncate_data_blocks_range */
    {19659, 7567, 242}, /* f2fs/f2fs_truncate_inode_blocks_enter */
    {19659, 7600, 243}, /* f2fs/f2fs_truncate_inode_blocks_exit */
    {19659, 7641, 244}, /* f2fs/f2fs_truncate_node */
    {19659, 7660, 245}, /* f2fs/f2fs_truncate_nodes_enter */
    {19659, 7686, 246}, /* f2fs/f2fs_truncate_nodes_exit */
    {19659, 7715, 247}, /* f2fs/f2fs_truncate_partial_nodes */
    {19659, 7743, 248}, /* f2fs/f2fs_unlink_enter */
    {19659, 7761, 249}, /* f2fs/f2fs_unlink_exit */
    {19659, 7778, 250}, /* f2fs/f2fs_vm_page_mkwrite */
    {19659, 7799, 251}, /* f2fs/f2fs_write_begin */
    {19659, 7836, 252}, /* f2fs/f2fs_write_checkpoint */
    {19659, 7858, 253}, /* f2fs/f2fs_write_end */
    {19664, 15246, 477}, /* fastrpc/fastrpc_dma_alloc */
    {19664, 15224, 476}, /* fastrpc/fastrpc_dma_free */
    {19664, 15285, 479}, /* fastrpc/fastrpc_dma_map */
    {19664, 9718, 327}, /* fastrpc/fastrpc_dma_stat */
    {19664, 15264, 478}, /* fastrpc/fastrpc_dma_unmap */
    {11866, 9080, 297}, /* fence/fence_destroy */
    {11866, 9094, 298}, /* fence/fence_enable_signal */
    {11866, 9069, 296}, /* fence/fence_init */
    {11866, 9114, 299}, /* fence/fence_signaled */
    {19672, 2776, 88}, /* filemap/mm_filemap_add_to_page_cache */
    {19672, 2805, 89}, /* filemap/mm_filemap_delete_from_page_cache */
    {19680, 16976, 522}, /* fs/do_sys_open */
    {19680, 16988, 523}, /* fs/open_exec */
    {19683, 13266, 417}, /* ftrace/funcgraph_entry */
    {19683, 13307, 418}, /* ftrace/funcgraph_exit */
    {19683, 7, 0}, /* ftrace/print */
    {19690, 18497, 574}, /* fwtp_ftrace/fwtp_perfetto_counter */
    {19690, 18695, 578}, /* fwtp_ftrace/fwtp_perfetto_slice */
    {19702, 2049, 329}, /* g2d/tracing_mark_write */
    {19706, 15307, 480}, /* google_icc_trace/google_icc_event */
    {19723, 15324, 481}, /* google_irm_trace/google_irm_event */
    {19740, 9569, 320}, /* gpu_mem/gpu_mem_total */
    {19748, 11909, 392}, /* gpu_scheduler/drm_run_job */
    {19748, 11895, 391}, /* gpu_scheduler/drm_sched_job */
    {19748, 18362, 569}, /* gpu_scheduler/drm_sched_job_add_dep */
    {19748, 18384, 570}, /* gpu_scheduler/drm_sched_job_done */
    {19748, 18413, 571}, /* gpu_scheduler/drm_sched_job_queue */
    {19748, 18433, 572}, /* gpu_scheduler/drm_sched_job_run */
    {19748, 18451, 573}, /* gpu_scheduler/drm_sched_job_unschedulable */
    {19748, 11921, 393}, /* gpu_scheduler/drm_sched_process_job */
    {19762, 18029, 556}, /* hyp/host_ffa_call */
    {19762, 14526, 456}, /* hyp/host_hcall */
    {19762, 14560, 458}, /* hyp/host_mem_abort */
    {19762, 14547, 457}, /* hyp/host_smc */
    {19762, 14499, 454}, /* hyp/hyp_enter */
    {19762, 14509, 455}, /* hyp/hyp_exit */
    {19762, 18078, 558}, /* hyp/iommu_idmap */
    {19762, 18090, 559}, /* hyp/psci_mem_protect */
    {19766, 14526, 560}, /* hypervisor/host_hcall */
    {19766, 14560, 565}, /* hypervisor/host_mem_abort */
    {19766, 14547, 561}, /* hypervisor/host_smc */
    {19766, 14499, 566}, /* hypervisor/hyp_enter */
    {19766, 14509, 562}, /* hypervisor/hyp_exit */
    {19766, 18078, 563}, /* hypervisor/iommu_idmap */
    {19766, 19777, 567}, /* hypervisor/iommu_idmap_complete */
    {19766, 18090, 564}, /* hypervisor/psci_mem_protect */
    {19766, 19798, 568}, /* hypervisor/vcpu_illegal_trap */
    {19816, 482, 18}, /* i2c/i2c_read */
    {19816, 524, 21}, /* i2c/i2c_reply */
    {19816, 513, 20}, /* i2c/i2c_result */
    {19816, 491, 19}, /* i2c/i2c_write */
    {19816, 551, 22}, /* i2c/smbus_read */
    {19816, 602, 25}, /* i2c/smbus_reply */
    {19816, 589, 24}, /* i2c/smbus_result */
    {19816, 562, 23}, /* i2c/smbus_write */
    {19820, 9481, 315}, /* ion/ion_stat */
    {19824, 363, 12}, /* ipi/ipi_entry */
    {19824, 373, 13}, /* ipi/ipi_exit */
    {19824, 394, 14}, /* ipi/ipi_raise */
    {665, 677, 27}, /* irq/irq_handler_entry */
    {665, 695, 28}, /* irq/irq_handler_exit */
    {665, 408, 15}, /* irq/softirq_entry */
    {665, 422, 16}, /* irq/softirq_exit */
    {665, 435, 17}, /* irq/softirq_raise */
    {19828, 17384, 537}, /* irq_vectors/local_timer_entry */
    {19828, 17402, 538}, /* irq_vectors/local_timer_exit */
    {19840, 19845, 512}, /* kgsl/adreno_cmdbatch_queued */
    {19840, 19868, 515}, /* kgsl/adreno_cmdbatch_retired */
    {19840, 19892, 513}, /* kgsl/adreno_cmdbatch_submitted */
    {19840, 19918, 514}, /* kgsl/adreno_cmdbatch_sync */
    {19840, 9411, 487}, /* kgsl/gpu_frequency */
    {19939, 7873, 254}, /* kmem/alloc_pages_iommu_end */
    {19939, 7895, 255}, /* kmem/alloc_pages_iommu_fail */
    {19939, 7918, 256}, /* kmem/alloc_pages_iommu_start */
    {19939, 7942, 257}, /* kmem/alloc_pages_sys_end */
    {19939, 7962, 258}, /* kmem/alloc_pages_sys_fail */
    {19939, 7983, 259}, /* kmem/alloc_pages_sys_start */
    {19939, 8011, 260}, /* kmem/dma_alloc_contiguous_retry */
    {19939, 18057, 557}, /* kmem/dmabuf_rss_stat */
    {19939, 8055, 261}, /* kmem/iommu_map_range */
    {19939, 8078, 262}, /* kmem/iommu_sec_ptbl_map_range_end */
    {19939, 8107, 263}, /* kmem/iommu_sec_ptbl_map_range_start */
    {19939, 8165, 264}, /* kmem/ion_alloc_buffer_end */
    {19939, 8186, 265}, /* kmem/ion_alloc_buffer_fail */
    {19939, 8208, 266}, /* kmem/ion_alloc_buffer_fallback */
    {19939, 8234, 267}, /* kmem/ion_alloc_buffer_start */
    {19939, 9490, 316}, /* kmem/ion_buffer_create */
    {19939, 9508, 317}, /* kmem/ion_buffer_destroy */
    {19939, 8257, 268}, /* kmem/ion_cp_alloc_retry */
    {19939, 8282, 269}, /* kmem/ion_cp_secure_buffer_end */
    {19939, 8307, 270}, /* kmem/ion_cp_secure_buffer_start */
    {19939, 9034, 295}, /* kmem/ion_heap_grow */
    {19939, 9018, 294}, /* kmem/ion_heap_shrink */
    {19939, 8334, 271}, /* kmem/ion_prefetching */
    {19939, 8373, 272}, /* kmem/ion_secure_cma_add_to_pool_end */
    {19939, 8404, 273}, /* kmem/ion_secure_cma_add_to_pool_start */
    {19939, 8437, 274}, /* kmem/ion_secure_cma_allocate_end */
    {19939, 8465, 275}, /* kmem/ion_secure_cma_allocate_start */
    {19939, 8521, 276}, /* kmem/ion_secure_cma_shrink_pool_end */
    {19939, 8552, 277}, /* kmem/ion_secure_cma_shrink_pool_start */
    {19939, 8599, 278}, /* kmem/kfree */
    {19939, 8627, 279}, /* kmem/kmalloc */
    {19939, 8640, 280}, /* kmem/kmalloc_node */
    {19939, 8653, 281}, /* kmem/kmem_cache_alloc */
    {19939, 8670, 282}, /* kmem/kmem_cache_alloc_node */
    {19939, 8692, 283}, /* kmem/kmem_cache_free */
    {19939, 8708, 284}, /* kmem/migrate_pages_end */
    {19939, 8726, 285}, /* kmem/migrate_pages_start */
    {19939, 8746, 286}, /* kmem/migrate_retry */
    {19939, 17950, 555}, /* kmem/mm_alloc_contig_migrate_range_info */
    {19939, 8772, 287}, /* kmem/mm_page_alloc */
    {19939, 8869, 288}, /* kmem/mm_page_alloc_extfrag */
    {19939, 8891, 289}, /* kmem/mm_page_alloc_zone_locked */
    {19939, 8917, 290}, /* kmem/mm_page_free */
    {19939, 8935, 291}, /* kmem/mm_page_free_batched */
    {19939, 8956, 292}, /* kmem/mm_page_pcpu_drain */
    {19939, 8993, 293}, /* kmem/rss_stat */
    {19944, 10750, 348}, /* kvm/kvm_access_fault */
    {19944, 10779, 349}, /* kvm/kvm_ack_irq */
    {19944, 10791, 350}, /* kvm/kvm_age_hva */
    {19944, 10822, 351}, /* kvm/kvm_age_page */
    {19944, 10847, 352}, /* kvm/kvm_arm_clear_debug */
    {19944, 10867, 353}, /* kvm/kvm_arm_set_dreg32 */
    {19944, 10886, 354}, /* kvm/kvm_arm_set_regset */
    {19944, 10910, 355}, /* kvm/kvm_arm_setup_debug */
    {19944, 10938, 356}, /* kvm/kvm_entry */
    {19944, 10955, 357}, /* kvm/kvm_exit */
    {19944, 10969, 358}, /* kvm/kvm_fpu */
    {19944, 11025, 359}, /* kvm/kvm_get_timer_map */
    {19944, 11053, 360}, /* kvm/kvm_guest_fault */
    {19944, 11069, 361}, /* kvm/kvm_handle_sys_reg */
    {19944, 11095, 362}, /* kvm/kvm_hvc_arm64 */
    {19944, 11126, 363}, /* kvm/kvm_irq_line */
    {19944, 11143, 364}, /* kvm/kvm_mmio */
    {19944, 11163, 365}, /* kvm/kvm_mmio_emulate */
    {19944, 11180, 366}, /* kvm/kvm_set_guest_debug */
    {19944, 11218, 367}, /* kvm/kvm_set_irq */
    {19944, 11230, 368}, /* kvm/kvm_set_spte_hva */
    {19944, 11253, 369}, /* kvm/kvm_set_way_flush */
    {19944, 11300, 370}, /* kvm/kvm_sys_access */
    {19944, 11315, 371}, /* kvm/kvm_test_age_hva */
    {19944, 11354, 372}, /* kvm/kvm_timer_emulate */
    {19944, 11372, 373}, /* kvm/kvm_timer_hrtimer_expire */
    {19944, 11406, 374}, /* kvm/kvm_timer_restore_state */
    {19944, 11430, 375}, /* kvm/kvm_timer_save_state */
    {19944, 11451, 376}, /* kvm/kvm_timer_update_irq */
    {19944, 11480, 377}, /* kvm/kvm_toggle_cache */
    {19944, 11497, 378}, /* kvm/kvm_unmap_hva_range */
    {19944, 11517, 379}, /* kvm/kvm_userspace_exit */
    {19944, 11552, 380}, /* kvm/kvm_vcpu_wakeup */
    {19944, 11575, 381}, /* kvm/kvm_wfx_arm64 */
    {19944, 11608, 382}, /* kvm/trap_reg */
    {19944, 11617, 383}, /* kvm/vgic_update_irq_pending */
    {19948, 650, 26}, /* lowmemorykiller/lowmemory_kill */
    {19964, 2049, 445}, /* lwis/tracing_mark_write */
    {19969, 18735, 526}, /* mali/gpu_power_state */
    {19969, 19974, 461}, /* mali/mali_CSF_INTERRUPT_END */
    {19969, 19997, 460}, /* mali/mali_CSF_INTERRUPT_START */
    {19969, 20022, 448}, /* mali/mali_KCPU_CQS_SET */
    {19969, 20040, 450}, /* mali/mali_KCPU_CQS_WAIT_END */
    {19969, 20063, 449}, /* mali/mali_KCPU_CQS_WAIT_START */
    {19969, 20088, 451}, /* mali/mali_KCPU_FENCE_SIGNAL */
    {19969, 20111, 453}, /* mali/mali_KCPU_FENCE_WAIT_END */
    {19969, 20136, 452}, /* mali/mali_KCPU_FENCE_WAIT_START */
    {19969, 20163, 488}, /* mali/mali_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND */
    {19969, 20209, 489}, /* mali/mali_PM_MCU_HCTL_CORES_NOTIFY_PEND */
    {19969, 20244, 490}, /* mali/mali_PM_MCU_HCTL_CORE_INACTIVE_PEND */
    {19969, 20280, 491}, /* mali/mali_PM_MCU_HCTL_MCU_ON_RECHECK */
    {19969, 20312, 492}, /* mali/mali_PM_MCU_HCTL_SHADERS_CORE_OFF_PEND */
    {19969, 20351, 493}, /* mali/mali_PM_MCU_HCTL_SHADERS_PEND_OFF */
    {19969, 20385, 494}, /* mali/mali_PM_MCU_HCTL_SHADERS_PEND_ON */
    {19969, 20418, 495}, /* mali/mali_PM_MCU_HCTL_SHADERS_READY_OFF */
    {19969, 20453, 496}, /* mali/mali_PM_MCU_IN_SLEEP */
    {19969, 20474, 497}, /* mali/mali_PM_MCU_OFF */
    {19969, 20490, 498}, /* mali/mali_PM_MCU_ON */
    {19969, 20505, 499}, /* mali/mali_PM_MCU_ON_CORE_ATTR_UPDATE_PEND */
    {19969, 20542, 500}, /* mali/mali_PM_MCU_ON_GLB_REINIT_PEND */
    {19969, 20573, 501}, /* mali/mali_PM_MCU_ON_HALT */
    {19969, 20593, 502}, /* mali/mali_PM_MCU_ON_HWCNT_DISABLE */
    {19969, 20622, 503}, /* mali/mali_PM_MCU_ON_HWCNT_ENABLE */
    {19969, 20650, 504}, /* mali/mali_PM_MCU_ON_PEND_HALT */
    {19969, 20675, 505}, /* mali/mali_PM_MCU_ON_PEND_SLEEP */
    {19969, 20701, 506}, /* mali/mali_PM_MCU_ON_SLEEP_INITIATE */
    {19969, 20731, 507}, /* mali/mali_PM_MCU_PEND_OFF */
    {19969, 20752, 508}, /* mali/mali_PM_MCU_PEND_ON_RELOAD */
    {19969, 20779, 509}, /* mali/mali_PM_MCU_POWER_DOWN */
    {19969, 20802, 510}, /* mali/mali_PM_MCU_RESET_WAIT */
    {19969, 2049, 330}, /* mali/tracing_mark_write */
    {20825, 1826, 67}, /* mdss/mdp_cmd_kickoff */
    {20825, 2093, 72}, /* mdss/mdp_cmd_pingpong_done */
    {20825, 2264, 76}, /* mdss/mdp_cmd_readptr_done */
    {20825, 2397, 80}, /* mdss/mdp_cmd_release_bw */
    {20825, 2555, 84}, /* mdss/mdp_cmd_wait_pingpong */
    {20825, 1874, 68}, /* mdss/mdp_commit */
    {20825, 2182, 73}, /* mdss/mdp_compare_bw */
    {20825, 2308, 77}, /* mdss/mdp_misr_crc */
    {20825, 2426, 81}, /* mdss/mdp_mixer_update */
    {20825, 2657, 85}, /* mdss/mdp_perf_prefill_calc */
    {20825, 1915, 69}, /* mdss/mdp_perf_set_ot */
    {20825, 2227, 74}, /* mdss/mdp_perf_set_panic_luts */
    {20825, 2344, 78}, /* mdss/mdp_perf_set_qos_luts */
    {20825, 2495, 82}, /* mdss/mdp_perf_set_wm_levels */
    {20825, 2704, 86}, /* mdss/mdp_perf_update_bus */
    {20825, 2010, 70}, /* mdss/mdp_sspp_change */
    {20825, 2251, 75}, /* mdss/mdp_sspp_set */
    {20825, 2379, 79}, /* mdss/mdp_trace_counter */
    {20825, 2531, 83}, /* mdss/mdp_video_underrun_done */
    {20825, 2724, 87}, /* mdss/rotator_bw_ao_as_context */
    {20825, 2049, 71}, /* mdss/tracing_mark_write */
    {20830, 9354, 308}, /* mm_event/mm_event_record */
    {20839, 10682, 345}, /* net/napi_gro_receive_entry */
    {20839, 10705, 346}, /* net/napi_gro_receive_exit */
    {20839, 10317, 341}, /* net/net_dev_xmit */
    {20839, 10296, 340}, /* net/netif_receive_skb */
    {20843, 9459, 314}, /* oom/mark_victim */
    {20843, 9292, 306}, /* oom/oom_score_adj_update */
    {20847, 13039, 408}, /* panel/dsi_cmd_fifo_status */
    {20847, 13066, 409}, /* panel/dsi_rx */
    {20847, 13085, 410}, /* panel/dsi_tx */
    {20847, 18777, 580}, /* panel/gram_collision */
    {20847, 19204, 589}, /* panel/panel_settings_full */
    {20847, 19228, 590}, /* panel/panel_settings_lite */
    {20847, 14914, 468}, /* panel/panel_write_generic */
    {20853, 14813, 465}, /* perf_trace_counters/sched_switch_with_ctrs */
    {20873, 19335, 594}, /* pixel_metrics/long_irq */
    {20873, 19351, 595}, /* pixel_metrics/long_softirq */
    {20887, 16802, 517}, /* pixel_mm/pixel_mm_kswapd_done */
    {20887, 16714, 516}, /* pixel_mm/pixel_mm_kswapd_wake */
    {20896, 188, 6}, /* power/clock_disable */
    {20896, 175, 5}, /* power/clock_enable */
    {20896, 202, 7}, /* power/clock_set_rate */
    {20896, 108, 2}, /* power/cpu_frequency */
    {20896, 140, 3}, /* power/cpu_frequency_limits */
    {20896, 161, 4}, /* power/cpu_idle */
    {20896, 15380, 483}, /* power/device_pm_callback_end */
    {20896, 15355, 482}, /* power/device_pm_callback_start */
    {20896, 9411, 312}, /* power/gpu_frequency */
    {20896, 18735, 579}, /* power/gpu_power_state */
    {20896, 14887, 466}, /* power/gpu_work_period */
    {20896, 19304, 593}, /* power/psci_domain_idle_enter */
    {20896, 19282, 592}, /* power/psci_domain_idle_exit */
    {20896, 3420, 104}, /* power/suspend_resume */
    {20896, 11641, 384}, /* power/wakeup_source_activate */
    {20896, 11664, 385}, /* power/wakeup_source_deactivate */
    {20902, 11788, 388}, /* printk/console */
    {20909, 9375, 309}, /* raw_syscalls/sys_enter */
    {20909, 9385, 310}, /* raw_syscalls/sys_exit */
    {20922, 1413, 51}, /* regulator/regulator_disable */
    {20922, 1431, 52}, /* regulator/regulator_disable_complete */
    {20922, 1458, 53}, /* regulator/regulator_enable */
    {20922, 1475, 54}, /* regulator/regulator_enable_complete */
    {20922, 1501, 55}, /* regulator/regulator_enable_delay */
    {20922, 1532, 56}, /* regulator/regulator_set_voltage */
    {20922, 1558, 57}, /* regulator/regulator_set_voltage_complete */
    {20932, 14903, 467}, /* rpm/rpm_status */
    {20936, 2049, 462}, /* samsung/tracing_mark_write */
    {20944, 278, 9}, /* sched/sched_blocked_reason */
    {20944, 325, 10}, /* sched/sched_cpu_hotplug */
    {20944, 12713, 401}, /* sched/sched_cpu_util_cfs */
    {20944, 18912, 582}, /* sched/sched_group_tracker */
    {20944, 14960, 469}, /* sched/sched_migrate_task */
    {20944, 9876, 333}, /* sched/sched_pi_setprio */
    {20944, 6873, 217}, /* sched/sched_process_exec */
    {20944, 6897, 218}, /* sched/sched_process_exit */
    {20944, 6960, 219}, /* sched/sched_process_fork */
    {20944, 6979, 220}, /* sched/sched_process_free */
    {20944, 6998, 221}, /* sched/sched_process_hang */
    {20944, 7017, 222}, /* sched/sched_process_wait */
    {20944, 82, 1}, /* sched/sched_switch */
    {20944, 250, 8}, /* sched/sched_wakeup */
    {20944, 3435, 105}, /* sched/sched_wakeup_new */
    {20944, 16866, 518}, /* sched/sched_wakeup_task_attr */
    {20944, 343, 11}, /* sched/sched_waking */
    {20950, 9556, 319}, /* scm/scm_call_end */
    {20950, 9541, 318}, /* scm/scm_call_start */
    {20954, 18611, 575}, /* scsi/scsi_dispatch_cmd_error */
    {20954, 18654, 576}, /* scsi/scsi_dispatch_cmd_timeout */
    {20954, 18680, 577}, /* scsi/scsi_eh_wakeup */
    {20959, 20963, 334}, /* sde/sde_evtlog */
    {20959, 20974, 335}, /* sde/sde_perf_calc_crtc */
    {20959, 20993, 336}, /* sde/sde_perf_crtc_update */
    {20959, 21014, 337}, /* sde/sde_perf_set_qos_luts */
    {20959, 21036, 338}, /* sde/sde_perf_update_bus */
    {20959, 2049, 313}, /* sde/tracing_mark_write */
    {21056, 9254, 304}, /* signal/signal_deliver */
    {21056, 9276, 305}, /* signal/signal_generate */
    {21063, 10736, 347}, /* skb/kfree_skb */
    {21067, 10386, 342}, /* sock/inet_sock_set_state */
    {2880, 727, 29}, /* sync/sync_pt */
    {2880, 735, 30}, /* sync/sync_timeline */
    {2880, 755, 31}, /* sync/sync_wait */
    {21072, 10269, 339}, /* synthetic/rss_stat_throttled */
    {21072, 14575, 459}, /* synthetic/suspend_resume_minimal */
    {21082, 21091, 311}, /* systrace/0 */
    {21093, 6815, 215}, /* task/task_newtask */
    {21093, 6844, 216}, /* task/task_rename */
    {21098, 10406, 343}, /* tcp/tcp_retransmit_skb */
    {21102, 9638, 322}, /* thermal/cdev_update */
    {21102, 9611, 321}, /* thermal/thermal_temperature */
    {21110, 15488, 484}, /* thermal_exynos/thermal_exynos_acpm_bulk */
    {21110, 15513, 485}, /* thermal_exynos/thermal_exynos_acpm_high_overhead */
    {17276, 17220, 530}, /* timer/hrtimer_cancel */
    {17276, 17235, 531}, /* timer/hrtimer_expire_entry */
    {17276, 17256, 532}, /* timer/hrtimer_expire_exit */
    {17276, 17206, 529}, /* timer/hrtimer_start */
    {17276, 17319, 534}, /* timer/timer_cancel */
    {17276, 17340, 535}, /* timer/timer_expire_entry */
    {17276, 17359, 536}, /* timer/timer_expire_exit */
    {17276, 17307, 533}, /* timer/timer_start */
    {21125, 14088, 442}, /* trusty/trusty_enqueue_nop */
    {21125, 13903, 435}, /* trusty/trusty_ipc_connect */
    {21125, 13922, 436}, /* trusty/trusty_ipc_connect_end */
    {21125, 13874, 434}, /* trusty/trusty_ipc_handle_event */
    {21125, 14007, 438}, /* trusty/trusty_ipc_poll */
    {21125, 14023, 439}, /* trusty/trusty_ipc_read */
    {21125, 14039, 440}, /* trusty/trusty_ipc_read_end */
    {21125, 14059, 441}, /* trusty/trusty_ipc_rx */
    {21125, 13980, 437}, /* trusty/trusty_ipc_write */
    {21125, 13840, 433}, /* trusty/trusty_irq */
    {21125, 13791, 431}, /* trusty/trusty_reclaim_memory */
    {21125, 13813, 432}, /* trusty/trusty_reclaim_memory_done */
    {21125, 13739, 429}, /* trusty/trusty_share_memory */
    {21125, 13766, 430}, /* trusty/trusty_share_memory_done */
    {21125, 13660, 425}, /* trusty/trusty_smc */
    {21125, 13671, 426}, /* trusty/trusty_smc_done */
    {21125, 13687, 427}, /* trusty/trusty_std_call32 */
    {21125, 13705, 428}, /* trusty/trusty_std_call32_done */
    {21132, 11770, 387}, /* ufs/ufshcd_clk_gating */
    {21132, 11755, 386}, /* ufs/ufshcd_command */
    {21136, 12947, 403}, /* v4l2/v4l2_dqbuf */
    {21136, 12937, 402}, /* v4l2/v4l2_qbuf */
    {21136, 12977, 405}, /* v4l2/vb2_v4l2_buf_done */
    {21136, 12958, 404}, /* v4l2/vb2_v4l2_buf_queue */
    {21136, 13009, 407}, /* v4l2/vb2_v4l2_dqbuf */
    {21136, 12995, 406}, /* v4l2/vb2_v4l2_qbuf */
    {21141, 14245, 446}, /* virtio_gpu/virtio_gpu_cmd_queue */
    {21141, 14266, 447}, /* virtio_gpu/virtio_gpu_cmd_response */
    {21152, 13332, 419}, /* virtio_video/virtio_video_cmd */
    {21152, 13349, 420}, /* virtio_video/virtio_video_cmd_done */
    {21152, 13438, 421}, /* virtio_video/virtio_video_resource_queue */
    {21152, 13466, 422}, /* virtio_video/virtio_video_resource_queue_done */
    {21165, 13632, 424}, /* vmscan/mm_shrink_slab_end */
    {21165, 13583, 423}, /* vmscan/mm_shrink_slab_start */
    {21165, 956, 37}, /* vmscan/mm_vmscan_direct_reclaim_begin */
    {21165, 1000, 38}, /* vmscan/mm_vmscan_direct_reclaim_end */
    {21165, 1059, 40}, /* vmscan/mm_vmscan_kswapd_sleep */
    {21165, 1037, 39}, /* vmscan/mm_vmscan_kswapd_wake */
    {21165, 19024, 585}, /* vmscan/mm_vmscan_memcg_reclaim_begin */
    {21165, 19054, 586}, /* vmscan/mm_vmscan_memcg_reclaim_end */
    {1382, 1300, 47}, /* workqueue/workqueue_activate_work */
    {1382, 1324, 48}, /* workqueue/workqueue_execute_end */
    {1382, 1346, 49}, /* workqueue/workqueue_execute_start */
    {1382, 1392, 50}, /* workqueue/workqueue_queue_work */
};

const unsigned orma_ftrace_tracepoints_num = 594;
