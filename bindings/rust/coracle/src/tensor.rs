// SPDX-License-Identifier: Apache-2.0
use coracle_sys as sys;

use crate::element::{Element, ElementType, Number};
use crate::error::{Error, Result};

/// A result of a session's last run, in the session's memory: it ends before the session runs again or changes.
#[derive(Clone, Debug)]
pub struct Tensor<'s> {
    element_type: ElementType,
    dims: Vec<i64>,
    bytes: &'s [u8],
    lod: Vec<Vec<usize>>,
}

impl<'s> Tensor<'s> {
    /// The view's memory has to be valid and unchanged for 's.
    pub(crate) unsafe fn new(view: &sys::coracle_tensor_view, lod: Vec<Vec<usize>>) -> Result<Tensor<'s>> {
        let rank = usize::try_from(view.rank).unwrap_or(0).min(view.dims.len());
        let bytes: &'s [u8] =
            if view.bytes == 0 { &[] } else { std::slice::from_raw_parts(view.data.cast(), view.bytes) };
        Ok(Tensor { element_type: ElementType::from_number(view.dtype)?, dims: view.dims[..rank].to_vec(), bytes, lod })
    }

    pub fn element_type(&self) -> ElementType {
        self.element_type
    }
    /// Outermost first.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }
    /// The elements as they lie in memory, in row-major order.
    pub fn bytes(&self) -> &'s [u8] {
        self.bytes
    }
    /// Sequence offsets, coarsest level first.
    pub fn lod(&self) -> &[Vec<usize>] {
        &self.lod
    }
    /// The elements, without a copy; `T` must be their type.
    pub fn values<T: Number>(&self) -> Result<&'s [T]> {
        self.expect(T::TYPE)?;
        // Memory that an output is bound to may begin anywhere. All bits are a T.
        let (before, values, _) = unsafe { self.bytes.align_to::<T>() };
        if !before.is_empty() {
            return Err(Error::invalid(
                "the output is bound to memory that is not aligned for its elements".to_owned(),
            ));
        }
        Ok(values)
    }
    /// The elements of a tensor of bools.
    pub fn bools(&self) -> Result<Vec<bool>> {
        self.expect(bool::TYPE)?;
        Ok(self.bytes.iter().map(|byte| *byte != 0).collect())
    }

    fn expect(&self, asked: ElementType) -> Result<()> {
        if asked == self.element_type {
            return Ok(());
        }
        Err(Error::invalid(format!("the tensor has elements of type {}, asked for {}", self.element_type, asked)))
    }
}
