// axum with its router, on tokio's current-thread runtime.
use axum::{Router, routing::get};

async fn plaintext() -> &'static str {
    "Hello, World!"
}

fn main() {
    let address = std::env::args().nth(1).expect("usage: server-axum ADDRESS");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await.expect("listen");
        let app = Router::new().route("/plaintext", get(plaintext));
        axum::serve(listener, app).await.expect("serve");
    });
}
