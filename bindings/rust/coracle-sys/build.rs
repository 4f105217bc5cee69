// SPDX-License-Identifier: Apache-2.0
//! Says where libcoracle is: in CORACLE_LIB_DIR, else where pkg-config finds it, else where the linker looks.
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=CORACLE_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("DOCS_RS").is_some() {
        return;
    }
    let given = std::env::var("CORACLE_LIB_DIR").ok();
    if let Some(folder) = given.or_else(asked_of_pkg_config).filter(|folder| !folder.is_empty()) {
        println!("cargo:rustc-link-search=native={}", folder);
        println!("cargo:lib_dir={}", folder); // DEP_CORACLE_LIB_DIR of crates that use this one
    }
    if std::env::var_os("CARGO_FEATURE_VISION").is_some() {
        println!("cargo:rustc-link-lib=dylib=coracle_vision");
    }
    println!("cargo:rustc-link-lib=dylib=coracle");
}

fn asked_of_pkg_config() -> Option<String> {
    let output = Command::new("pkg-config").args(["--variable=libdir", "coracle"]).output().ok()?;
    if !output.status.success() {
        return None;
    }
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
