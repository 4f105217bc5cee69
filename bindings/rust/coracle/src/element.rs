// SPDX-License-Identifier: Apache-2.0
use std::fmt;

use coracle_sys as sys;

use crate::error::{text_at, Error, Result};

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum ElementType {
    Bool = sys::CORACLE_BOOL,
    Int8 = sys::CORACLE_INT8,
    UInt8 = sys::CORACLE_UINT8,
    Int16 = sys::CORACLE_INT16,
    Int32 = sys::CORACLE_INT32,
    Int64 = sys::CORACLE_INT64,
    Float16 = sys::CORACLE_FLOAT16,
    BFloat16 = sys::CORACLE_BFLOAT16,
    Float32 = sys::CORACLE_FLOAT32,
    Float64 = sys::CORACLE_FLOAT64,
    Complex64 = sys::CORACLE_COMPLEX64,
    Complex128 = sys::CORACLE_COMPLEX128,
    Float8E4M3 = sys::CORACLE_FLOAT8_E4M3,
    Float8E5M2 = sys::CORACLE_FLOAT8_E5M2,
}

const ALL: [ElementType; 14] = [
    ElementType::Bool,
    ElementType::Int8,
    ElementType::UInt8,
    ElementType::Int16,
    ElementType::Int32,
    ElementType::Int64,
    ElementType::Float16,
    ElementType::BFloat16,
    ElementType::Float32,
    ElementType::Float64,
    ElementType::Complex64,
    ElementType::Complex128,
    ElementType::Float8E4M3,
    ElementType::Float8E5M2,
];

impl ElementType {
    pub(crate) fn number(self) -> sys::coracle_dtype {
        self as sys::coracle_dtype
    }

    pub(crate) fn from_number(number: sys::coracle_dtype) -> Result<ElementType> {
        let found = ALL.iter().copied().find(|each| each.number() == number);
        found.ok_or_else(|| Error::invalid(format!("the library's element type {} is newer than this crate", number)))
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        unsafe { sys::coracle_dtype_size(self.number()) }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&unsafe { text_at(sys::coracle_dtype_name(self.number())) })
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A type of Rust's that is an element type.
pub trait Element: Copy + sealed::Sealed + 'static {
    const TYPE: ElementType;
}

/// One that has a value for all bits, so that slices of it can be over memory that a model writes.
pub trait Number: Element {}

macro_rules! elements {
    ($($type:ty: $name:ident),*) => {
        $(impl sealed::Sealed for $type {}
        impl Element for $type {
            const TYPE: ElementType = ElementType::$name;
        })*
    };
}
elements!(bool: Bool, i8: Int8, u8: UInt8, i16: Int16, i32: Int32, i64: Int64, f32: Float32, f64: Float64);

macro_rules! numbers {
    ($($type:ty),*) => { $(impl Number for $type {})* };
}
numbers!(i8, u8, i16, i32, i64, f32, f64);
