//! The subject rust/axum.

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Path, rejection::JsonRejection},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Serialize;
use tokio::signal::unix::{SignalKind, signal};

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

async fn plaintext() -> &'static str {
    "Hello, World!"
}

async fn greeting() -> Json<Greeting> {
    Json(Greeting { message: "Hello, World!" })
}

async fn profile(Path(id): Path<String>) -> Json<Profile> {
    Json(Profile::of(id))
}

async fn create_user(body: Result<Json<NewUser>, JsonRejection>) -> Response {
    let user = match body {
        Ok(Json(user)) => user,
        Err(rejection) => return refused(format!("body: {}", rejection.body_text())),
    };
    match user.broken() {
        Some(reason) => refused(reason.to_string()),
        None => {
            let profile = Profile { id: "1".into(), name: user.name, email: user.email };
            (StatusCode::CREATED, [(header::LOCATION, "/users/1/profile")], Json(profile)).into_response()
        }
    }
}

fn refused(error: String) -> Response {
    (StatusCode::BAD_REQUEST, Json(Failure { error })).into_response()
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let app = Router::new()
        .route("/plaintext", get(plaintext))
        .route("/json", get(greeting))
        .route("/users/{id}/profile", get(profile))
        .route("/api/users", post(create_user))
        .layer(DefaultBodyLimit::max(1 << 20));
    let (host, port) = userdata::address();
    let listener = tokio::net::TcpListener::bind((host.as_str(), port)).await?;
    axum::serve(listener, app).with_graceful_shutdown(ended()).await
}

async fn ended() {
    let mut terminate = signal(SignalKind::terminate()).expect("SIGTERM");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    // Idle connections would keep the server for ever.
    tokio::spawn(async {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        std::process::exit(0);
    });
}
