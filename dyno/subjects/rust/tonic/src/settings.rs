//! Where to listen, and what studies vary by environment variables.

use std::{env, error::Error, time::Duration};

pub struct Settings {
    pub host: String,
    pub port: u16,
    /// ECHO_WAIT: how long a unary call waits before its response.
    pub wait: Duration,
    /// ECHO_STREAMS: calls that a connection may have under way; tonic's default if not set.
    pub streams: Option<u32>,
}

impl Settings {
    pub fn read() -> Result<Settings, Box<dyn Error>> {
        let mut s = Settings {
            host: "127.0.0.1".into(),
            port: 8080,
            wait: Duration::ZERO,
            streams: None,
        };
        let mut arguments = env::args().skip(1);
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
            match name.as_str() {
                "-host" => s.host = value,
                "-port" => s.port = value.parse()?,
                _ => return Err(format!("there is no option {name}: -host and -port are").into()),
            }
        }
        if let Some(text) = variable("ECHO_WAIT") {
            s.wait = duration(&text).ok_or_else(|| {
                format!("ECHO_WAIT is {text:?}: set it to a duration such as 10ms or 1s, or not at all")
            })?;
        }
        if let Some(text) = variable("ECHO_STREAMS") {
            let n = text.parse().ok().filter(|n| (1..=1 << 20).contains(n));
            s.streams = Some(n.ok_or_else(|| {
                format!("ECHO_STREAMS is {text:?}: set it to a number from 1 to 1048576, or not at all")
            })?);
        }
        Ok(s)
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|text| !text.is_empty())
}

/// Reads a number with one of the units us, ms and s, up to a minute.
fn duration(text: &str) -> Option<Duration> {
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let seconds = text[..unit].parse::<f64>().ok()?
        * match &text[unit..] {
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            _ => return None,
        };
    (seconds <= 60.0).then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration("10ms"), Some(Duration::from_millis(10)));
        assert_eq!(duration("0s"), Some(Duration::ZERO));
        for wrong in ["", "10", "ms", "-1s", "61s", "1h"] {
            assert_eq!(duration(wrong), None, "{wrong}");
        }
    }
}
