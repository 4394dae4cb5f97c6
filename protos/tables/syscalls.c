/* System call names by architecture. Made by tools/gen_protos.py. */
#include "protos/tables/syscalls.h"

const char orma_syscall_names[] =
    "\0"
    "sys__llseek\0"
    "sys__newselect\0"
    "sys__sysctl\0"
    "sys_accept\0"
    "sys_accept4\0"
    "sys_access\0"
    "sys_acct\0"
    "sys_add_key\0"
    "sys_adjtimex\0"
    "sys_afs_syscall\0"
    "sys_alarm\0"
    "sys_arch_prctl\0"
    "sys_arch_specific_syscall\0"
    "sys_arm_fadvise64_64\0"
    "sys_arm_sync_file_range\0"
    "sys_bdflush\0"
    "sys_bind\0"
    "sys_bpf\0"
    "sys_break\0"
    "sys_brk\0"
    "sys_cachestat\0"
    "sys_capget\0"
    "sys_capset\0"
    "sys_chdir\0"
    "sys_chmod\0"
    "sys_chown\0"
    "sys_chown32\0"
    "sys_chroot\0"
    "sys_clock_adjtime\0"
    "sys_clock_adjtime64\0"
    "sys_clock_getres\0"
    "sys_clock_getres_time64\0"
    "sys_clock_gettime\0"
    "sys_clock_gettime64\0"
    "sys_clock_nanosleep\0"
    "sys_clock_nanosleep_time64\0"
    "sys_clock_settime\0"
    "sys_clock_settime64\0"
    "sys_clone\0"
    "sys_clone3\0"
    "sys_close\0"
    "sys_close_range\0"
    "sys_connect\0"
    "sys_copy_file_range\0"
    "sys_creat\0"
    "sys_create_module\0"
    "sys_delete_module\0"
    "sys_dup\0"
    "sys_dup2\0"
    "sys_dup3\0"
    "sys_epoll_create\0"
    "sys_epoll_create1\0"
    "sys_epoll_ctl\0"
    "sys_epoll_ctl_old\0"
    "sys_epoll_pwait\0"
    "sys_epoll_pwait2\0"
    "sys_epoll_wait\0"
    "sys_epoll_wait_old\0"
    "sys_eventfd\0"
    "sys_eventfd2\0"
    "sys_execve\0"
    "sys_execveat\0"
    "sys_exit\0"
    "sys_exit_group\0"
    "sys_faccessat\0"
    "sys_faccessat2\0"
    "sys_fadvise64\0"
    "sys_fadvise64_64\0"
    "sys_fallocate\0"
    "sys_fanotify_init\0"
    "sys_fanotify_mark\0"
    "sys_fchdir\0"
    "sys_fchmod\0"
    "sys_fchmodat\0"
    "sys_fchmodat2\0"
    "sys_fchown\0"
    "sys_fchown32\0"
    "sys_fchownat\0"
    "sys_fcntl\0"
    "sys_fcntl64\0"
    "sys_fdatasync\0"
    "sys_fgetxattr\0"
    "sys_finit_module\0"
    "sys_flistxattr\0"
    "sys_flock\0"
    "sys_fork\0"
    "sys_fremovexattr\0"
    "sys_fsconfig\0"
    "sys_fsetxattr\0"
    "sys_fsmount\0"
    "sys_fsopen\0"
    "sys_fspick\0"
    "sys_fstat\0"
    "sys_fstat64\0"
    "sys_fstatat\0"
    "sys_fstatat64\0"
    "sys_fstatfs\0"
    "sys_fstatfs64\0"
    "sys_fsync\0"
    "sys_ftime\0"
    "sys_ftruncate\0"
    "sys_ftruncate64\0"
    "sys_futex\0"
    "sys_futex_requeue\0"
    "sys_futex_time64\0"
    "sys_futex_wait\0"
    "sys_futex_waitv\0"
    "sys_futex_wake\0"
    "sys_futimesat\0"
    "sys_get_kernel_syms\0"
    "sys_get_mempolicy\0"
    "sys_get_robust_list\0"
    "sys_get_thread_area\0"
    "sys_getcpu\0"
    "sys_getcwd\0"
    "sys_getdents\0"
    "sys_getdents64\0"
    "sys_getegid\0"
    "sys_getegid32\0"
    "sys_geteuid\0"
    "sys_geteuid32\0"
    "sys_getgid\0"
    "sys_getgid32\0"
    "sys_getgroups\0"
    "sys_getgroups32\0"
    "sys_getitimer\0"
    "sys_getpeername\0"
    "sys_getpgid\0"
    "sys_getpgrp\0"
    "sys_getpid\0"
    "sys_getpmsg\0"
    "sys_getppid\0"
    "sys_getpriority\0"
    "sys_getrandom\0"
    "sys_getresgid\0"
    "sys_getresgid32\0"
    "sys_getresuid\0"
    "sys_getresuid32\0"
    "sys_getrlimit\0"
    "sys_getrusage\0"
    "sys_getsid\0"
    "sys_getsockname\0"
    "sys_getsockopt\0"
    "sys_gettid\0"
    "sys_gettimeofday\0"
    "sys_getuid\0"
    "sys_getuid32\0"
    "sys_getxattr\0"
    "sys_gtty\0"
    "sys_idle\0"
    "sys_init_module\0"
    "sys_inotify_add_watch\0"
    "sys_inotify_init\0"
    "sys_inotify_init1\0"
    "sys_inotify_rm_watch\0"
    "sys_io_cancel\0"
    "sys_io_destroy\0"
    "sys_io_getevents\0"
    "sys_io_pgetevents\0"
    "sys_io_pgetevents_time64\0"
    "sys_io_setup\0"
    "sys_io_submit\0"
    "sys_io_uring_enter\0"
    "sys_io_uring_register\0"
    "sys_io_uring_setup\0"
    "sys_ioctl\0"
    "sys_ioperm\0"
    "sys_iopl\0"
    "sys_ioprio_get\0"
    "sys_ioprio_set\0"
    "sys_ipc\0"
    "sys_kcmp\0"
    "sys_kexec_file_load\0"
    "sys_kexec_load\0"
    "sys_keyctl\0"
    "sys_kill\0"
    "sys_landlock_add_rule\0"
    "sys_landlock_create_ruleset\0"
    "sys_landlock_restrict_self\0"
    "sys_lchown\0"
    "sys_lchown32\0"
    "sys_lgetxattr\0"
    "sys_link\0"
    "sys_linkat\0"
    "sys_listen\0"
    "sys_listxattr\0"
    "sys_llistxattr\0"
    "sys_lock\0"
    "sys_lookup_dcookie\0"
    "sys_lremovexattr\0"
    "sys_lseek\0"
    "sys_lsetxattr\0"
    "sys_lstat\0"
    "sys_lstat64\0"
    "sys_madvise\0"
    "sys_map_shadow_stack\0"
    "sys_mbind\0"
    "sys_membarrier\0"
    "sys_memfd_create\0"
    "sys_memfd_secret\0"
    "sys_migrate_pages\0"
    "sys_mincore\0"
    "sys_mkdir\0"
    "sys_mkdirat\0"
    "sys_mknod\0"
    "sys_mknodat\0"
    "sys_mlock\0"
    "sys_mlock2\0"
    "sys_mlockall\0"
    "sys_mmap\0"
    "sys_mmap2\0"
    "sys_modify_ldt\0"
    "sys_mount\0"
    "sys_mount_setattr\0"
    "sys_move_mount\0"
    "sys_move_pages\0"
    "sys_mprotect\0"
    "sys_mpx\0"
    "sys_mq_getsetattr\0"
    "sys_mq_notify\0"
    "sys_mq_open\0"
    "sys_mq_timedreceive\0"
    "sys_mq_timedreceive_time64\0"
    "sys_mq_timedsend\0"
    "sys_mq_timedsend_time64\0"
    "sys_mq_unlink\0"
    "sys_mremap\0"
    "sys_msgctl\0"
    "sys_msgget\0"
    "sys_msgrcv\0"
    "sys_msgsnd\0"
    "sys_msync\0"
    "sys_munlock\0"
    "sys_munlockall\0"
    "sys_munmap\0"
    "sys_name_to_handle_at\0"
    "sys_nanosleep\0"
    "sys_newfstatat\0"
    "sys_nfsservctl\0"
    "sys_nice\0"
    "sys_oldfstat\0"
    "sys_oldlstat\0"
    "sys_oldolduname\0"
    "sys_oldstat\0"
    "sys_olduname\0"
    "sys_open\0"
    "sys_open_by_handle_at\0"
    "sys_open_tree\0"
    "sys_openat\0"
    "sys_openat2\0"
    "sys_pause\0"
    "sys_pciconfig_iobase\0"
    "sys_pciconfig_read\0"
    "sys_pciconfig_write\0"
    "sys_perf_event_open\0"
    "sys_personality\0"
    "sys_pidfd_getfd\0"
    "sys_pidfd_open\0"
    "sys_pidfd_send_signal\0"
    "sys_pipe\0"
    "sys_pipe2\0"
    "sys_pivot_root\0"
    "sys_pkey_alloc\0"
    "sys_pkey_free\0"
    "sys_pkey_mprotect\0"
    "sys_poll\0"
    "sys_ppoll\0"
    "sys_ppoll_time64\0"
    "sys_prctl\0"
    "sys_pread64\0"
    "sys_preadv\0"
    "sys_preadv2\0"
    "sys_prlimit64\0"
    "sys_process_madvise\0"
    "sys_process_mrelease\0"
    "sys_process_vm_readv\0"
    "sys_process_vm_writev\0"
    "sys_prof\0"
    "sys_profil\0"
    "sys_pselect6\0"
    "sys_pselect6_time64\0"
    "sys_ptrace\0"
    "sys_putpmsg\0"
    "sys_pwrite64\0"
    "sys_pwritev\0"
    "sys_pwritev2\0"
    "sys_query_module\0"
    "sys_quotactl\0"
    "sys_quotactl_fd\0"
    "sys_read\0"
    "sys_readahead\0"
    "sys_readdir\0"
    "sys_readlink\0"
    "sys_readlinkat\0"
    "sys_readv\0"
    "sys_reboot\0"
    "sys_recv\0"
    "sys_recvfrom\0"
    "sys_recvmmsg\0"
    "sys_recvmmsg_time64\0"
    "sys_recvmsg\0"
    "sys_remap_file_pages\0"
    "sys_removexattr\0"
    "sys_rename\0"
    "sys_renameat\0"
    "sys_renameat2\0"
    "sys_request_key\0"
    "sys_restart_syscall\0"
    "sys_rmdir\0"
    "sys_rseq\0"
    "sys_rt_sigaction\0"
    "sys_rt_sigpending\0"
    "sys_rt_sigprocmask\0"
    "sys_rt_sigqueueinfo\0"
    "sys_rt_sigreturn\0"
    "sys_rt_sigsuspend\0"
    "sys_rt_sigtimedwait\0"
    "sys_rt_sigtimedwait_time64\0"
    "sys_rt_tgsigqueueinfo\0"
    "sys_sched_get_priority_max\0"
    "sys_sched_get_priority_min\0"
    "sys_sched_getaffinity\0"
    "sys_sched_getattr\0"
    "sys_sched_getparam\0"
    "sys_sched_getscheduler\0"
    "sys_sched_rr_get_interval\0"
    "sys_sched_rr_get_interval_time64\0"
    "sys_sched_setaffinity\0"
    "sys_sched_setattr\0"
    "sys_sched_setparam\0"
    "sys_sched_setscheduler\0"
    "sys_sched_yield\0"
    "sys_seccomp\0"
    "sys_security\0"
    "sys_select\0"
    "sys_semctl\0"
    "sys_semget\0"
    "sys_semop\0"
    "sys_semtimedop\0"
    "sys_semtimedop_time64\0"
    "sys_send\0"
    "sys_sendfile\0"
    "sys_sendfile64\0"
    "sys_sendmmsg\0"
    "sys_sendmsg\0"
    "sys_sendto\0"
    "sys_set_mempolicy\0"
    "sys_set_mempolicy_home_node\0"
    "sys_set_robust_list\0"
    "sys_set_thread_area\0"
    "sys_set_tid_address\0"
    "sys_setdomainname\0"
    "sys_setfsgid\0"
    "sys_setfsgid32\0"
    "sys_setfsuid\0"
    "sys_setfsuid32\0"
    "sys_setgid\0"
    "sys_setgid32\0"
    "sys_setgroups\0"
    "sys_setgroups32\0"
    "sys_sethostname\0"
    "sys_setitimer\0"
    "sys_setns\0"
    "sys_setpgid\0"
    "sys_setpriority\0"
    "sys_setregid\0"
    "sys_setregid32\0"
    "sys_setresgid\0"
    "sys_setresgid32\0"
    "sys_setresuid\0"
    "sys_setresuid32\0"
    "sys_setreuid\0"
    "sys_setreuid32\0"
    "sys_setrlimit\0"
    "sys_setsid\0"
    "sys_setsockopt\0"
    "sys_settimeofday\0"
    "sys_setuid\0"
    "sys_setuid32\0"
    "sys_setxattr\0"
    "sys_sgetmask\0"
    "sys_shmat\0"
    "sys_shmctl\0"
    "sys_shmdt\0"
    "sys_shmget\0"
    "sys_shutdown\0"
    "sys_sigaction\0"
    "sys_sigaltstack\0"
    "sys_signal\0"
    "sys_signalfd\0"
    "sys_signalfd4\0"
    "sys_sigpending\0"
    "sys_sigprocmask\0"
    "sys_sigreturn\0"
    "sys_sigsuspend\0"
    "sys_socket\0"
    "sys_socketcall\0"
    "sys_socketpair\0"
    "sys_splice\0"
    "sys_ssetmask\0"
    "sys_stat\0"
    "sys_stat64\0"
    "sys_statfs\0"
    "sys_statfs64\0"
    "sys_statx\0"
    "sys_stime\0"
    "sys_stty\0"
    "sys_swapoff\0"
    "sys_swapon\0"
    "sys_symlink\0"
    "sys_symlinkat\0"
    "sys_sync\0"
    "sys_sync_file_range\0"
    "sys_syncfs\0"
    "sys_syscall\0"
    "sys_sysfs\0"
    "sys_sysinfo\0"
    "sys_syslog\0"
    "sys_tee\0"
    "sys_tgkill\0"
    "sys_time\0"
    "sys_timer_create\0"
    "sys_timer_delete\0"
    "sys_timer_getoverrun\0"
    "sys_timer_gettime\0"
    "sys_timer_gettime64\0"
    "sys_timer_settime\0"
    "sys_timer_settime64\0"
    "sys_timerfd_create\0"
    "sys_timerfd_gettime\0"
    "sys_timerfd_gettime64\0"
    "sys_timerfd_settime\0"
    "sys_timerfd_settime64\0"
    "sys_times\0"
    "sys_tkill\0"
    "sys_truncate\0"
    "sys_truncate64\0"
    "sys_tuxcall\0"
    "sys_ugetrlimit\0"
    "sys_ulimit\0"
    "sys_umask\0"
    "sys_umount\0"
    "sys_umount2\0"
    "sys_uname\0"
    "sys_unlink\0"
    "sys_unlinkat\0"
    "sys_unshare\0"
    "sys_uselib\0"
    "sys_userfaultfd\0"
    "sys_ustat\0"
    "sys_utime\0"
    "sys_utimensat\0"
    "sys_utimensat_time64\0"
    "sys_utimes\0"
    "sys_vfork\0"
    "sys_vhangup\0"
    "sys_vm86\0"
    "sys_vm86old\0"
    "sys_vmsplice\0"
    "sys_vserver\0"
    "sys_wait4\0"
    "sys_waitid\0"
    "sys_waitpid\0"
    "sys_write\0"
    "sys_writev\0";

static const uint16_t names_x86_64[] = {
    [0] = 4105, /* sys_read */
    [1] = 6636, /* sys_write */
    [2] = 3458, /* sys_open */
    [3] = 579, /* sys_close */
    [4] = 5808, /* sys_stat */
    [5] = 1291, /* sys_fstat */
    [6] = 2732, /* sys_lstat */
    [7] = 3766, /* sys_poll */
    [8] = 2708, /* sys_lseek */
    [9] = 2954, /* sys_mmap */
    [10] = 3046, /* sys_mprotect */
    [11] = 3305, /* sys_munmap */
    [12] = 259, /* sys_brk */
    [13] = 4386, /* sys_rt_sigaction */
    [14] = 4421, /* sys_rt_sigprocmask */
    [15] = 4460, /* sys_rt_sigreturn */
    [16] = 2356, /* sys_ioctl */
    [17] = 3812, /* sys_pread64 */
    [18] = 4021, /* sys_pwrite64 */
    [19] = 4168, /* sys_readv */
    [20] = 6646, /* sys_writev */
    [21] = 63, /* sys_access */
    [22] = 3685, /* sys_pipe */
    [23] = 4882, /* sys_select */
    [24] = 4841, /* sys_sched_yield */
    [25] = 3213, /* sys_mremap */
    [26] = 3268, /* sys_msync */
    [27] = 2864, /* sys_mincore */
    [28] = 2754, /* sys_madvise */
    [29] = 5591, /* sys_shmget */
    [30] = 5560, /* sys_shmat */
    [31] = 5570, /* sys_shmctl */
    [32] = 683, /* sys_dup */
    [33] = 691, /* sys_dup2 */
    [34] = 3526, /* sys_pause */
    [35] = 3338, /* sys_nanosleep */
    [36] = 1754, /* sys_getitimer */
    [37] = 124, /* sys_alarm */
    [38] = 5285, /* sys_setitimer */
    [39] = 1808, /* sys_getpid */
    [40] = 4971, /* sys_sendfile */
    [41] = 5743, /* sys_socket */
    [42] = 605, /* sys_connect */
    [43] = 40, /* sys_accept */
    [44] = 5024, /* sys_sendto */
    [45] = 4198, /* sys_recvfrom */
    [46] = 5012, /* sys_sendmsg */
    [47] = 4244, /* sys_recvmsg */
    [48] = 5602, /* sys_shutdown */
    [49] = 232, /* sys_bind */
    [50] = 2623, /* sys_listen */
    [51] = 1972, /* sys_getsockname */
    [52] = 1768, /* sys_getpeername */
    [53] = 5769, /* sys_socketpair */
    [54] = 5478, /* sys_setsockopt */
    [55] = 1988, /* sys_getsockopt */
    [56] = 558, /* sys_clone */
    [57] = 1204, /* sys_fork */
    [58] = 6535, /* sys_vfork */
    [59] = 868, /* sys_execve */
    [60] = 892, /* sys_exit */
    [61] = 6603, /* sys_wait4 */
    [62] = 2479, /* sys_kill */
    [63] = 6396, /* sys_uname */
    [64] = 4904, /* sys_semget */
    [65] = 4915, /* sys_semop */
    [66] = 4893, /* sys_semctl */
    [67] = 5581, /* sys_shmdt */
    [68] = 3235, /* sys_msgget */
    [69] = 3257, /* sys_msgsnd */
    [70] = 3246, /* sys_msgrcv */
    [71] = 3224, /* sys_msgctl */
    [72] = 1112, /* sys_fcntl */
    [73] = 1194, /* sys_flock */
    [74] = 1365, /* sys_fsync */
    [75] = 1134, /* sys_fdatasync */
    [76] = 6297, /* sys_truncate */
    [77] = 1385, /* sys_ftruncate */
    [78] = 1620, /* sys_getdents */
    [79] = 1609, /* sys_getcwd */
    [80] = 303, /* sys_chdir */
    [81] = 1026, /* sys_fchdir */
    [82] = 4293, /* sys_rename */
    [83] = 2876, /* sys_mkdir */
    [84] = 4367, /* sys_rmdir */
    [85] = 637, /* sys_creat */
    [86] = 2603, /* sys_link */
    [87] = 6406, /* sys_unlink */
    [88] = 5904, /* sys_symlink */
    [89] = 4140, /* sys_readlink */
    [90] = 313, /* sys_chmod */
    [91] = 1037, /* sys_fchmod */
    [92] = 323, /* sys_chown */
    [93] = 1075, /* sys_fchown */
    [94] = 2565, /* sys_lchown */
    [95] = 6363, /* sys_umask */
    [96] = 2014, /* sys_gettimeofday */
    [97] = 1933, /* sys_getrlimit */
    [98] = 1947, /* sys_getrusage */
    [99] = 5992, /* sys_sysinfo */
    [100] = 6277, /* sys_times */
    [101] = 3998, /* sys_ptrace */
    [102] = 2031, /* sys_getuid */
    [103] = 6004, /* sys_syslog */
    [104] = 1700, /* sys_getgid */
    [105] = 5510, /* sys_setuid */
    [106] = 5215, /* sys_setgid */
    [107] = 1674, /* sys_geteuid */
    [108] = 1648, /* sys_getegid */
    [109] = 5309, /* sys_setpgid */
    [110] = 1831, /* sys_getppid */
    [111] = 1796, /* sys_getpgrp */
    [112] = 5467, /* sys_setsid */
    [113] = 5425, /* sys_setreuid */
    [114] = 5337, /* sys_setregid */
    [115] = 1724, /* sys_getgroups */
    [116] = 5239, /* sys_setgroups */
    [117] = 5395, /* sys_setresuid */
    [118] = 1903, /* sys_getresuid */
    [119] = 5365, /* sys_setresgid */
    [120] = 1873, /* sys_getresgid */
    [121] = 1784, /* sys_getpgid */
    [122] = 5187, /* sys_setfsuid */
    [123] = 5159, /* sys_setfsgid */
    [124] = 1961, /* sys_getsid */
    [125] = 281, /* sys_capget */
    [126] = 292, /* sys_capset */
    [127] = 4403, /* sys_rt_sigpending */
    [128] = 4495, /* sys_rt_sigtimedwait */
    [129] = 4440, /* sys_rt_sigqueueinfo */
    [130] = 4477, /* sys_rt_sigsuspend */
    [131] = 5629, /* sys_sigaltstack */
    [132] = 6479, /* sys_utime */
    [133] = 2898, /* sys_mknod */
    [134] = 6442, /* sys_uselib */
    [135] = 3616, /* sys_personality */
    [136] = 6469, /* sys_ustat */
    [137] = 5828, /* sys_statfs */
    [138] = 1339, /* sys_fstatfs */
    [139] = 5982, /* sys_sysfs */
    [140] = 1843, /* sys_getpriority */
    [141] = 5321, /* sys_setpriority */
    [142] = 4799, /* sys_sched_setparam */
    [143] = 4658, /* sys_sched_getparam */
    [144] = 4818, /* sys_sched_setscheduler */
    [145] = 4677, /* sys_sched_getscheduler */
    [146] = 4564, /* sys_sched_get_priority_max */
    [147] = 4591, /* sys_sched_get_priority_min */
    [148] = 4700, /* sys_sched_rr_get_interval */
    [149] = 2920, /* sys_mlock */
    [150] = 3278, /* sys_munlock */
    [151] = 2941, /* sys_mlockall */
    [152] = 3290, /* sys_munlockall */
    [153] = 6545, /* sys_vhangup */
    [154] = 2973, /* sys_modify_ldt */
    [155] = 3704, /* sys_pivot_root */
    [156] = 28, /* sys__sysctl */
    [157] = 3802, /* sys_prctl */
    [158] = 134, /* sys_arch_prctl */
    [159] = 95, /* sys_adjtimex */
    [160] = 5453, /* sys_setrlimit */
    [161] = 345, /* sys_chroot */
    [162] = 5930, /* sys_sync */
    [163] = 74, /* sys_acct */
    [164] = 5493, /* sys_settimeofday */
    [165] = 2988, /* sys_mount */
    [166] = 6384, /* sys_umount2 */
    [167] = 5893, /* sys_swapon */
    [168] = 5881, /* sys_swapoff */
    [169] = 4178, /* sys_reboot */
    [170] = 5269, /* sys_sethostname */
    [171] = 5141, /* sys_setdomainname */
    [172] = 2377, /* sys_iopl */
    [173] = 2366, /* sys_ioperm */
    [174] = 647, /* sys_create_module */
    [175] = 2086, /* sys_init_module */
    [176] = 665, /* sys_delete_module */
    [177] = 1520, /* sys_get_kernel_syms */
    [178] = 4059, /* sys_query_module */
    [179] = 4076, /* sys_quotactl */
    [180] = 3367, /* sys_nfsservctl */
    [181] = 1819, /* sys_getpmsg */
    [182] = 4009, /* sys_putpmsg */
    [183] = 108, /* sys_afs_syscall */
    [184] = 6325, /* sys_tuxcall */
    [185] = 4869, /* sys_security */
    [186] = 2003, /* sys_gettid */
    [187] = 4114, /* sys_readahead */
    [188] = 5534, /* sys_setxattr */
    [189] = 2718, /* sys_lsetxattr */
    [190] = 1243, /* sys_fsetxattr */
    [191] = 2055, /* sys_getxattr */
    [192] = 2589, /* sys_lgetxattr */
    [193] = 1148, /* sys_fgetxattr */
    [194] = 2634, /* sys_listxattr */
    [195] = 2648, /* sys_llistxattr */
    [196] = 1179, /* sys_flistxattr */
    [197] = 4277, /* sys_removexattr */
    [198] = 2691, /* sys_lremovexattr */
    [199] = 1213, /* sys_fremovexattr */
    [200] = 6287, /* sys_tkill */
    [201] = 6034, /* sys_time */
    [202] = 1415, /* sys_futex */
    [203] = 4759, /* sys_sched_setaffinity */
    [204] = 4618, /* sys_sched_getaffinity */
    [205] = 5101, /* sys_set_thread_area */
    [206] = 2269, /* sys_io_setup */
    [207] = 2194, /* sys_io_destroy */
    [208] = 2209, /* sys_io_getevents */
    [209] = 2282, /* sys_io_submit */
    [210] = 2180, /* sys_io_cancel */
    [211] = 1578, /* sys_get_thread_area */
    [212] = 2672, /* sys_lookup_dcookie */
    [213] = 709, /* sys_epoll_create */
    [214] = 758, /* sys_epoll_ctl_old */
    [215] = 824, /* sys_epoll_wait_old */
    [216] = 4256, /* sys_remap_file_pages */
    [217] = 1633, /* sys_getdents64 */
    [218] = 5121, /* sys_set_tid_address */
    [219] = 4347, /* sys_restart_syscall */
    [220] = 4925, /* sys_semtimedop */
    [221] = 945, /* sys_fadvise64 */
    [222] = 6043, /* sys_timer_create */
    [223] = 6136, /* sys_timer_settime */
    [224] = 6098, /* sys_timer_gettime */
    [225] = 6077, /* sys_timer_getoverrun */
    [226] = 6060, /* sys_timer_delete */
    [227] = 520, /* sys_clock_settime */
    [228] = 435, /* sys_clock_gettime */
    [229] = 394, /* sys_clock_getres */
    [230] = 473, /* sys_clock_nanosleep */
    [231] = 901, /* sys_exit_group */
    [232] = 809, /* sys_epoll_wait */
    [233] = 744, /* sys_epoll_ctl */
    [234] = 6023, /* sys_tgkill */
    [235] = 6524, /* sys_utimes */
    [236] = 6591, /* sys_vserver */
    [237] = 2787, /* sys_mbind */
    [238] = 5035, /* sys_set_mempolicy */
    [239] = 1540, /* sys_get_mempolicy */
    [240] = 3099, /* sys_mq_open */
    [241] = 3199, /* sys_mq_unlink */
    [242] = 3158, /* sys_mq_timedsend */
    [243] = 3111, /* sys_mq_timedreceive */
    [244] = 3085, /* sys_mq_notify */
    [245] = 3067, /* sys_mq_getsetattr */
    [246] = 2453, /* sys_kexec_load */
    [247] = 6613, /* sys_waitid */
    [248] = 83, /* sys_add_key */
    [249] = 4331, /* sys_request_key */
    [250] = 2468, /* sys_keyctl */
    [251] = 2401, /* sys_ioprio_set */
    [252] = 2386, /* sys_ioprio_get */
    [253] = 2124, /* sys_inotify_init */
    [254] = 2102, /* sys_inotify_add_watch */
    [255] = 2159, /* sys_inotify_rm_watch */
    [256] = 2846, /* sys_migrate_pages */
    [257] = 3503, /* sys_openat */
    [258] = 2886, /* sys_mkdirat */
    [259] = 2908, /* sys_mknodat */
    [260] = 1099, /* sys_fchownat */
    [261] = 1506, /* sys_futimesat */
    [262] = 3352, /* sys_newfstatat */
    [263] = 6417, /* sys_unlinkat */
    [264] = 4304, /* sys_renameat */
    [265] = 2612, /* sys_linkat */
    [266] = 5916, /* sys_symlinkat */
    [267] = 4153, /* sys_readlinkat */
    [268] = 1048, /* sys_fchmodat */
    [269] = 916, /* sys_faccessat */
    [270] = 3965, /* sys_pselect6 */
    [271] = 3775, /* sys_ppoll */
    [272] = 6430, /* sys_unshare */
    [273] = 5081, /* sys_set_robust_list */
    [274] = 1558, /* sys_get_robust_list */
    [275] = 5784, /* sys_splice */
    [276] = 6015, /* sys_tee */
    [277] = 5939, /* sys_sync_file_range */
    [278] = 6578, /* sys_vmsplice */
    [279] = 3031, /* sys_move_pages */
    [280] = 6489, /* sys_utimensat */
    [281] = 776, /* sys_epoll_pwait */
    [282] = 5656, /* sys_signalfd */
    [283] = 6174, /* sys_timerfd_create */
    [284] = 843, /* sys_eventfd */
    [285] = 976, /* sys_fallocate */
    [286] = 6235, /* sys_timerfd_settime */
    [287] = 6193, /* sys_timerfd_gettime */
    [288] = 51, /* sys_accept4 */
    [289] = 5669, /* sys_signalfd4 */
    [290] = 855, /* sys_eventfd2 */
    [291] = 726, /* sys_epoll_create1 */
    [292] = 700, /* sys_dup3 */
    [293] = 3694, /* sys_pipe2 */
    [294] = 2141, /* sys_inotify_init1 */
    [295] = 3824, /* sys_preadv */
    [296] = 4034, /* sys_pwritev */
    [297] = 4542, /* sys_rt_tgsigqueueinfo */
    [298] = 3596, /* sys_perf_event_open */
    [299] = 4211, /* sys_recvmmsg */
    [300] = 990, /* sys_fanotify_init */
    [301] = 1008, /* sys_fanotify_mark */
    [302] = 3847, /* sys_prlimit64 */
    [303] = 3316, /* sys_name_to_handle_at */
    [304] = 3467, /* sys_open_by_handle_at */
    [305] = 356, /* sys_clock_adjtime */
    [306] = 5959, /* sys_syncfs */
    [307] = 4999, /* sys_sendmmsg */
    [308] = 5299, /* sys_setns */
    [309] = 1598, /* sys_getcpu */
    [310] = 3902, /* sys_process_vm_readv */
    [311] = 3923, /* sys_process_vm_writev */
    [312] = 2424, /* sys_kcmp */
    [313] = 1162, /* sys_finit_module */
    [314] = 4781, /* sys_sched_setattr */
    [315] = 4640, /* sys_sched_getattr */
    [316] = 4317, /* sys_renameat2 */
    [317] = 4857, /* sys_seccomp */
    [318] = 1859, /* sys_getrandom */
    [319] = 2812, /* sys_memfd_create */
    [320] = 2433, /* sys_kexec_file_load */
    [321] = 241, /* sys_bpf */
    [322] = 879, /* sys_execveat */
    [323] = 6453, /* sys_userfaultfd */
    [324] = 2797, /* sys_membarrier */
    [325] = 2930, /* sys_mlock2 */
    [326] = 617, /* sys_copy_file_range */
    [327] = 3835, /* sys_preadv2 */
    [328] = 4046, /* sys_pwritev2 */
    [329] = 3748, /* sys_pkey_mprotect */
    [330] = 3719, /* sys_pkey_alloc */
    [331] = 3734, /* sys_pkey_free */
    [332] = 5852, /* sys_statx */
    [333] = 2226, /* sys_io_pgetevents */
    [334] = 4377, /* sys_rseq */
    [424] = 3663, /* sys_pidfd_send_signal */
    [425] = 2337, /* sys_io_uring_setup */
    [426] = 2296, /* sys_io_uring_enter */
    [427] = 2315, /* sys_io_uring_register */
    [428] = 3489, /* sys_open_tree */
    [429] = 3016, /* sys_move_mount */
    [430] = 1269, /* sys_fsopen */
    [431] = 1230, /* sys_fsconfig */
    [432] = 1257, /* sys_fsmount */
    [433] = 1280, /* sys_fspick */
    [434] = 3648, /* sys_pidfd_open */
    [435] = 568, /* sys_clone3 */
    [436] = 589, /* sys_close_range */
    [437] = 3514, /* sys_openat2 */
    [438] = 3632, /* sys_pidfd_getfd */
    [439] = 930, /* sys_faccessat2 */
    [440] = 3861, /* sys_process_madvise */
    [441] = 792, /* sys_epoll_pwait2 */
    [442] = 2998, /* sys_mount_setattr */
    [443] = 4089, /* sys_quotactl_fd */
    [444] = 2510, /* sys_landlock_create_ruleset */
    [445] = 2488, /* sys_landlock_add_rule */
    [446] = 2538, /* sys_landlock_restrict_self */
    [447] = 2829, /* sys_memfd_secret */
    [448] = 3881, /* sys_process_mrelease */
    [449] = 1475, /* sys_futex_waitv */
    [450] = 5053, /* sys_set_mempolicy_home_node */
    [451] = 267, /* sys_cachestat */
    [452] = 1061, /* sys_fchmodat2 */
    [453] = 2766, /* sys_map_shadow_stack */
    [454] = 1491, /* sys_futex_wake */
    [455] = 1460, /* sys_futex_wait */
    [456] = 1425, /* sys_futex_requeue */
    [512] = 4386, /* sys_rt_sigaction */
    [513] = 4460, /* sys_rt_sigreturn */
    [514] = 2356, /* sys_ioctl */
    [515] = 4168, /* sys_readv */
    [516] = 6646, /* sys_writev */
    [517] = 4198, /* sys_recvfrom */
    [518] = 5012, /* sys_sendmsg */
    [519] = 4244, /* sys_recvmsg */
    [520] = 868, /* sys_execve */
    [521] = 3998, /* sys_ptrace */
    [522] = 4403, /* sys_rt_sigpending */
    [523] = 4495, /* sys_rt_sigtimedwait */
    [524] = 4440, /* sys_rt_sigqueueinfo */
    [525] = 5629, /* sys_sigaltstack */
    [526] = 6043, /* sys_timer_create */
    [527] = 3085, /* sys_mq_notify */
    [528] = 2453, /* sys_kexec_load */
    [529] = 6613, /* sys_waitid */
    [530] = 5081, /* sys_set_robust_list */
    [531] = 1558, /* sys_get_robust_list */
    [532] = 6578, /* sys_vmsplice */
    [533] = 3031, /* sys_move_pages */
    [534] = 3824, /* sys_preadv */
    [535] = 4034, /* sys_pwritev */
    [536] = 4542, /* sys_rt_tgsigqueueinfo */
    [537] = 4211, /* sys_recvmmsg */
    [538] = 4999, /* sys_sendmmsg */
    [539] = 3902, /* sys_process_vm_readv */
    [540] = 3923, /* sys_process_vm_writev */
    [541] = 5478, /* sys_setsockopt */
    [542] = 1988, /* sys_getsockopt */
    [543] = 2269, /* sys_io_setup */
    [544] = 2282, /* sys_io_submit */
    [545] = 879, /* sys_execveat */
    [546] = 3835, /* sys_preadv2 */
    [547] = 4046, /* sys_pwritev2 */
};

static const uint16_t names_arm64[] = {
    [0] = 2269, /* sys_io_setup */
    [1] = 2194, /* sys_io_destroy */
    [2] = 2282, /* sys_io_submit */
    [3] = 2180, /* sys_io_cancel */
    [4] = 2209, /* sys_io_getevents */
    [5] = 5534, /* sys_setxattr */
    [6] = 2718, /* sys_lsetxattr */
    [7] = 1243, /* sys_fsetxattr */
    [8] = 2055, /* sys_getxattr */
    [9] = 2589, /* sys_lgetxattr */
    [10] = 1148, /* sys_fgetxattr */
    [11] = 2634, /* sys_listxattr */
    [12] = 2648, /* sys_llistxattr */
    [13] = 1179, /* sys_flistxattr */
    [14] = 4277, /* sys_removexattr */
    [15] = 2691, /* sys_lremovexattr */
    [16] = 1213, /* sys_fremovexattr */
    [17] = 1609, /* sys_getcwd */
    [18] = 2672, /* sys_lookup_dcookie */
    [19] = 855, /* sys_eventfd2 */
    [20] = 726, /* sys_epoll_create1 */
    [21] = 744, /* sys_epoll_ctl */
    [22] = 776, /* sys_epoll_pwait */
    [23] = 683, /* sys_dup */
    [24] = 700, /* sys_dup3 */
    [25] = 1112, /* sys_fcntl */
    [26] = 2141, /* sys_inotify_init1 */
    [27] = 2102, /* sys_inotify_add_watch */
    [28] = 2159, /* sys_inotify_rm_watch */
    [29] = 2356, /* sys_ioctl */
    [30] = 2401, /* sys_ioprio_set */
    [31] = 2386, /* sys_ioprio_get */
    [32] = 1194, /* sys_flock */
    [33] = 2908, /* sys_mknodat */
    [34] = 2886, /* sys_mkdirat */
    [35] = 6417, /* sys_unlinkat */
    [36] = 5916, /* sys_symlinkat */
    [37] = 2612, /* sys_linkat */
    [38] = 4304, /* sys_renameat */
    [39] = 6384, /* sys_umount2 */
    [40] = 2988, /* sys_mount */
    [41] = 3704, /* sys_pivot_root */
    [42] = 3367, /* sys_nfsservctl */
    [43] = 5828, /* sys_statfs */
    [44] = 1339, /* sys_fstatfs */
    [45] = 6297, /* sys_truncate */
    [46] = 1385, /* sys_ftruncate */
    [47] = 976, /* sys_fallocate */
    [48] = 916, /* sys_faccessat */
    [49] = 303, /* sys_chdir */
    [50] = 1026, /* sys_fchdir */
    [51] = 345, /* sys_chroot */
    [52] = 1037, /* sys_fchmod */
    [53] = 1048, /* sys_fchmodat */
    [54] = 1099, /* sys_fchownat */
    [55] = 1075, /* sys_fchown */
    [56] = 3503, /* sys_openat */
    [57] = 579, /* sys_close */
    [58] = 6545, /* sys_vhangup */
    [59] = 3694, /* sys_pipe2 */
    [60] = 4076, /* sys_quotactl */
    [61] = 1633, /* sys_getdents64 */
    [62] = 2708, /* sys_lseek */
    [63] = 4105, /* sys_read */
    [64] = 6636, /* sys_write */
    [65] = 4168, /* sys_readv */
    [66] = 6646, /* sys_writev */
    [67] = 3812, /* sys_pread64 */
    [68] = 4021, /* sys_pwrite64 */
    [69] = 3824, /* sys_preadv */
    [70] = 4034, /* sys_pwritev */
    [71] = 4971, /* sys_sendfile */
    [72] = 3965, /* sys_pselect6 */
    [73] = 3775, /* sys_ppoll */
    [74] = 5669, /* sys_signalfd4 */
    [75] = 6578, /* sys_vmsplice */
    [76] = 5784, /* sys_splice */
    [77] = 6015, /* sys_tee */
    [78] = 4153, /* sys_readlinkat */
    [79] = 1313, /* sys_fstatat */
    [80] = 1291, /* sys_fstat */
    [81] = 5930, /* sys_sync */
    [82] = 1365, /* sys_fsync */
    [83] = 1134, /* sys_fdatasync */
    [84] = 5939, /* sys_sync_file_range */
    [85] = 6174, /* sys_timerfd_create */
    [86] = 6235, /* sys_timerfd_settime */
    [87] = 6193, /* sys_timerfd_gettime */
    [88] = 6489, /* sys_utimensat */
    [89] = 74, /* sys_acct */
    [90] = 281, /* sys_capget */
    [91] = 292, /* sys_capset */
    [92] = 3616, /* sys_personality */
    [93] = 892, /* sys_exit */
    [94] = 901, /* sys_exit_group */
    [95] = 6613, /* sys_waitid */
    [96] = 5121, /* sys_set_tid_address */
    [97] = 6430, /* sys_unshare */
    [98] = 1415, /* sys_futex */
    [99] = 5081, /* sys_set_robust_list */
    [100] = 1558, /* sys_get_robust_list */
    [101] = 3338, /* sys_nanosleep */
    [102] = 1754, /* sys_getitimer */
    [103] = 5285, /* sys_setitimer */
    [104] = 2453, /* sys_kexec_load */
    [105] = 2086, /* sys_init_module */
    [106] = 665, /* sys_delete_module */
    [107] = 6043, /* sys_timer_create */
    [108] = 6098, /* sys_timer_gettime */
    [109] = 6077, /* sys_timer_getoverrun */
    [110] = 6136, /* sys_timer_settime */
    [111] = 6060, /* sys_timer_delete */
    [112] = 520, /* sys_clock_settime */
    [113] = 435, /* sys_clock_gettime */
    [114] = 394, /* sys_clock_getres */
    [115] = 473, /* sys_clock_nanosleep */
    [116] = 6004, /* sys_syslog */
    [117] = 3998, /* sys_ptrace */
    [118] = 4799, /* sys_sched_setparam */
    [119] = 4818, /* sys_sched_setscheduler */
    [120] = 4677, /* sys_sched_getscheduler */
    [121] = 4658, /* sys_sched_getparam */
    [122] = 4759, /* sys_sched_setaffinity */
    [123] = 4618, /* sys_sched_getaffinity */
    [124] = 4841, /* sys_sched_yield */
    [125] = 4564, /* sys_sched_get_priority_max */
    [126] = 4591, /* sys_sched_get_priority_min */
    [127] = 4700, /* sys_sched_rr_get_interval */
    [128] = 4347, /* sys_restart_syscall */
    [129] = 2479, /* sys_kill */
    [130] = 6287, /* sys_tkill */
    [131] = 6023, /* sys_tgkill */
    [132] = 5629, /* sys_sigaltstack */
    [133] = 4477, /* sys_rt_sigsuspend */
    [134] = 4386, /* sys_rt_sigaction */
    [135] = 4421, /* sys_rt_sigprocmask */
    [136] = 4403, /* sys_rt_sigpending */
    [137] = 4495, /* sys_rt_sigtimedwait */
    [138] = 4440, /* sys_rt_sigqueueinfo */
    [139] = 4460, /* sys_rt_sigreturn */
    [140] = 5321, /* sys_setpriority */
    [141] = 1843, /* sys_getpriority */
    [142] = 4178, /* sys_reboot */
    [143] = 5337, /* sys_setregid */
    [144] = 5215, /* sys_setgid */
    [145] = 5425, /* sys_setreuid */
    [146] = 5510, /* sys_setuid */
    [147] = 5395, /* sys_setresuid */
    [148] = 1903, /* sys_getresuid */
    [149] = 5365, /* sys_setresgid */
    [150] = 1873, /* sys_getresgid */
    [151] = 5187, /* sys_setfsuid */
    [152] = 5159, /* sys_setfsgid */
    [153] = 6277, /* sys_times */
    [154] = 5309, /* sys_setpgid */
    [155] = 1784, /* sys_getpgid */
    [156] = 1961, /* sys_getsid */
    [157] = 5467, /* sys_setsid */
    [158] = 1724, /* sys_getgroups */
    [159] = 5239, /* sys_setgroups */
    [160] = 6396, /* sys_uname */
    [161] = 5269, /* sys_sethostname */
    [162] = 5141, /* sys_setdomainname */
    [163] = 1933, /* sys_getrlimit */
    [164] = 5453, /* sys_setrlimit */
    [165] = 1947, /* sys_getrusage */
    [166] = 6363, /* sys_umask */
    [167] = 3802, /* sys_prctl */
    [168] = 1598, /* sys_getcpu */
    [169] = 2014, /* sys_gettimeofday */
    [170] = 5493, /* sys_settimeofday */
    [171] = 95, /* sys_adjtimex */
    [172] = 1808, /* sys_getpid */
    [173] = 1831, /* sys_getppid */
    [174] = 2031, /* sys_getuid */
    [175] = 1674, /* sys_geteuid */
    [176] = 1700, /* sys_getgid */
    [177] = 1648, /* sys_getegid */
    [178] = 2003, /* sys_gettid */
    [179] = 5992, /* sys_sysinfo */
    [180] = 3099, /* sys_mq_open */
    [181] = 3199, /* sys_mq_unlink */
    [182] = 3158, /* sys_mq_timedsend */
    [183] = 3111, /* sys_mq_timedreceive */
    [184] = 3085, /* sys_mq_notify */
    [185] = 3067, /* sys_mq_getsetattr */
    [186] = 3235, /* sys_msgget */
    [187] = 3224, /* sys_msgctl */
    [188] = 3246, /* sys_msgrcv */
    [189] = 3257, /* sys_msgsnd */
    [190] = 4904, /* sys_semget */
    [191] = 4893, /* sys_semctl */
    [192] = 4925, /* sys_semtimedop */
    [193] = 4915, /* sys_semop */
    [194] = 5591, /* sys_shmget */
    [195] = 5570, /* sys_shmctl */
    [196] = 5560, /* sys_shmat */
    [197] = 5581, /* sys_shmdt */
    [198] = 5743, /* sys_socket */
    [199] = 5769, /* sys_socketpair */
    [200] = 232, /* sys_bind */
    [201] = 2623, /* sys_listen */
    [202] = 40, /* sys_accept */
    [203] = 605, /* sys_connect */
    [204] = 1972, /* sys_getsockname */
    [205] = 1768, /* sys_getpeername */
    [206] = 5024, /* sys_sendto */
    [207] = 4198, /* sys_recvfrom */
    [208] = 5478, /* sys_setsockopt */
    [209] = 1988, /* sys_getsockopt */
    [210] = 5602, /* sys_shutdown */
    [211] = 5012, /* sys_sendmsg */
    [212] = 4244, /* sys_recvmsg */
    [213] = 4114, /* sys_readahead */
    [214] = 259, /* sys_brk */
    [215] = 3305, /* sys_munmap */
    [216] = 3213, /* sys_mremap */
    [217] = 83, /* sys_add_key */
    [218] = 4331, /* sys_request_key */
    [219] = 2468, /* sys_keyctl */
    [220] = 558, /* sys_clone */
    [221] = 868, /* sys_execve */
    [222] = 2954, /* sys_mmap */
    [223] = 945, /* sys_fadvise64 */
    [224] = 5893, /* sys_swapon */
    [225] = 5881, /* sys_swapoff */
    [226] = 3046, /* sys_mprotect */
    [227] = 3268, /* sys_msync */
    [228] = 2920, /* sys_mlock */
    [229] = 3278, /* sys_munlock */
    [230] = 2941, /* sys_mlockall */
    [231] = 3290, /* sys_munlockall */
    [232] = 2864, /* sys_mincore */
    [233] = 2754, /* sys_madvise */
    [234] = 4256, /* sys_remap_file_pages */
    [235] = 2787, /* sys_mbind */
    [236] = 1540, /* sys_get_mempolicy */
    [237] = 5035, /* sys_set_mempolicy */
    [238] = 2846, /* sys_migrate_pages */
    [239] = 3031, /* sys_move_pages */
    [240] = 4542, /* sys_rt_tgsigqueueinfo */
    [241] = 3596, /* sys_perf_event_open */
    [242] = 51, /* sys_accept4 */
    [243] = 4211, /* sys_recvmmsg */
    [244] = 149, /* sys_arch_specific_syscall */
    [260] = 6603, /* sys_wait4 */
    [261] = 3847, /* sys_prlimit64 */
    [262] = 990, /* sys_fanotify_init */
    [263] = 1008, /* sys_fanotify_mark */
    [264] = 3316, /* sys_name_to_handle_at */
    [265] = 3467, /* sys_open_by_handle_at */
    [266] = 356, /* sys_clock_adjtime */
    [267] = 5959, /* sys_syncfs */
    [268] = 5299, /* sys_setns */
    [269] = 4999, /* sys_sendmmsg */
    [270] = 3902, /* sys_process_vm_readv */
    [271] = 3923, /* sys_process_vm_writev */
    [272] = 2424, /* sys_kcmp */
    [273] = 1162, /* sys_finit_module */
    [274] = 4781, /* sys_sched_setattr */
    [275] = 4640, /* sys_sched_getattr */
    [276] = 4317, /* sys_renameat2 */
    [277] = 4857, /* sys_seccomp */
    [278] = 1859, /* sys_getrandom */
    [279] = 2812, /* sys_memfd_create */
    [280] = 241, /* sys_bpf */
    [281] = 879, /* sys_execveat */
    [282] = 6453, /* sys_userfaultfd */
    [283] = 2797, /* sys_membarrier */
    [284] = 2930, /* sys_mlock2 */
    [285] = 617, /* sys_copy_file_range */
    [286] = 3835, /* sys_preadv2 */
    [287] = 4046, /* sys_pwritev2 */
    [288] = 3748, /* sys_pkey_mprotect */
    [289] = 3719, /* sys_pkey_alloc */
    [290] = 3734, /* sys_pkey_free */
    [291] = 5852, /* sys_statx */
    [292] = 2226, /* sys_io_pgetevents */
    [293] = 4377, /* sys_rseq */
    [294] = 2433, /* sys_kexec_file_load */
    [403] = 453, /* sys_clock_gettime64 */
    [404] = 538, /* sys_clock_settime64 */
    [405] = 374, /* sys_clock_adjtime64 */
    [406] = 411, /* sys_clock_getres_time64 */
    [407] = 493, /* sys_clock_nanosleep_time64 */
    [408] = 6116, /* sys_timer_gettime64 */
    [409] = 6154, /* sys_timer_settime64 */
    [410] = 6213, /* sys_timerfd_gettime64 */
    [411] = 6255, /* sys_timerfd_settime64 */
    [412] = 6503, /* sys_utimensat_time64 */
    [413] = 3978, /* sys_pselect6_time64 */
    [414] = 3785, /* sys_ppoll_time64 */
    [416] = 2244, /* sys_io_pgetevents_time64 */
    [417] = 4224, /* sys_recvmmsg_time64 */
    [418] = 3175, /* sys_mq_timedsend_time64 */
    [419] = 3131, /* sys_mq_timedreceive_time64 */
    [420] = 4940, /* sys_semtimedop_time64 */
    [421] = 4515, /* sys_rt_sigtimedwait_time64 */
    [422] = 1443, /* sys_futex_time64 */
    [423] = 4726, /* sys_sched_rr_get_interval_time64 */
    [424] = 3663, /* sys_pidfd_send_signal */
    [425] = 2337, /* sys_io_uring_setup */
    [426] = 2296, /* sys_io_uring_enter */
    [427] = 2315, /* sys_io_uring_register */
    [428] = 3489, /* sys_open_tree */
    [429] = 3016, /* sys_move_mount */
    [430] = 1269, /* sys_fsopen */
    [431] = 1230, /* sys_fsconfig */
    [432] = 1257, /* sys_fsmount */
    [433] = 1280, /* sys_fspick */
    [434] = 3648, /* sys_pidfd_open */
    [435] = 568, /* sys_clone3 */
    [436] = 589, /* sys_close_range */
    [437] = 3514, /* sys_openat2 */
    [438] = 3632, /* sys_pidfd_getfd */
    [439] = 930, /* sys_faccessat2 */
    [440] = 3861, /* sys_process_madvise */
    [441] = 792, /* sys_epoll_pwait2 */
    [442] = 2998, /* sys_mount_setattr */
    [443] = 4089, /* sys_quotactl_fd */
    [444] = 2510, /* sys_landlock_create_ruleset */
    [445] = 2488, /* sys_landlock_add_rule */
    [446] = 2538, /* sys_landlock_restrict_self */
    [447] = 2829, /* sys_memfd_secret */
    [448] = 3881, /* sys_process_mrelease */
    [449] = 1475, /* sys_futex_waitv */
    [450] = 5053, /* sys_set_mempolicy_home_node */
    [451] = 267, /* sys_cachestat */
    [452] = 1061, /* sys_fchmodat2 */
    [453] = 2766, /* sys_map_shadow_stack */
    [454] = 1491, /* sys_futex_wake */
    [455] = 1460, /* sys_futex_wait */
    [456] = 1425, /* sys_futex_requeue */
};

static const uint16_t names_x86[] = {
    [0] = 4347, /* sys_restart_syscall */
    [1] = 892, /* sys_exit */
    [2] = 1204, /* sys_fork */
    [3] = 4105, /* sys_read */
    [4] = 6636, /* sys_write */
    [5] = 3458, /* sys_open */
    [6] = 579, /* sys_close */
    [7] = 6624, /* sys_waitpid */
    [8] = 637, /* sys_creat */
    [9] = 2603, /* sys_link */
    [10] = 6406, /* sys_unlink */
    [11] = 868, /* sys_execve */
    [12] = 303, /* sys_chdir */
    [13] = 6034, /* sys_time */
    [14] = 2898, /* sys_mknod */
    [15] = 313, /* sys_chmod */
    [16] = 2565, /* sys_lchown */
    [17] = 249, /* sys_break */
    [18] = 3433, /* sys_oldstat */
    [19] = 2708, /* sys_lseek */
    [20] = 1808, /* sys_getpid */
    [21] = 2988, /* sys_mount */
    [22] = 6373, /* sys_umount */
    [23] = 5510, /* sys_setuid */
    [24] = 2031, /* sys_getuid */
    [25] = 5862, /* sys_stime */
    [26] = 3998, /* sys_ptrace */
    [27] = 124, /* sys_alarm */
    [28] = 3391, /* sys_oldfstat */
    [29] = 3526, /* sys_pause */
    [30] = 6479, /* sys_utime */
    [31] = 5872, /* sys_stty */
    [32] = 2068, /* sys_gtty */
    [33] = 63, /* sys_access */
    [34] = 3382, /* sys_nice */
    [35] = 1375, /* sys_ftime */
    [36] = 5930, /* sys_sync */
    [37] = 2479, /* sys_kill */
    [38] = 4293, /* sys_rename */
    [39] = 2876, /* sys_mkdir */
    [40] = 4367, /* sys_rmdir */
    [41] = 683, /* sys_dup */
    [42] = 3685, /* sys_pipe */
    [43] = 6277, /* sys_times */
    [44] = 3945, /* sys_prof */
    [45] = 259, /* sys_brk */
    [46] = 5215, /* sys_setgid */
    [47] = 1700, /* sys_getgid */
    [48] = 5645, /* sys_signal */
    [49] = 1674, /* sys_geteuid */
    [50] = 1648, /* sys_getegid */
    [51] = 74, /* sys_acct */
    [52] = 6384, /* sys_umount2 */
    [53] = 2663, /* sys_lock */
    [54] = 2356, /* sys_ioctl */
    [55] = 1112, /* sys_fcntl */
    [56] = 3059, /* sys_mpx */
    [57] = 5309, /* sys_setpgid */
    [58] = 6352, /* sys_ulimit */
    [59] = 3417, /* sys_oldolduname */
    [60] = 6363, /* sys_umask */
    [61] = 345, /* sys_chroot */
    [62] = 6469, /* sys_ustat */
    [63] = 691, /* sys_dup2 */
    [64] = 1831, /* sys_getppid */
    [65] = 1796, /* sys_getpgrp */
    [66] = 5467, /* sys_setsid */
    [67] = 5615, /* sys_sigaction */
    [68] = 5547, /* sys_sgetmask */
    [69] = 5795, /* sys_ssetmask */
    [70] = 5425, /* sys_setreuid */
    [71] = 5337, /* sys_setregid */
    [72] = 5728, /* sys_sigsuspend */
    [73] = 5683, /* sys_sigpending */
    [74] = 5269, /* sys_sethostname */
    [75] = 5453, /* sys_setrlimit */
    [76] = 1933, /* sys_getrlimit */
    [77] = 1947, /* sys_getrusage */
    [78] = 2014, /* sys_gettimeofday */
    [79] = 5493, /* sys_settimeofday */
    [80] = 1724, /* sys_getgroups */
    [81] = 5239, /* sys_setgroups */
    [82] = 4882, /* sys_select */
    [83] = 5904, /* sys_symlink */
    [84] = 3404, /* sys_oldlstat */
    [85] = 4140, /* sys_readlink */
    [86] = 6442, /* sys_uselib */
    [87] = 5893, /* sys_swapon */
    [88] = 4178, /* sys_reboot */
    [89] = 4128, /* sys_readdir */
    [90] = 2954, /* sys_mmap */
    [91] = 3305, /* sys_munmap */
    [92] = 6297, /* sys_truncate */
    [93] = 1385, /* sys_ftruncate */
    [94] = 1037, /* sys_fchmod */
    [95] = 1075, /* sys_fchown */
    [96] = 1843, /* sys_getpriority */
    [97] = 5321, /* sys_setpriority */
    [98] = 3954, /* sys_profil */
    [99] = 5828, /* sys_statfs */
    [100] = 1339, /* sys_fstatfs */
    [101] = 2366, /* sys_ioperm */
    [102] = 5754, /* sys_socketcall */
    [103] = 6004, /* sys_syslog */
    [104] = 5285, /* sys_setitimer */
    [105] = 1754, /* sys_getitimer */
    [106] = 5808, /* sys_stat */
    [107] = 2732, /* sys_lstat */
    [108] = 1291, /* sys_fstat */
    [109] = 3445, /* sys_olduname */
    [110] = 2377, /* sys_iopl */
    [111] = 6545, /* sys_vhangup */
    [112] = 2077, /* sys_idle */
    [113] = 6566, /* sys_vm86old */
    [114] = 6603, /* sys_wait4 */
    [115] = 5881, /* sys_swapoff */
    [116] = 5992, /* sys_sysinfo */
    [117] = 2416, /* sys_ipc */
    [118] = 1365, /* sys_fsync */
    [119] = 5714, /* sys_sigreturn */
    [120] = 558, /* sys_clone */
    [121] = 5141, /* sys_setdomainname */
    [122] = 6396, /* sys_uname */
    [123] = 2973, /* sys_modify_ldt */
    [124] = 95, /* sys_adjtimex */
    [125] = 3046, /* sys_mprotect */
    [126] = 5698, /* sys_sigprocmask */
    [127] = 647, /* sys_create_module */
    [128] = 2086, /* sys_init_module */
    [129] = 665, /* sys_delete_module */
    [130] = 1520, /* sys_get_kernel_syms */
    [131] = 4076, /* sys_quotactl */
    [132] = 1784, /* sys_getpgid */
    [133] = 1026, /* sys_fchdir */
    [134] = 220, /* sys_bdflush */
    [135] = 5982, /* sys_sysfs */
    [136] = 3616, /* sys_personality */
    [137] = 108, /* sys_afs_syscall */
    [138] = 5187, /* sys_setfsuid */
    [139] = 5159, /* sys_setfsgid */
    [140] = 1, /* sys__llseek */
    [141] = 1620, /* sys_getdents */
    [142] = 13, /* sys__newselect */
    [143] = 1194, /* sys_flock */
    [144] = 3268, /* sys_msync */
    [145] = 4168, /* sys_readv */
    [146] = 6646, /* sys_writev */
    [147] = 1961, /* sys_getsid */
    [148] = 1134, /* sys_fdatasync */
    [149] = 28, /* sys__sysctl */
    [150] = 2920, /* sys_mlock */
    [151] = 3278, /* sys_munlock */
    [152] = 2941, /* sys_mlockall */
    [153] = 3290, /* sys_munlockall */
    [154] = 4799, /* sys_sched_setparam */
    [155] = 4658, /* sys_sched_getparam */
    [156] = 4818, /* sys_sched_setscheduler */
    [157] = 4677, /* sys_sched_getscheduler */
    [158] = 4841, /* sys_sched_yield */
    [159] = 4564, /* sys_sched_get_priority_max */
    [160] = 4591, /* sys_sched_get_priority_min */
    [161] = 4700, /* sys_sched_rr_get_interval */
    [162] = 3338, /* sys_nanosleep */
    [163] = 3213, /* sys_mremap */
    [164] = 5395, /* sys_setresuid */
    [165] = 1903, /* sys_getresuid */
    [166] = 6557, /* sys_vm86 */
    [167] = 4059, /* sys_query_module */
    [168] = 3766, /* sys_poll */
    [169] = 3367, /* sys_nfsservctl */
    [170] = 5365, /* sys_setresgid */
    [171] = 1873, /* sys_getresgid */
    [172] = 3802, /* sys_prctl */
    [173] = 4460, /* sys_rt_sigreturn */
    [174] = 4386, /* sys_rt_sigaction */
    [175] = 4421, /* sys_rt_sigprocmask */
    [176] = 4403, /* sys_rt_sigpending */
    [177] = 4495, /* sys_rt_sigtimedwait */
    [178] = 4440, /* sys_rt_sigqueueinfo */
    [179] = 4477, /* sys_rt_sigsuspend */
    [180] = 3812, /* sys_pread64 */
    [181] = 4021, /* sys_pwrite64 */
    [182] = 323, /* sys_chown */
    [183] = 1609, /* sys_getcwd */
    [184] = 281, /* sys_capget */
    [185] = 292, /* sys_capset */
    [186] = 5629, /* sys_sigaltstack */
    [187] = 4971, /* sys_sendfile */
    [188] = 1819, /* sys_getpmsg */
    [189] = 4009, /* sys_putpmsg */
    [190] = 6535, /* sys_vfork */
    [191] = 6337, /* sys_ugetrlimit */
    [192] = 2963, /* sys_mmap2 */
    [193] = 6310, /* sys_truncate64 */
    [194] = 1399, /* sys_ftruncate64 */
    [195] = 5817, /* sys_stat64 */
    [196] = 2742, /* sys_lstat64 */
    [197] = 1301, /* sys_fstat64 */
    [198] = 2576, /* sys_lchown32 */
    [199] = 2042, /* sys_getuid32 */
    [200] = 1711, /* sys_getgid32 */
    [201] = 1686, /* sys_geteuid32 */
    [202] = 1660, /* sys_getegid32 */
    [203] = 5438, /* sys_setreuid32 */
    [204] = 5350, /* sys_setregid32 */
    [205] = 1738, /* sys_getgroups32 */
    [206] = 5253, /* sys_setgroups32 */
    [207] = 1086, /* sys_fchown32 */
    [208] = 5409, /* sys_setresuid32 */
    [209] = 1917, /* sys_getresuid32 */
    [210] = 5379, /* sys_setresgid32 */
    [211] = 1887, /* sys_getresgid32 */
    [212] = 333, /* sys_chown32 */
    [213] = 5521, /* sys_setuid32 */
    [214] = 5226, /* sys_setgid32 */
    [215] = 5200, /* sys_setfsuid32 */
    [216] = 5172, /* sys_setfsgid32 */
    [217] = 3704, /* sys_pivot_root */
    [218] = 2864, /* sys_mincore */
    [219] = 2754, /* sys_madvise */
    [220] = 1633, /* sys_getdents64 */
    [221] = 1122, /* sys_fcntl64 */
    [224] = 2003, /* sys_gettid */
    [225] = 4114, /* sys_readahead */
    [226] = 5534, /* sys_setxattr */
    [227] = 2718, /* sys_lsetxattr */
    [228] = 1243, /* sys_fsetxattr */
    [229] = 2055, /* sys_getxattr */
    [230] = 2589, /* sys_lgetxattr */
    [231] = 1148, /* sys_fgetxattr */
    [232] = 2634, /* sys_listxattr */
    [233] = 2648, /* sys_llistxattr */
    [234] = 1179, /* sys_flistxattr */
    [235] = 4277, /* sys_removexattr */
    [236] = 2691, /* sys_lremovexattr */
    [237] = 1213, /* sys_fremovexattr */
    [238] = 6287, /* sys_tkill */
    [239] = 4984, /* sys_sendfile64 */
    [240] = 1415, /* sys_futex */
    [241] = 4759, /* sys_sched_setaffinity */
    [242] = 4618, /* sys_sched_getaffinity */
    [243] = 5101, /* sys_set_thread_area */
    [244] = 1578, /* sys_get_thread_area */
    [245] = 2269, /* sys_io_setup */
    [246] = 2194, /* sys_io_destroy */
    [247] = 2209, /* sys_io_getevents */
    [248] = 2282, /* sys_io_submit */
    [249] = 2180, /* sys_io_cancel */
    [250] = 945, /* sys_fadvise64 */
    [252] = 901, /* sys_exit_group */
    [253] = 2672, /* sys_lookup_dcookie */
    [254] = 709, /* sys_epoll_create */
    [255] = 744, /* sys_epoll_ctl */
    [256] = 809, /* sys_epoll_wait */
    [257] = 4256, /* sys_remap_file_pages */
    [258] = 5121, /* sys_set_tid_address */
    [259] = 6043, /* sys_timer_create */
    [260] = 6136, /* sys_timer_settime */
    [261] = 6098, /* sys_timer_gettime */
    [262] = 6077, /* sys_timer_getoverrun */
    [263] = 6060, /* sys_timer_delete */
    [264] = 520, /* sys_clock_settime */
    [265] = 435, /* sys_clock_gettime */
    [266] = 394, /* sys_clock_getres */
    [267] = 473, /* sys_clock_nanosleep */
    [268] = 5839, /* sys_statfs64 */
    [269] = 1351, /* sys_fstatfs64 */
    [270] = 6023, /* sys_tgkill */
    [271] = 6524, /* sys_utimes */
    [272] = 959, /* sys_fadvise64_64 */
    [273] = 6591, /* sys_vserver */
    [274] = 2787, /* sys_mbind */
    [275] = 1540, /* sys_get_mempolicy */
    [276] = 5035, /* sys_set_mempolicy */
    [277] = 3099, /* sys_mq_open */
    [278] = 3199, /* sys_mq_unlink */
    [279] = 3158, /* sys_mq_timedsend */
    [280] = 3111, /* sys_mq_timedreceive */
    [281] = 3085, /* sys_mq_notify */
    [282] = 3067, /* sys_mq_getsetattr */
    [283] = 2453, /* sys_kexec_load */
    [284] = 6613, /* sys_waitid */
    [286] = 83, /* sys_add_key */
    [287] = 4331, /* sys_request_key */
    [288] = 2468, /* sys_keyctl */
    [289] = 2401, /* sys_ioprio_set */
    [290] = 2386, /* sys_ioprio_get */
    [291] = 2124, /* sys_inotify_init */
    [292] = 2102, /* sys_inotify_add_watch */
    [293] = 2159, /* sys_inotify_rm_watch */
    [294] = 2846, /* sys_migrate_pages */
    [295] = 3503, /* sys_openat */
    [296] = 2886, /* sys_mkdirat */
    [297] = 2908, /* sys_mknodat */
    [298] = 1099, /* sys_fchownat */
    [299] = 1506, /* sys_futimesat */
    [300] = 1325, /* sys_fstatat64 */
    [301] = 6417, /* sys_unlinkat */
    [302] = 4304, /* sys_renameat */
    [303] = 2612, /* sys_linkat */
    [304] = 5916, /* sys_symlinkat */
    [305] = 4153, /* sys_readlinkat */
    [306] = 1048, /* sys_fchmodat */
    [307] = 916, /* sys_faccessat */
    [308] = 3965, /* sys_pselect6 */
    [309] = 3775, /* sys_ppoll */
    [310] = 6430, /* sys_unshare */
    [311] = 5081, /* sys_set_robust_list */
    [312] = 1558, /* sys_get_robust_list */
    [313] = 5784, /* sys_splice */
    [314] = 5939, /* sys_sync_file_range */
    [315] = 6015, /* sys_tee */
    [316] = 6578, /* sys_vmsplice */
    [317] = 3031, /* sys_move_pages */
    [318] = 1598, /* sys_getcpu */
    [319] = 776, /* sys_epoll_pwait */
    [320] = 6489, /* sys_utimensat */
    [321] = 5656, /* sys_signalfd */
    [322] = 6174, /* sys_timerfd_create */
    [323] = 843, /* sys_eventfd */
    [324] = 976, /* sys_fallocate */
    [325] = 6235, /* sys_timerfd_settime */
    [326] = 6193, /* sys_timerfd_gettime */
    [327] = 5669, /* sys_signalfd4 */
    [328] = 855, /* sys_eventfd2 */
    [329] = 726, /* sys_epoll_create1 */
    [330] = 700, /* sys_dup3 */
    [331] = 3694, /* sys_pipe2 */
    [332] = 2141, /* sys_inotify_init1 */
    [333] = 3824, /* sys_preadv */
    [334] = 4034, /* sys_pwritev */
    [335] = 4542, /* sys_rt_tgsigqueueinfo */
    [336] = 3596, /* sys_perf_event_open */
    [337] = 4211, /* sys_recvmmsg */
    [338] = 990, /* sys_fanotify_init */
    [339] = 1008, /* sys_fanotify_mark */
    [340] = 3847, /* sys_prlimit64 */
    [341] = 3316, /* sys_name_to_handle_at */
    [342] = 3467, /* sys_open_by_handle_at */
    [343] = 356, /* sys_clock_adjtime */
    [344] = 5959, /* sys_syncfs */
    [345] = 4999, /* sys_sendmmsg */
    [346] = 5299, /* sys_setns */
    [347] = 3902, /* sys_process_vm_readv */
    [348] = 3923, /* sys_process_vm_writev */
    [349] = 2424, /* sys_kcmp */
    [350] = 1162, /* sys_finit_module */
    [351] = 4781, /* sys_sched_setattr */
    [352] = 4640, /* sys_sched_getattr */
    [353] = 4317, /* sys_renameat2 */
    [354] = 4857, /* sys_seccomp */
    [355] = 1859, /* sys_getrandom */
    [356] = 2812, /* sys_memfd_create */
    [357] = 241, /* sys_bpf */
    [358] = 879, /* sys_execveat */
    [359] = 5743, /* sys_socket */
    [360] = 5769, /* sys_socketpair */
    [361] = 232, /* sys_bind */
    [362] = 605, /* sys_connect */
    [363] = 2623, /* sys_listen */
    [364] = 51, /* sys_accept4 */
    [365] = 1988, /* sys_getsockopt */
    [366] = 5478, /* sys_setsockopt */
    [367] = 1972, /* sys_getsockname */
    [368] = 1768, /* sys_getpeername */
    [369] = 5024, /* sys_sendto */
    [370] = 5012, /* sys_sendmsg */
    [371] = 4198, /* sys_recvfrom */
    [372] = 4244, /* sys_recvmsg */
    [373] = 5602, /* sys_shutdown */
    [374] = 6453, /* sys_userfaultfd */
    [375] = 2797, /* sys_membarrier */
    [376] = 2930, /* sys_mlock2 */
    [377] = 617, /* sys_copy_file_range */
    [378] = 3835, /* sys_preadv2 */
    [379] = 4046, /* sys_pwritev2 */
    [380] = 3748, /* sys_pkey_mprotect */
    [381] = 3719, /* sys_pkey_alloc */
    [382] = 3734, /* sys_pkey_free */
    [383] = 5852, /* sys_statx */
    [384] = 134, /* sys_arch_prctl */
    [385] = 2226, /* sys_io_pgetevents */
    [386] = 4377, /* sys_rseq */
    [393] = 4904, /* sys_semget */
    [394] = 4893, /* sys_semctl */
    [395] = 5591, /* sys_shmget */
    [396] = 5570, /* sys_shmctl */
    [397] = 5560, /* sys_shmat */
    [398] = 5581, /* sys_shmdt */
    [399] = 3235, /* sys_msgget */
    [400] = 3257, /* sys_msgsnd */
    [401] = 3246, /* sys_msgrcv */
    [402] = 3224, /* sys_msgctl */
    [403] = 453, /* sys_clock_gettime64 */
    [404] = 538, /* sys_clock_settime64 */
    [405] = 374, /* sys_clock_adjtime64 */
    [406] = 411, /* sys_clock_getres_time64 */
    [407] = 493, /* sys_clock_nanosleep_time64 */
    [408] = 6116, /* sys_timer_gettime64 */
    [409] = 6154, /* sys_timer_settime64 */
    [410] = 6213, /* sys_timerfd_gettime64 */
    [411] = 6255, /* sys_timerfd_settime64 */
    [412] = 6503, /* sys_utimensat_time64 */
    [413] = 3978, /* sys_pselect6_time64 */
    [414] = 3785, /* sys_ppoll_time64 */
    [416] = 2244, /* sys_io_pgetevents_time64 */
    [417] = 4224, /* sys_recvmmsg_time64 */
    [418] = 3175, /* sys_mq_timedsend_time64 */
    [419] = 3131, /* sys_mq_timedreceive_time64 */
    [420] = 4940, /* sys_semtimedop_time64 */
    [421] = 4515, /* sys_rt_sigtimedwait_time64 */
    [422] = 1443, /* sys_futex_time64 */
    [423] = 4726, /* sys_sched_rr_get_interval_time64 */
    [424] = 3663, /* sys_pidfd_send_signal */
    [425] = 2337, /* sys_io_uring_setup */
    [426] = 2296, /* sys_io_uring_enter */
    [427] = 2315, /* sys_io_uring_register */
    [428] = 3489, /* sys_open_tree */
    [429] = 3016, /* sys_move_mount */
    [430] = 1269, /* sys_fsopen */
    [431] = 1230, /* sys_fsconfig */
    [432] = 1257, /* sys_fsmount */
    [433] = 1280, /* sys_fspick */
    [434] = 3648, /* sys_pidfd_open */
    [435] = 568, /* sys_clone3 */
    [436] = 589, /* sys_close_range */
    [437] = 3514, /* sys_openat2 */
    [438] = 3632, /* sys_pidfd_getfd */
    [439] = 930, /* sys_faccessat2 */
    [440] = 3861, /* sys_process_madvise */
    [441] = 792, /* sys_epoll_pwait2 */
    [442] = 2998, /* sys_mount_setattr */
    [443] = 4089, /* sys_quotactl_fd */
    [444] = 2510, /* sys_landlock_create_ruleset */
    [445] = 2488, /* sys_landlock_add_rule */
    [446] = 2538, /* sys_landlock_restrict_self */
    [447] = 2829, /* sys_memfd_secret */
    [448] = 3881, /* sys_process_mrelease */
    [449] = 1475, /* sys_futex_waitv */
    [450] = 5053, /* sys_set_mempolicy_home_node */
    [451] = 267, /* sys_cachestat */
    [452] = 1061, /* sys_fchmodat2 */
    [453] = 2766, /* sys_map_shadow_stack */
    [454] = 1491, /* sys_futex_wake */
    [455] = 1460, /* sys_futex_wait */
    [456] = 1425, /* sys_futex_requeue */
};

static const uint16_t names_arm32[] = {
    [0] = 4347, /* sys_restart_syscall */
    [1] = 892, /* sys_exit */
    [2] = 1204, /* sys_fork */
    [3] = 4105, /* sys_read */
    [4] = 6636, /* sys_write */
    [5] = 3458, /* sys_open */
    [6] = 579, /* sys_close */
    [8] = 637, /* sys_creat */
    [9] = 2603, /* sys_link */
    [10] = 6406, /* sys_unlink */
    [11] = 868, /* sys_execve */
    [12] = 303, /* sys_chdir */
    [13] = 6034, /* sys_time */
    [14] = 2898, /* sys_mknod */
    [15] = 313, /* sys_chmod */
    [16] = 2565, /* sys_lchown */
    [19] = 2708, /* sys_lseek */
    [20] = 1808, /* sys_getpid */
    [21] = 2988, /* sys_mount */
    [22] = 6373, /* sys_umount */
    [23] = 5510, /* sys_setuid */
    [24] = 2031, /* sys_getuid */
    [25] = 5862, /* sys_stime */
    [26] = 3998, /* sys_ptrace */
    [27] = 124, /* sys_alarm */
    [29] = 3526, /* sys_pause */
    [30] = 6479, /* sys_utime */
    [33] = 63, /* sys_access */
    [34] = 3382, /* sys_nice */
    [36] = 5930, /* sys_sync */
    [37] = 2479, /* sys_kill */
    [38] = 4293, /* sys_rename */
    [39] = 2876, /* sys_mkdir */
    [40] = 4367, /* sys_rmdir */
    [41] = 683, /* sys_dup */
    [42] = 3685, /* sys_pipe */
    [43] = 6277, /* sys_times */
    [45] = 259, /* sys_brk */
    [46] = 5215, /* sys_setgid */
    [47] = 1700, /* sys_getgid */
    [49] = 1674, /* sys_geteuid */
    [50] = 1648, /* sys_getegid */
    [51] = 74, /* sys_acct */
    [52] = 6384, /* sys_umount2 */
    [54] = 2356, /* sys_ioctl */
    [55] = 1112, /* sys_fcntl */
    [57] = 5309, /* sys_setpgid */
    [60] = 6363, /* sys_umask */
    [61] = 345, /* sys_chroot */
    [62] = 6469, /* sys_ustat */
    [63] = 691, /* sys_dup2 */
    [64] = 1831, /* sys_getppid */
    [65] = 1796, /* sys_getpgrp */
    [66] = 5467, /* sys_setsid */
    [67] = 5615, /* sys_sigaction */
    [70] = 5425, /* sys_setreuid */
    [71] = 5337, /* sys_setregid */
    [72] = 5728, /* sys_sigsuspend */
    [73] = 5683, /* sys_sigpending */
    [74] = 5269, /* sys_sethostname */
    [75] = 5453, /* sys_setrlimit */
    [76] = 1933, /* sys_getrlimit */
    [77] = 1947, /* sys_getrusage */
    [78] = 2014, /* sys_gettimeofday */
    [79] = 5493, /* sys_settimeofday */
    [80] = 1724, /* sys_getgroups */
    [81] = 5239, /* sys_setgroups */
    [82] = 4882, /* sys_select */
    [83] = 5904, /* sys_symlink */
    [85] = 4140, /* sys_readlink */
    [86] = 6442, /* sys_uselib */
    [87] = 5893, /* sys_swapon */
    [88] = 4178, /* sys_reboot */
    [89] = 4128, /* sys_readdir */
    [90] = 2954, /* sys_mmap */
    [91] = 3305, /* sys_munmap */
    [92] = 6297, /* sys_truncate */
    [93] = 1385, /* sys_ftruncate */
    [94] = 1037, /* sys_fchmod */
    [95] = 1075, /* sys_fchown */
    [96] = 1843, /* sys_getpriority */
    [97] = 5321, /* sys_setpriority */
    [99] = 5828, /* sys_statfs */
    [100] = 1339, /* sys_fstatfs */
    [102] = 5754, /* sys_socketcall */
    [103] = 6004, /* sys_syslog */
    [104] = 5285, /* sys_setitimer */
    [105] = 1754, /* sys_getitimer */
    [106] = 5808, /* sys_stat */
    [107] = 2732, /* sys_lstat */
    [108] = 1291, /* sys_fstat */
    [111] = 6545, /* sys_vhangup */
    [113] = 5970, /* sys_syscall */
    [114] = 6603, /* sys_wait4 */
    [115] = 5881, /* sys_swapoff */
    [116] = 5992, /* sys_sysinfo */
    [117] = 2416, /* sys_ipc */
    [118] = 1365, /* sys_fsync */
    [119] = 5714, /* sys_sigreturn */
    [120] = 558, /* sys_clone */
    [121] = 5141, /* sys_setdomainname */
    [122] = 6396, /* sys_uname */
    [124] = 95, /* sys_adjtimex */
    [125] = 3046, /* sys_mprotect */
    [126] = 5698, /* sys_sigprocmask */
    [128] = 2086, /* sys_init_module */
    [129] = 665, /* sys_delete_module */
    [131] = 4076, /* sys_quotactl */
    [132] = 1784, /* sys_getpgid */
    [133] = 1026, /* sys_fchdir */
    [134] = 220, /* sys_bdflush */
    [135] = 5982, /* sys_sysfs */
    [136] = 3616, /* sys_personality */
    [138] = 5187, /* sys_setfsuid */
    [139] = 5159, /* sys_setfsgid */
    [140] = 1, /* sys__llseek */
    [141] = 1620, /* sys_getdents */
    [142] = 13, /* sys__newselect */
    [143] = 1194, /* sys_flock */
    [144] = 3268, /* sys_msync */
    [145] = 4168, /* sys_readv */
    [146] = 6646, /* sys_writev */
    [147] = 1961, /* sys_getsid */
    [148] = 1134, /* sys_fdatasync */
    [149] = 28, /* sys__sysctl */
    [150] = 2920, /* sys_mlock */
    [151] = 3278, /* sys_munlock */
    [152] = 2941, /* sys_mlockall */
    [153] = 3290, /* sys_munlockall */
    [154] = 4799, /* sys_sched_setparam */
    [155] = 4658, /* sys_sched_getparam */
    [156] = 4818, /* sys_sched_setscheduler */
    [157] = 4677, /* sys_sched_getscheduler */
    [158] = 4841, /* sys_sched_yield */
    [159] = 4564, /* sys_sched_get_priority_max */
    [160] = 4591, /* sys_sched_get_priority_min */
    [161] = 4700, /* sys_sched_rr_get_interval */
    [162] = 3338, /* sys_nanosleep */
    [163] = 3213, /* sys_mremap */
    [164] = 5395, /* sys_setresuid */
    [165] = 1903, /* sys_getresuid */
    [168] = 3766, /* sys_poll */
    [169] = 3367, /* sys_nfsservctl */
    [170] = 5365, /* sys_setresgid */
    [171] = 1873, /* sys_getresgid */
    [172] = 3802, /* sys_prctl */
    [173] = 4460, /* sys_rt_sigreturn */
    [174] = 4386, /* sys_rt_sigaction */
    [175] = 4421, /* sys_rt_sigprocmask */
    [176] = 4403, /* sys_rt_sigpending */
    [177] = 4495, /* sys_rt_sigtimedwait */
    [178] = 4440, /* sys_rt_sigqueueinfo */
    [179] = 4477, /* sys_rt_sigsuspend */
    [180] = 3812, /* sys_pread64 */
    [181] = 4021, /* sys_pwrite64 */
    [182] = 323, /* sys_chown */
    [183] = 1609, /* sys_getcwd */
    [184] = 281, /* sys_capget */
    [185] = 292, /* sys_capset */
    [186] = 5629, /* sys_sigaltstack */
    [187] = 4971, /* sys_sendfile */
    [190] = 6535, /* sys_vfork */
    [191] = 6337, /* sys_ugetrlimit */
    [192] = 2963, /* sys_mmap2 */
    [193] = 6310, /* sys_truncate64 */
    [194] = 1399, /* sys_ftruncate64 */
    [195] = 5817, /* sys_stat64 */
    [196] = 2742, /* sys_lstat64 */
    [197] = 1301, /* sys_fstat64 */
    [198] = 2576, /* sys_lchown32 */
    [199] = 2042, /* sys_getuid32 */
    [200] = 1711, /* sys_getgid32 */
    [201] = 1686, /* sys_geteuid32 */
    [202] = 1660, /* sys_getegid32 */
    [203] = 5438, /* sys_setreuid32 */
    [204] = 5350, /* sys_setregid32 */
    [205] = 1738, /* sys_getgroups32 */
    [206] = 5253, /* sys_setgroups32 */
    [207] = 1086, /* sys_fchown32 */
    [208] = 5409, /* sys_setresuid32 */
    [209] = 1917, /* sys_getresuid32 */
    [210] = 5379, /* sys_setresgid32 */
    [211] = 1887, /* sys_getresgid32 */
    [212] = 333, /* sys_chown32 */
    [213] = 5521, /* sys_setuid32 */
    [214] = 5226, /* sys_setgid32 */
    [215] = 5200, /* sys_setfsuid32 */
    [216] = 5172, /* sys_setfsgid32 */
    [217] = 1633, /* sys_getdents64 */
    [218] = 3704, /* sys_pivot_root */
    [219] = 2864, /* sys_mincore */
    [220] = 2754, /* sys_madvise */
    [221] = 1122, /* sys_fcntl64 */
    [224] = 2003, /* sys_gettid */
    [225] = 4114, /* sys_readahead */
    [226] = 5534, /* sys_setxattr */
    [227] = 2718, /* sys_lsetxattr */
    [228] = 1243, /* sys_fsetxattr */
    [229] = 2055, /* sys_getxattr */
    [230] = 2589, /* sys_lgetxattr */
    [231] = 1148, /* sys_fgetxattr */
    [232] = 2634, /* sys_listxattr */
    [233] = 2648, /* sys_llistxattr */
    [234] = 1179, /* sys_flistxattr */
    [235] = 4277, /* sys_removexattr */
    [236] = 2691, /* sys_lremovexattr */
    [237] = 1213, /* sys_fremovexattr */
    [238] = 6287, /* sys_tkill */
    [239] = 4984, /* sys_sendfile64 */
    [240] = 1415, /* sys_futex */
    [241] = 4759, /* sys_sched_setaffinity */
    [242] = 4618, /* sys_sched_getaffinity */
    [243] = 2269, /* sys_io_setup */
    [244] = 2194, /* sys_io_destroy */
    [245] = 2209, /* sys_io_getevents */
    [246] = 2282, /* sys_io_submit */
    [247] = 2180, /* sys_io_cancel */
    [248] = 901, /* sys_exit_group */
    [249] = 2672, /* sys_lookup_dcookie */
    [250] = 709, /* sys_epoll_create */
    [251] = 744, /* sys_epoll_ctl */
    [252] = 809, /* sys_epoll_wait */
    [253] = 4256, /* sys_remap_file_pages */
    [256] = 5121, /* sys_set_tid_address */
    [257] = 6043, /* sys_timer_create */
    [258] = 6136, /* sys_timer_settime */
    [259] = 6098, /* sys_timer_gettime */
    [260] = 6077, /* sys_timer_getoverrun */
    [261] = 6060, /* sys_timer_delete */
    [262] = 520, /* sys_clock_settime */
    [263] = 435, /* sys_clock_gettime */
    [264] = 394, /* sys_clock_getres */
    [265] = 473, /* sys_clock_nanosleep */
    [266] = 5839, /* sys_statfs64 */
    [267] = 1351, /* sys_fstatfs64 */
    [268] = 6023, /* sys_tgkill */
    [269] = 6524, /* sys_utimes */
    [270] = 175, /* sys_arm_fadvise64_64 */
    [271] = 3536, /* sys_pciconfig_iobase */
    [272] = 3557, /* sys_pciconfig_read */
    [273] = 3576, /* sys_pciconfig_write */
    [274] = 3099, /* sys_mq_open */
    [275] = 3199, /* sys_mq_unlink */
    [276] = 3158, /* sys_mq_timedsend */
    [277] = 3111, /* sys_mq_timedreceive */
    [278] = 3085, /* sys_mq_notify */
    [279] = 3067, /* sys_mq_getsetattr */
    [280] = 6613, /* sys_waitid */
    [281] = 5743, /* sys_socket */
    [282] = 232, /* sys_bind */
    [283] = 605, /* sys_connect */
    [284] = 2623, /* sys_listen */
    [285] = 40, /* sys_accept */
    [286] = 1972, /* sys_getsockname */
    [287] = 1768, /* sys_getpeername */
    [288] = 5769, /* sys_socketpair */
    [289] = 4962, /* sys_send */
    [290] = 5024, /* sys_sendto */
    [291] = 4189, /* sys_recv */
    [292] = 4198, /* sys_recvfrom */
    [293] = 5602, /* sys_shutdown */
    [294] = 5478, /* sys_setsockopt */
    [295] = 1988, /* sys_getsockopt */
    [296] = 5012, /* sys_sendmsg */
    [297] = 4244, /* sys_recvmsg */
    [298] = 4915, /* sys_semop */
    [299] = 4904, /* sys_semget */
    [300] = 4893, /* sys_semctl */
    [301] = 3257, /* sys_msgsnd */
    [302] = 3246, /* sys_msgrcv */
    [303] = 3235, /* sys_msgget */
    [304] = 3224, /* sys_msgctl */
    [305] = 5560, /* sys_shmat */
    [306] = 5581, /* sys_shmdt */
    [307] = 5591, /* sys_shmget */
    [308] = 5570, /* sys_shmctl */
    [309] = 83, /* sys_add_key */
    [310] = 4331, /* sys_request_key */
    [311] = 2468, /* sys_keyctl */
    [312] = 4925, /* sys_semtimedop */
    [313] = 6591, /* sys_vserver */
    [314] = 2401, /* sys_ioprio_set */
    [315] = 2386, /* sys_ioprio_get */
    [316] = 2124, /* sys_inotify_init */
    [317] = 2102, /* sys_inotify_add_watch */
    [318] = 2159, /* sys_inotify_rm_watch */
    [319] = 2787, /* sys_mbind */
    [320] = 1540, /* sys_get_mempolicy */
    [321] = 5035, /* sys_set_mempolicy */
    [322] = 3503, /* sys_openat */
    [323] = 2886, /* sys_mkdirat */
    [324] = 2908, /* sys_mknodat */
    [325] = 1099, /* sys_fchownat */
    [326] = 1506, /* sys_futimesat */
    [327] = 1325, /* sys_fstatat64 */
    [328] = 6417, /* sys_unlinkat */
    [329] = 4304, /* sys_renameat */
    [330] = 2612, /* sys_linkat */
    [331] = 5916, /* sys_symlinkat */
    [332] = 4153, /* sys_readlinkat */
    [333] = 1048, /* sys_fchmodat */
    [334] = 916, /* sys_faccessat */
    [335] = 3965, /* sys_pselect6 */
    [336] = 3775, /* sys_ppoll */
    [337] = 6430, /* sys_unshare */
    [338] = 5081, /* sys_set_robust_list */
    [339] = 1558, /* sys_get_robust_list */
    [340] = 5784, /* sys_splice */
    [341] = 196, /* sys_arm_sync_file_range */
    [342] = 6015, /* sys_tee */
    [343] = 6578, /* sys_vmsplice */
    [344] = 3031, /* sys_move_pages */
    [345] = 1598, /* sys_getcpu */
    [346] = 776, /* sys_epoll_pwait */
    [347] = 2453, /* sys_kexec_load */
    [348] = 6489, /* sys_utimensat */
    [349] = 5656, /* sys_signalfd */
    [350] = 6174, /* sys_timerfd_create */
    [351] = 843, /* sys_eventfd */
    [352] = 976, /* sys_fallocate */
    [353] = 6235, /* sys_timerfd_settime */
    [354] = 6193, /* sys_timerfd_gettime */
    [355] = 5669, /* sys_signalfd4 */
    [356] = 855, /* sys_eventfd2 */
    [357] = 726, /* sys_epoll_create1 */
    [358] = 700, /* sys_dup3 */
    [359] = 3694, /* sys_pipe2 */
    [360] = 2141, /* sys_inotify_init1 */
    [361] = 3824, /* sys_preadv */
    [362] = 4034, /* sys_pwritev */
    [363] = 4542, /* sys_rt_tgsigqueueinfo */
    [364] = 3596, /* sys_perf_event_open */
    [365] = 4211, /* sys_recvmmsg */
    [366] = 51, /* sys_accept4 */
    [367] = 990, /* sys_fanotify_init */
    [368] = 1008, /* sys_fanotify_mark */
    [369] = 3847, /* sys_prlimit64 */
    [370] = 3316, /* sys_name_to_handle_at */
    [371] = 3467, /* sys_open_by_handle_at */
    [372] = 356, /* sys_clock_adjtime */
    [373] = 5959, /* sys_syncfs */
    [374] = 4999, /* sys_sendmmsg */
    [375] = 5299, /* sys_setns */
    [376] = 3902, /* sys_process_vm_readv */
    [377] = 3923, /* sys_process_vm_writev */
    [378] = 2424, /* sys_kcmp */
    [379] = 1162, /* sys_finit_module */
    [380] = 4781, /* sys_sched_setattr */
    [381] = 4640, /* sys_sched_getattr */
    [382] = 4317, /* sys_renameat2 */
    [383] = 4857, /* sys_seccomp */
    [384] = 1859, /* sys_getrandom */
    [385] = 2812, /* sys_memfd_create */
    [386] = 241, /* sys_bpf */
    [387] = 879, /* sys_execveat */
    [388] = 6453, /* sys_userfaultfd */
    [389] = 2797, /* sys_membarrier */
    [390] = 2930, /* sys_mlock2 */
    [391] = 617, /* sys_copy_file_range */
    [392] = 3835, /* sys_preadv2 */
    [393] = 4046, /* sys_pwritev2 */
    [394] = 3748, /* sys_pkey_mprotect */
    [395] = 3719, /* sys_pkey_alloc */
    [396] = 3734, /* sys_pkey_free */
    [397] = 5852, /* sys_statx */
    [398] = 4377, /* sys_rseq */
    [399] = 2226, /* sys_io_pgetevents */
    [400] = 2846, /* sys_migrate_pages */
    [401] = 2433, /* sys_kexec_file_load */
    [403] = 453, /* sys_clock_gettime64 */
    [404] = 538, /* sys_clock_settime64 */
    [405] = 374, /* sys_clock_adjtime64 */
    [406] = 411, /* sys_clock_getres_time64 */
    [407] = 493, /* sys_clock_nanosleep_time64 */
    [408] = 6116, /* sys_timer_gettime64 */
    [409] = 6154, /* sys_timer_settime64 */
    [410] = 6213, /* sys_timerfd_gettime64 */
    [411] = 6255, /* sys_timerfd_settime64 */
    [412] = 6503, /* sys_utimensat_time64 */
    [413] = 3978, /* sys_pselect6_time64 */
    [414] = 3785, /* sys_ppoll_time64 */
    [416] = 2244, /* sys_io_pgetevents_time64 */
    [417] = 4224, /* sys_recvmmsg_time64 */
    [418] = 3175, /* sys_mq_timedsend_time64 */
    [419] = 3131, /* sys_mq_timedreceive_time64 */
    [420] = 4940, /* sys_semtimedop_time64 */
    [421] = 4515, /* sys_rt_sigtimedwait_time64 */
    [422] = 1443, /* sys_futex_time64 */
    [423] = 4726, /* sys_sched_rr_get_interval_time64 */
    [424] = 3663, /* sys_pidfd_send_signal */
    [425] = 2337, /* sys_io_uring_setup */
    [426] = 2296, /* sys_io_uring_enter */
    [427] = 2315, /* sys_io_uring_register */
    [428] = 3489, /* sys_open_tree */
    [429] = 3016, /* sys_move_mount */
    [430] = 1269, /* sys_fsopen */
    [431] = 1230, /* sys_fsconfig */
    [432] = 1257, /* sys_fsmount */
    [433] = 1280, /* sys_fspick */
    [434] = 3648, /* sys_pidfd_open */
    [435] = 568, /* sys_clone3 */
    [436] = 589, /* sys_close_range */
    [437] = 3514, /* sys_openat2 */
    [438] = 3632, /* sys_pidfd_getfd */
    [439] = 930, /* sys_faccessat2 */
    [440] = 3861, /* sys_process_madvise */
    [441] = 792, /* sys_epoll_pwait2 */
    [442] = 2998, /* sys_mount_setattr */
    [443] = 4089, /* sys_quotactl_fd */
    [444] = 2510, /* sys_landlock_create_ruleset */
    [445] = 2488, /* sys_landlock_add_rule */
    [446] = 2538, /* sys_landlock_restrict_self */
    [448] = 3881, /* sys_process_mrelease */
    [449] = 1475, /* sys_futex_waitv */
    [450] = 5053, /* sys_set_mempolicy_home_node */
    [451] = 267, /* sys_cachestat */
    [452] = 1061, /* sys_fchmodat2 */
    [453] = 2766, /* sys_map_shadow_stack */
    [454] = 1491, /* sys_futex_wake */
    [455] = 1460, /* sys_futex_wait */
    [456] = 1425, /* sys_futex_requeue */
};

const struct orma_syscall_table orma_syscall_tables[] = {
    {"x86_64", sizeof(names_x86_64) / sizeof(names_x86_64[0]), names_x86_64},
    {"arm64", sizeof(names_arm64) / sizeof(names_arm64[0]), names_arm64},
    {"x86", sizeof(names_x86) / sizeof(names_x86[0]), names_x86},
    {"arm32", sizeof(names_arm32) / sizeof(names_arm32[0]), names_arm32},
};

const unsigned orma_syscall_tables_num = 4;
