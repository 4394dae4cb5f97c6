// ORMA_LIB_DIR: where liborma.so is, if the linker does not find it.
fn main() {
    println!("cargo:rerun-if-env-changed=ORMA_LIB_DIR");
    if let Ok(folder) = std::env::var("ORMA_LIB_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
    }
    println!("cargo:rustc-link-lib=dylib=orma");
}
