//! cargo run --example spans FILE
use tracing_subscriber::prelude::*;

fn main() -> std::io::Result<()> {
    orma_tracing::TRACING.register();
    let recording = orma::Recording::start(std::env::args().nth(1).expect("the file to write"))?;
    tracing_subscriber::registry().with(orma_tracing::OrmaLayer).init();
    {
        let _outer = tracing::info_span!("outer").entered();
        let _inner = tracing::info_span!("inner", number = 3).entered();
        tracing::info!(rows = 17, "loaded");
    }
    recording.stop()
}
