//! The service of echo.proto.

use std::{pin::Pin, time::Duration};

use tokio_stream::{Stream, StreamExt, iter};
use tonic::{Request, Response, Status, Streaming};

pub mod pb {
    tonic::include_proto!("dyno.echo.v1");
}

use pb::{Message, Repeat, Tally};

pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/echo.bin"));

const MAX_COUNT: i32 = 100_000;

pub struct Echo {
    /// Before each response to a unary call.
    pub wait: Duration,
}

type Texts = Pin<Box<dyn Stream<Item = Result<Message, Status>> + Send>>;

#[tonic::async_trait]
impl pb::echo_server::Echo for Echo {
    type ServerStreamStream = Texts;
    type BidiStreamStream = Texts;

    async fn unary(&self, request: Request<Message>) -> Result<Response<Message>, Status> {
        let text = request.into_inner().text;
        if text.is_empty() {
            return Err(Status::invalid_argument("text: must not be empty"));
        }
        if !self.wait.is_zero() {
            tokio::time::sleep(self.wait).await;
        }
        Ok(Response::new(Message { text }))
    }

    async fn server_stream(&self, request: Request<Repeat>) -> Result<Response<Texts>, Status> {
        let Repeat { text, count } = request.into_inner();
        if !(1..=MAX_COUNT).contains(&count) {
            return Err(Status::invalid_argument(format!(
                "count: must be 1 to {MAX_COUNT}, is {count}"
            )));
        }
        let texts = (0..count).map(move |_| Ok(Message { text: text.clone() }));
        Ok(Response::new(Box::pin(iter(texts))))
    }

    async fn client_stream(&self, request: Request<Streaming<Message>>) -> Result<Response<Tally>, Status> {
        let mut stream = request.into_inner();
        let mut sum = Tally::default();
        while let Some(message) = stream.message().await? {
            sum.messages += 1;
            sum.bytes += message.text.len() as i64;
        }
        Ok(Response::new(sum))
    }

    async fn bidi_stream(&self, request: Request<Streaming<Message>>) -> Result<Response<Texts>, Status> {
        let echoed = request.into_inner().map(|m| m.map(|m| Message { text: m.text }));
        Ok(Response::new(Box::pin(echoed)))
    }
}
