// actix-web with its router, on one worker.
use actix_web::{App, HttpResponse, HttpServer, web};

async fn plaintext() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/plain")
        .body("Hello, World!")
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).expect("usage: server-actix ADDRESS");
    HttpServer::new(|| App::new().route("/plaintext", web::get().to(plaintext)))
        .workers(1)
        .backlog(4096)
        .bind(address)?
        .run()
        .await
}
