//! Makes Rust of echo.proto, without protoc: protox reads it.

use std::{env, error::Error, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=../../echo/echo.proto");
    let files = protox::compile(["echo.proto"], ["../../echo"])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("echo.bin"), prost_encoded(&files))?; // for reflection
    tonic_prost_build::configure()
        .build_client(false)
        .compile_fds(files)?;
    Ok(())
}

fn prost_encoded(files: &impl protox::prost::Message) -> Vec<u8> {
    files.encode_to_vec()
}
