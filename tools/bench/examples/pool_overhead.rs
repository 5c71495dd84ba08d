//! Runs `argosy-bench pool --overhead` and also counts allocations. This is a program of its own, because the binary
//! has no counting allocator.
//!
//! ```sh
//! cargo run --release -p argosy-bench --example pool_overhead [-- json]
//! ```

#![expect(unsafe_code, reason = "an allocator cannot be written without")]

use argosy::cli::Output;
use argosy_bench::pool::{Allocations, overhead};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// The system's allocator, with its allocations counted.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static ALLOCATED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Whether this thread's allocations are not counted.
    static EXEMPT: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    // A thread that ends may allocate when its locals are gone.
    if !EXEMPT.try_with(Cell::get).unwrap_or(true) {
        ALLOCATED.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: what the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: what the caller promised.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: what the caller promised.
        unsafe { System.realloc(at, layout, size) }
    }
}

fn main() -> ExitCode {
    let allocations = Allocations {
        so_far: || ALLOCATED.load(Ordering::Relaxed),
        exempt: || EXEMPT.set(true),
    };
    let output = match std::env::args().nth(1).as_deref() {
        Some("json") => Output::Json,
        _ => Output::Text,
    };
    let runtime = tokio::runtime::Runtime::new();
    let measured = runtime.map(|runtime| runtime.block_on(overhead(output, Some(allocations))));
    match measured {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(fail)) => {
            eprintln!("{fail}");
            ExitCode::from(fail.exit)
        }
        Err(error) => {
            eprintln!("no runtime: {error}");
            ExitCode::FAILURE
        }
    }
}
