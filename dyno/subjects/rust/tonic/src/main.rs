//! The subject rust/tonic: tonic on hyper and tokio, as its guide has it.

mod echo;
mod settings;

use std::{env, error::Error, fs, net::SocketAddr, time::Duration};

use tokio::signal::unix::{SignalKind, signal};
use tonic::transport::{Identity, Server, ServerTlsConfig};

use echo::{Echo, FILE_DESCRIPTOR_SET, pb::echo_server::EchoServer};
use settings::Settings;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::read()?;
    let mut server = Server::builder().max_concurrent_streams(settings.streams);
    if let (Ok(certificate), Ok(key)) = (env::var("DYNO_TLS_CERT"), env::var("DYNO_TLS_KEY")) {
        let identity = Identity::from_pem(fs::read(certificate)?, fs::read(key)?);
        server = server.tls_config(ServerTlsConfig::new().identity(identity))?;
    }
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_serving::<EchoServer<Echo>>().await;
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()?;
    let address: SocketAddr = format!("{}:{}", settings.host, settings.port).parse()?;
    let serving = server
        .add_service(EchoServer::new(Echo { wait: settings.wait }))
        .add_service(health_service)
        .add_service(reflection)
        .serve_with_shutdown(address, asked_to_end());
    tokio::select! {
        ended = serving => ended?,
        () = overdue() => {} // clients that keep their streams open
    }
    Ok(())
}

/// Ends with SIGTERM or SIGINT: calls in flight finish then.
async fn asked_to_end() {
    let mut terminate = signal(SignalKind::terminate()).expect("SIGTERM can be waited for");
    let mut interrupt = signal(SignalKind::interrupt()).expect("SIGINT can be waited for");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

/// Ends 2 s later.
async fn overdue() {
    asked_to_end().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
}
