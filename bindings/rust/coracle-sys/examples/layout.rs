// SPDX-License-Identifier: Apache-2.0
//! Prints what `scripts/bindings/check.py --layout` compares with C's.
fn main() {
    for line in coracle_sys::layout() {
        println!("{}", line);
    }
}
