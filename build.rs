//! Lets the linker resolve Node-API symbols at load time.

fn main() {
    napi_build::setup();
}
