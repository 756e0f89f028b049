package config

import "time"

// Pool bounds the connections that are kept for later requests.
type Pool struct {
	Streams     int           // requests at once on a connection over HTTP/2
	Connections int           // idle ones for each endpoint and loop; 0: none are kept
	Warm        int           // that are opened before they are needed, in the same way
	Idle        time.Duration // how long one stays unused: less than what the server allows
	Age         time.Duration // how long one is used altogether; 0: for ever
}

var poolFields = []known[Pool]{
	// Requests at once on a connection over HTTP/2.
	{"streams", func(l *Pool, p place) { l.Streams = p.Integer(1, 10_000) }},
	// Idle connections that are kept.
	{"connections", func(l *Pool, p place) { l.Connections = p.Integer(0, 65536) }},
	// How long one is kept unused; shorter than the server's own limit.
	{"idle", func(l *Pool, p place) { l.Idle = p.Duration(100*time.Millisecond, 24*time.Hour) }},
	// Connections that are opened before they are needed. Default: `0`
	{"warm", func(l *Pool, p place) { l.Warm = p.Integer(0, 1000) }},
	// How long one is used altogether.
	{"age", func(l *Pool, p place) { l.Age = p.Duration(time.Second, 24*time.Hour) }},
}
