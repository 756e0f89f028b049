// may_minihttp: one worker thread of coroutines, and its own minimal parser.
use std::io;

use may_minihttp::{HttpServer, HttpService, Request, Response};

#[derive(Clone)]
struct Service;

impl HttpService for Service {
    fn call(&mut self, request: Request, response: &mut Response) -> io::Result<()> {
        if request.path() == "/plaintext" {
            response.header("Content-Type: text/plain");
            response.body("Hello, World!");
        } else {
            response.status_code(404, "Not Found");
        }
        Ok(())
    }
}

fn main() {
    may::config().set_workers(1);
    let address = std::env::args().nth(1).expect("usage: server-may ADDRESS");
    let server = HttpServer(Service).start(address).expect("listen");
    server.join().expect("serve");
}
