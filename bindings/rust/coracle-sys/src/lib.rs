// SPDX-License-Identifier: Apache-2.0
//! The C interface of Coracle as it is: `coracle.h` and, with the feature `vision`, `vision/vision.h`, whose comments say
//! what holds for each function. The crate `coracle` is the safe one.
//!
//! The library is looked for in the folder `CORACLE_LIB_DIR`, else by `pkg-config coracle`.
#![allow(non_camel_case_types)]

/// A type of which there are pointers only.
macro_rules! opaque {
    ($name:ident) => {
        #[repr(C)]
        pub struct $name {
            _data: [u8; 0],
            _marker: PhantomData<(*mut u8, PhantomPinned)>,
        }
    };
}

macro_rules! layout {
    ($lines:ident, $name:ident, $($field:ident),*) => {
        $lines.push(format!("size {} {}", stringify!($name), size_of::<$name>()));
        $({
            let whole = MaybeUninit::<$name>::uninit();
            let start = whole.as_ptr();
            let field = unsafe { std::ptr::addr_of!((*start).$field) };
            let place = field as usize - start as usize;
            $lines.push(format!("field {}.{} {} {}", stringify!($name), stringify!($field), place, size_behind(field)));
        })*
    };
}

/// What the modules of declarations use.
mod c {
    pub(crate) use std::marker::{PhantomData, PhantomPinned};
    pub(crate) use std::mem::{size_of, MaybeUninit};
    pub(crate) use std::os::raw::{c_char, c_int, c_uint, c_void};

    pub(crate) fn size_behind<T>(_: *const T) -> usize {
        size_of::<T>()
    }
}

#[rustfmt::skip]
mod coracle_h;
#[cfg(feature = "vision")]
#[rustfmt::skip]
mod vision_h;

/// The size of each struct and the place and size of each field, as `scripts/bindings/check.py` compares them with C's.
#[doc(hidden)]
pub fn layout() -> Vec<String> {
    let mut lines = Vec::new();
    coracle_h::layout(&mut lines);
    #[cfg(feature = "vision")]
    vision_h::layout(&mut lines);
    lines
}

pub use coracle_h::*;
#[cfg(feature = "vision")]
pub use vision_h::*;
