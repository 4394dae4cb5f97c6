//! Slices, counters, states and tracks of programs, over `liborma`.
//!
//! ```no_run
//! orma::category!(RENDER, "render", "Drawing of frames");
//!
//! fn draw(frame: u32) {
//!     let _slice = orma::slice!(RENDER, "draw", frame = frame, path = "a.png"); // to the end of the block
//! }
//!
//! fn main() -> std::io::Result<()> {
//!     let recording = orma::Recording::start("out.pftrace")?; // or orma::init(): the service of the machine
//!     draw(1);
//!     recording.stop()
//! }
//! ```
//!
//! A disabled event costs two loads and a branch; its arguments are not evaluated.
use std::cell::UnsafeCell;
use std::ffi::CString;
use std::io;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Once;

#[doc(hidden)]
pub mod sys;

/// What recordings enable and disable. Made by [`category!`], always `static`.
pub struct Category {
    raw: UnsafeCell<sys::Category>,
    sites: UnsafeCell<[sys::Site; 5]>, // of events whose names are made at run time, by their kind
    once: Once,
}

// The library takes care of its threads; ours write to it once, in `once`.
unsafe impl Sync for Category {}

#[derive(Clone, Copy)]
enum Kind {
    Slice,
    Instant,
    Counter,
    Double,
    State,
}

const NO_SITE: sys::Site = sys::Site {
    category: ptr::null_mut(),
    name: b"\0".as_ptr() as *const c_char,
    file: b"\0".as_ptr() as *const c_char,
    line: 0,
    id: 0,
};

impl Category {
    #[doc(hidden)]
    pub const fn new(name: &'static [u8], description: &'static [u8]) -> Self {
        assert!(name[name.len() - 1] == 0 && description[description.len() - 1] == 0);
        Category {
            raw: UnsafeCell::new(sys::Category {
                enabled: 0,
                state: 0,
                name: name.as_ptr() as *const c_char,
                description: description.as_ptr() as *const c_char,
                tags: ptr::null(),
                next: ptr::null_mut(),
            }),
            sites: UnsafeCell::new([NO_SITE; 5]),
            once: Once::new(),
        }
    }

    /// Makes the category known before its first event, so that a recording can enable it from the beginning.
    pub fn register(&'static self) {
        self.once.call_once(|| unsafe {
            for site in (*self.sites.get()).iter_mut() {
                site.category = self.raw.get();
            }
            sys::orma_category_register(self.raw.get());
        });
    }

    /// Does a session record it?
    #[inline]
    pub fn enabled(&'static self) -> bool {
        if !self.once.is_completed() {
            self.register();
        }
        unsafe { &*(ptr::addr_of!((*self.raw.get()).enabled) as *const AtomicU32) }.load(Ordering::Relaxed) != 0
    }

    fn site(&'static self, kind: Kind) -> *mut sys::Site {
        unsafe { (self.sites.get() as *mut sys::Site).add(kind as usize) }
    }
}

/// What an event carries. Made by [`slice!`] and [`instant!`], or by the functions here.
pub struct Arg<'a>(sys::Arg, std::marker::PhantomData<&'a ()>);

/// Values of arguments.
pub trait Value {
    #[doc(hidden)]
    fn fill(&self, arg: &mut sys::Arg);
}

macro_rules! numbers {
    ($($t:ty: $kind:ident as $via:ty),*) => {$(
        impl Value for $t {
            fn fill(&self, arg: &mut sys::Arg) {
                arg.kind = sys::$kind;
                arg.num = *self as $via as u64;
            }
        }
    )*};
}
numbers!(i8: INT as i64, i16: INT as i64, i32: INT as i64, i64: INT as i64, isize: INT as i64, u8: UINT as u64, u16: UINT as u64,
         u32: UINT as u64, u64: UINT as u64, usize: UINT as u64, bool: BOOL as u64);

impl Value for f64 {
    fn fill(&self, arg: &mut sys::Arg) {
        arg.kind = sys::DOUBLE;
        arg.num = self.to_bits();
    }
}

impl Value for f32 {
    fn fill(&self, arg: &mut sys::Arg) {
        f64::from(*self).fill(arg)
    }
}

impl Value for str {
    fn fill(&self, arg: &mut sys::Arg) {
        arg.kind = sys::STR;
        arg.ptr = self.as_ptr().cast();
        arg.len = self.len() as u32;
    }
}

impl Value for String {
    fn fill(&self, arg: &mut sys::Arg) {
        self.as_str().fill(arg)
    }
}

impl<T: Value + ?Sized> Value for &T {
    fn fill(&self, arg: &mut sys::Arg) {
        (**self).fill(arg)
    }
}

const NO_ARG: sys::Arg = sys::Arg { kind: 0, dynamic_key: 0, len: 0, key: ptr::null(), ptr: ptr::null(), num: 0 };

impl<'a> Arg<'a> {
    /// `key` ends with a zero byte, and is a literal.
    #[doc(hidden)]
    pub fn new<T: Value + ?Sized>(key: &'static str, value: &'a T) -> Self {
        assert!(key.ends_with('\0'));
        let mut arg = sys::Arg { key: key.as_ptr() as *const c_char, ..NO_ARG };
        value.fill(&mut arg);
        Arg(arg, std::marker::PhantomData)
    }

    /// Events with the same number are joined by arrows.
    pub fn flow(id: u64) -> Self {
        Arg(sys::Arg { kind: sys::FLOW, num: id, ..NO_ARG }, std::marker::PhantomData)
    }

    pub fn flow_end(id: u64) -> Self {
        Arg(sys::Arg { kind: sys::FLOW_END, num: id, ..NO_ARG }, std::marker::PhantomData)
    }

    /// The event is on this track.
    pub fn on(track: &'a Track) -> Self {
        Arg(sys::Arg { kind: sys::TRACK, ptr: track.get().cast(), ..NO_ARG }, std::marker::PhantomData)
    }
}

/// The arguments, and the name.
fn all_args(name: &str, args: &[Arg]) -> Vec<sys::Arg> {
    let name = sys::Arg { kind: sys::DYNAMIC_NAME, len: name.len() as u32, ptr: name.as_ptr().cast(), ..NO_ARG };
    args.iter().map(|a| a.0).chain([name]).collect()
}

/// A slice that ends when it is dropped, in the sessions that got its begin.
#[must_use = "it ends at once if it is not kept"]
pub struct Slice<'a> {
    category: &'static Category,
    sessions: u32,
    track: Option<&'a Track>,
    on_thread: std::marker::PhantomData<*const ()>, // it ends on the thread where it began
}

impl<'a> Slice<'a> {
    pub fn none(category: &'static Category) -> Self {
        Slice { category, sessions: 0, track: None, on_thread: std::marker::PhantomData }
    }

    pub fn begin(category: &'static Category, name: &str, args: &[Arg]) -> Self {
        let mut slice = Self::none(category);
        if category.enabled() {
            let all = all_args(name, args);
            slice.sessions = unsafe { sys::orma_slice_begin_args(category.site(Kind::Slice), all.as_ptr(), all.len()) };
        }
        slice
    }

    /// On a track of its own.
    pub fn begin_on(category: &'static Category, track: &'a Track, name: &str) -> Self {
        let mut slice = Self::begin(category, name, &[Arg::on(track)]);
        slice.track = Some(track);
        slice
    }
}

impl Drop for Slice<'_> {
    fn drop(&mut self) {
        if self.sessions != 0 {
            let on: Vec<sys::Arg> = self.track.iter().map(|t| Arg::on(t).0).collect();
            unsafe { sys::orma_slice_end_args(self.category.raw.get(), self.sessions, on.as_ptr(), on.len()) }
        }
    }
}

/// A moment.
pub fn instant(category: &'static Category, name: &str, args: &[Arg]) {
    if category.enabled() {
        let all = all_args(name, args);
        unsafe { sys::orma_instant_args(category.site(Kind::Instant), all.as_ptr(), all.len()) }
    }
}

/// Where events appear, by name.
pub struct Track {
    raw: Box<sys::Track>, // known by its address
    _name: CString,
    _parent: Option<Box<sys::Track>>,
}

// The library only reads it.
unsafe impl Send for Track {}
unsafe impl Sync for Track {}

type Make = unsafe extern "C" fn(*const c_char, u64, *const sys::Track) -> sys::Track;

impl Track {
    /// Below the process.
    pub fn new(name: &str, id: u64) -> Self {
        Self::make(sys::orma_track_named, name, id)
    }

    /// Of numbers: [`Track::set`].
    pub fn counter(name: &str) -> Self {
        Self::make(sys::orma_track_counter, name, 0)
    }

    /// Of states: [`Track::state`].
    pub fn states(name: &str) -> Self {
        Self::make(sys::orma_track_state, name, 0)
    }

    fn make(make: Make, name: &str, id: u64) -> Self {
        let name = CString::new(name.replace('\0', "")).expect("without zeros");
        let parent = Box::new(unsafe { sys::orma_track_process() });
        let raw = Box::new(unsafe { make(name.as_ptr(), id, &*parent) });
        Track { raw, _name: name, _parent: Some(parent) }
    }

    fn get(&self) -> *const sys::Track {
        &*self.raw
    }

    /// A slice on the track, for what begins and ends in different places; [`Slice::begin_on`] ends by itself.
    pub fn begin(&self, category: &'static Category, name: &str) {
        if category.enabled() {
            let all = all_args(name, &[Arg::on(self)]);
            unsafe { sys::orma_slice_begin_args(category.site(Kind::Slice), all.as_ptr(), all.len()) };
        }
    }

    /// Ends the innermost slice on the track.
    pub fn end(&self, category: &'static Category) {
        if category.enabled() {
            unsafe { sys::orma_slice_end_args(category.raw.get(), u32::MAX, &Arg::on(self).0, 1) }
        }
    }

    /// The counter's value from now on.
    pub fn set(&self, category: &'static Category, value: i64) {
        if category.enabled() {
            unsafe { sys::orma_counter(category.site(Kind::Counter), self.get(), value) }
        }
    }

    pub fn set_f64(&self, category: &'static Category, value: f64) {
        if category.enabled() {
            unsafe { sys::orma_counter_double(category.site(Kind::Double), self.get(), value) }
        }
    }

    /// The state from now on; "" is none.
    pub fn state(&self, category: &'static Category, name: &str) {
        if category.enabled() {
            let all = all_args(name, &[]);
            let num = usize::from(!name.is_empty());
            unsafe { sys::orma_state(category.site(Kind::State), self.get(), all.as_ptr(), num) }
        }
    }
}

/// Connects to the tracing service of the machine, now or when there is one.
pub fn init() -> io::Result<()> {
    check(unsafe { sys::orma_init(ptr::null()) })
}

fn check(result: i32) -> io::Result<()> {
    if result < 0 { Err(io::Error::from_raw_os_error(-result)) } else { Ok(()) }
}

/// A recording of this process into a file; complete when it is stopped or dropped.
pub struct Recording(*mut std::ffi::c_void);

unsafe impl Send for Recording {}

impl Recording {
    pub fn start(path: impl AsRef<Path>) -> io::Result<Self> {
        use std::os::unix::ffi::OsStrExt;
        let path = CString::new(path.as_ref().as_os_str().as_bytes())?;
        let args = sys::RecordingArgs {
            struct_size: std::mem::size_of::<sys::RecordingArgs>(),
            path: path.as_ptr(),
            fd: -1,
            mode: 0,
            buffer_kb: 0,
            categories: ptr::null(),
            sources: ptr::null(),
            write_period_ms: 0,
            track_events: ptr::null(),
            track_events_len: 0,
        };
        let mut recording = ptr::null_mut();
        check(unsafe { sys::orma_recording_start(&args, &mut recording) })?;
        Ok(Recording(recording))
    }

    pub fn stop(mut self) -> io::Result<()> {
        self.end()
    }

    fn end(&mut self) -> io::Result<()> {
        let recording = std::mem::replace(&mut self.0, ptr::null_mut());
        if recording.is_null() { Ok(()) } else { check(unsafe { sys::orma_recording_stop(recording, ptr::null_mut()) }) }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// `category!(RENDER, "render", "Drawing of frames");`
#[macro_export]
macro_rules! category {
    ($vis:vis $ident:ident, $name:literal) => { $crate::category!($vis $ident, $name, ""); };
    ($vis:vis $ident:ident, $name:literal, $description:literal) => {
        $vis static $ident: $crate::Category =
            $crate::Category::new(concat!($name, "\0").as_bytes(), concat!($description, "\0").as_bytes());
    };
}

/// `let _slice = slice!(RENDER, "draw", frame = 3);`
#[macro_export]
macro_rules! slice {
    ($category:expr, $name:expr $(, $key:ident = $value:expr)* $(,)?) => {
        if $category.enabled() {
            $crate::Slice::begin(&$category, $name, &[$($crate::Arg::new(concat!(stringify!($key), "\0"), &$value)),*])
        } else {
            $crate::Slice::none(&$category)
        }
    };
}

/// `instant!(RENDER, "dropped", frames = 2);`
#[macro_export]
macro_rules! instant {
    ($category:expr, $name:expr $(, $key:ident = $value:expr)* $(,)?) => {
        if $category.enabled() {
            $crate::instant(&$category, $name, &[$($crate::Arg::new(concat!(stringify!($key), "\0"), &$value)),*])
        }
    };
}
