package main

import "testing"

// What can't be meant is refused before anything is sent, and says what would be right.
func TestLoadWrongUsage(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{}, "the URL to load"},
		{[]string{"a", "b"}, "the URL to load"},
		{[]string{"-c", "0", "host"}, "connections must be from 1 to 1000000, not 0"},
		{[]string{"-c", "1000001", "host"}, "not 1000001"},
		{[]string{"-c", "many", "host"}, "many"},
		{[]string{"-d", "10 minutes", "host"}, `-d, --duration "10 minutes": write a time as 30s, 1m30s, 250ms, or 10 for ten seconds`},
		{[]string{"-d", `{"a":1}`, "host"}, "-d is how long; the body is -b"},
		{[]string{"-T", "application/json", "host"}, "the type of the body is -H 'Content-Type: …'"},
		{[]string{"-R", "fast", "host"}, `-R, --rate "fast": write requests per second as 5000, 5k, 1.5k/s`},
		{[]string{"-R", "5k/d", "host"}, "write requests per second"},
		{[]string{"-n", "1.5", "host"}, "write a whole number as 10000, 10k or 2M"},
		{[]string{"-c", "5x", "host"}, `-c, --connections "5x": write a whole number`},
		{[]string{"-duration=10s", "host"}, "flags of several letters take two dashes: --duration"},
		{[]string{"-z", "10s", "host"}, "here: -d 30s is how long"},
		{[]string{"--vus", "10", "host"}, "here: -c is the number of connections"},
		{[]string{"--latency", "host"}, "here: percentiles are always shown"},
		{[]string{"--disable-keepalive", "host"}, "here: --reuse none"},
		{[]string{"-s", "post.lua", "host"}, "here: requests of several kinds are in --request FILE"},
		{[]string{"--har", "x.har", "host"}, "here: HAR, OpenAPI and Postman files are not read; write the requests into --request FILE"},
		{[]string{"--openapi", "x.yaml"}, "HAR, OpenAPI"},
		{[]string{"-F", "a=b", "host"}, "here: there are no forms of parts"},
		{[]string{"--rps", "10", "host"}, "here: -R is the rate"},
		{[]string{"--users", "10", "host"}, "here: -c is the number of connections"},
		{[]string{"-q", "100", "host"}, "-q is quiet and takes no 100; the rate is -R 100"},
		{[]string{"--wait", "-1s", "host"}, "--wait must not be negative"},
		{[]string{"-H", "Content-Length: 3", "-b", "abcdef", "host"}, "the body has 6 bytes"},
		{[]string{"-H", "Transfer-Encoding: chunked", "-b", "abc", "host"}, "the body is not in chunks"},
		{[]string{"-d", "-1s", "host"}, "-1s"},
		{[]string{"-w", "-1s", "host"}, "negative"},
		{[]string{"-T", "-1s", "host"}, "negative"},
		{[]string{"-n", "-1", "host"}, "-1"},
		{[]string{"-R", "0", "host"}, "rate must be above 0"},
		{[]string{"-R", "-5", "host"}, "rate"},
		{[]string{"-R", "NaN", "host"}, "rate"},
		{[]string{"-R", "1e9", "host"}, "rate"},
		{[]string{"-R", "5", "--arrivals", "random", "host"}, "random"},
		{[]string{"-H", "no colon", "host"}, "Name: value"},
		{[]string{"-H", "a b: c", "host"}, "header name"},
		{[]string{"-m", "GET /", "host"}, "method"},
		{[]string{"-b", "@no-such-file", "host"}, "no-such-file"},
		{[]string{"-t", "0", "host"}, "--threads"},
		{[]string{"--cpus", "0-x", "host"}, "--cpus"},
		{[]string{"--engine", "warp", "host"}, "none of uring, epoll and portable"},
		{[]string{"--max-errors", "200%", "host"}, "--max-errors"},
		{[]string{"--lang", "xx", "host"}, "neither en nor zh"},
		{[]string{"ftp://host/"}, "only http and https"},
		{[]string{"http://"}, "names no host"},
		{[]string{"http://[::1/"}, "URL"},
		{[]string{"http://host:port/"}, "port"},
		{[]string{"--conections", "3", "host"}, "did you mean --connections?"},
	} {
		o := dyno(t, home, append([]string{"load"}, c.args...)...)
		o.want(t, 2, o.stderr, c.why)
		if o.stdout != "" {
			t.Errorf("%q: on standard output: %s", c.args, o.stdout)
		}
	}
}
