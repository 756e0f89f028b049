// ntex with its router, on one worker.
use ntex::web::{self, App, HttpResponse};

async fn plaintext() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/plain")
        .body("Hello, World!")
}

#[ntex::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).expect("usage: server-ntex ADDRESS");
    web::HttpServer::new(async || App::new().route("/plaintext", web::get().to(plaintext)))
        .workers(1)
        .bind(address)?
        .run()
        .await
}
