//! What the services in Rust share: users, and the address to listen on.

use serde::{Deserialize, Serialize};

#[derive(Serialize)]
pub struct Profile {
    pub id: String,
    pub name: String,
    pub email: String,
}

impl Profile {
    pub fn of(id: String) -> Profile {
        Profile { name: format!("User {id}"), email: format!("user{id}@example.com"), id }
    }
}

#[derive(Deserialize)]
pub struct NewUser {
    pub name: String,
    pub email: String,
    age: i64,
    #[serde(default)]
    tags: Vec<String>,
    #[allow(dead_code)]
    address: Option<Address>,
    #[allow(dead_code)]
    #[serde(default)]
    bio: String,
}

#[derive(Deserialize)]
#[allow(dead_code)]
struct Address {
    street: String,
    city: String,
    zip: String,
}

impl NewUser {
    /// The first rule that the user breaks.
    pub fn broken(&self) -> Option<&'static str> {
        match self {
            u if u.name.is_empty() || u.name.chars().count() > 100 => Some("name: must have 1 to 100 characters"),
            u if !u.email.contains('@') => Some("email: must contain an @"),
            u if !(0..=150).contains(&u.age) => Some("age: must be from 0 to 150"),
            u if u.tags.len() > 10 => Some("tags: must be at most 10"),
            _ => None,
        }
    }
}

/// The values of -host and -port.
pub fn address() -> (String, u16) {
    let args: Vec<String> = std::env::args().collect();
    let after = |flag: &str| args.iter().position(|a| a == flag).and_then(|i| args.get(i + 1));
    let host = after("-host").cloned().unwrap_or_else(|| "127.0.0.1".into());
    let port = after("-port").map_or(8080, |p| p.parse().expect("-port must be a number"));
    (host, port)
}
