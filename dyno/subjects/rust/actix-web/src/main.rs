//! The subject rust/actix-web.

use actix_web::{
    App, HttpResponse, HttpServer, Responder, error, get,
    http::header,
    post,
    web::{Json, JsonConfig, Path},
};
use serde::Serialize;
use userdata::{NewUser, Profile};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Serialize)]
struct Greeting {
    message: &'static str,
}

#[derive(Serialize)]
struct Failure {
    error: String,
}

#[get("/plaintext")]
async fn plaintext() -> impl Responder {
    HttpResponse::Ok().content_type("text/plain").body("Hello, World!")
}

#[get("/json")]
async fn greeting() -> impl Responder {
    Json(Greeting { message: "Hello, World!" })
}

#[get("/users/{id}/profile")]
async fn profile(id: Path<String>) -> impl Responder {
    Json(Profile::of(id.into_inner()))
}

#[post("/api/users")]
async fn create_user(Json(user): Json<NewUser>) -> HttpResponse {
    match user.broken() {
        Some(reason) => refused(reason.to_string()),
        None => HttpResponse::Created()
            .insert_header((header::LOCATION, "/users/1/profile"))
            .json(Profile { id: "1".into(), name: user.name, email: user.email }),
    }
}

fn refused(error: String) -> HttpResponse {
    HttpResponse::BadRequest().json(Failure { error })
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let json = JsonConfig::default().limit(1 << 20).error_handler(|err, _| {
        let response = refused(format!("body: {err}"));
        error::InternalError::from_response(err, response).into()
    });
    HttpServer::new(move || {
        App::new().app_data(json.clone()).service(plaintext).service(greeting).service(profile).service(create_user)
    })
    .shutdown_timeout(2)
    .bind(userdata::address())?
    .run()
    .await
}
