//! What `orma/track_event.h`, `tracing.h` and `recording.h` declare, as far as it is used.
use std::os::raw::{c_char, c_int, c_void};

#[repr(C)]
pub struct Category {
    pub enabled: u32,
    pub state: u32,
    pub name: *const c_char,
    pub description: *const c_char,
    pub tags: *const c_char,
    pub next: *mut Category,
}

#[repr(C)]
pub struct Site {
    pub category: *mut Category,
    pub name: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub id: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Arg {
    pub kind: u16,
    pub dynamic_key: u16,
    pub len: u32,
    pub key: *const c_char,
    pub ptr: *const c_void,
    pub num: u64,
}

pub const BOOL: u16 = 1;
pub const INT: u16 = 2;
pub const UINT: u16 = 3;
pub const DOUBLE: u16 = 5;
pub const STR: u16 = 6;
pub const FLOW: u16 = 7;
pub const FLOW_END: u16 = 8;
pub const TRACK: u16 = 9;
pub const DYNAMIC_NAME: u16 = 15;

#[repr(C)]
pub struct Track {
    pub uuid: u64,
    pub parent: *const Track,
    pub name: *const c_char,
    pub kind: u32,
    pub tid: i32,
    pub child_ordering: u32,
    pub sibling_rank: i32,
    pub never_merge: u32,
    pub unit: u32,
    pub unit_name: *const c_char,
    pub multiplier: i64,
    pub incremental: u32,
}

#[repr(C)]
pub struct RecordingArgs {
    pub struct_size: usize,
    pub path: *const c_char,
    pub fd: c_int,
    pub mode: u32,
    pub buffer_kb: u32,
    pub categories: *const c_char,
    pub sources: *const c_char,
    pub write_period_ms: u32,
    pub track_events: *const c_void,
    pub track_events_len: usize,
}

extern "C" {
    pub fn orma_category_register(category: *mut Category);
    pub fn orma_slice_begin_args(site: *mut Site, args: *const Arg, num: usize) -> u32;
    pub fn orma_slice_end_args(category: *const Category, sessions: u32, args: *const Arg, num: usize);
    pub fn orma_instant_args(site: *mut Site, args: *const Arg, num: usize);
    pub fn orma_state(site: *mut Site, track: *const Track, args: *const Arg, num: usize);
    pub fn orma_counter(site: *mut Site, track: *const Track, val: i64);
    pub fn orma_counter_double(site: *mut Site, track: *const Track, val: f64);
    pub fn orma_track_process() -> Track;
    pub fn orma_track_named(name: *const c_char, id: u64, parent: *const Track) -> Track;
    pub fn orma_track_counter(name: *const c_char, id: u64, parent: *const Track) -> Track;
    pub fn orma_track_state(name: *const c_char, id: u64, parent: *const Track) -> Track;
    pub fn orma_recording_start(args: *const RecordingArgs, ret: *mut *mut c_void) -> c_int;
    pub fn orma_recording_stop(recording: *mut c_void, ret: *mut c_void) -> c_int;
    pub fn orma_init(args: *const c_void) -> c_int;
}
