// Names of slices and how often they occur: the C interface from Rust, without a crate.
use std::env;
use std::ffi::{c_char, c_int, c_uint, CStr, CString};
use std::process::exit;
use std::ptr::{null, null_mut};

#[repr(C)]
struct Processor {
    _private: [u8; 0],
}
#[repr(C)]
struct Query {
    _private: [u8; 0],
}

extern "C" {
    fn orma_processor_new(config: *const u8, ret: *mut *mut Processor) -> c_int;
    fn orma_processor_free(tp: *mut Processor);
    fn orma_processor_error(tp: *const Processor) -> *const c_char;
    fn orma_processor_load_file(tp: *mut Processor, path: *const c_char, progress: *const u8, data: *const u8) -> c_int;
    fn orma_query_prepare(
        tp: *mut Processor,
        sql: *const c_char,
        len: usize,
        ret: *mut *mut Query,
        rest: *mut *const c_char,
    ) -> c_int;
    fn orma_query_step(q: *mut Query) -> c_int;
    fn orma_query_int64(q: *const Query, col: c_uint) -> i64;
    fn orma_query_text(q: *const Query, col: c_uint) -> *const c_char;
    fn orma_query_free(q: *mut Query);
}

struct Trace(*mut Processor);

impl Drop for Trace {
    fn drop(&mut self) {
        unsafe { orma_processor_free(self.0) }
    }
}

impl Trace {
    fn open(path: &str) -> Result<Trace, String> {
        let path = CString::new(path).map_err(|e| e.to_string())?;
        let mut tp = null_mut();
        if unsafe { orma_processor_new(null(), &mut tp) } < 0 {
            return Err("out of memory".to_string());
        }
        let trace = Trace(tp);
        match unsafe { orma_processor_load_file(tp, path.as_ptr(), null(), null()) } {
            0 => Ok(trace),
            _ => Err(trace.error()),
        }
    }

    fn error(&self) -> String {
        unsafe { CStr::from_ptr(orma_processor_error(self.0)) }.to_string_lossy().into_owned()
    }

    fn each(&self, sql: &str, mut row: impl FnMut(&str, i64)) -> Result<(), String> {
        let sql = CString::new(sql).map_err(|e| e.to_string())?;
        let mut q = null_mut();
        if unsafe { orma_query_prepare(self.0, sql.as_ptr(), usize::MAX, &mut q, null_mut()) } != 0 {
            return Err(self.error());
        }
        let mut r = unsafe { orma_query_step(q) };
        while r == 1 {
            let name = unsafe { CStr::from_ptr(orma_query_text(q, 0)) }.to_string_lossy().into_owned();
            row(&name, unsafe { orma_query_int64(q, 1) });
            r = unsafe { orma_query_step(q) };
        }
        unsafe { orma_query_free(q) };
        if r < 0 { Err(self.error()) } else { Ok(()) }
    }
}

fn run() -> Result<(), String> {
    let path = env::args().nth(1).ok_or("usage: names TRACE")?;
    let trace = Trace::open(&path)?;
    trace.each("SELECT name, count(*) FROM slice GROUP BY name ORDER BY name", |name, n| println!("{n} {name}"))
}

fn main() {
    if let Err(e) = run() {
        eprintln!("{e}");
        exit(1);
    }
}
