package config

import "time"

// Client bounds what one client can take. All have defaults.
type Client struct {
	Head, URI, Fields int   // of a request: bytes, bytes, count
	Body              int64 // bytes; 0: unbounded (it is streamed)
	Connections       int   // of all clients together

	Handshake  time.Duration // for TLS to be agreed on
	Handshakes int           // of TLS under way at once, of all clients together

	ReadHead, ReadBody, Idle, Write time.Duration // for a head; between parts of a body; between requests; until it takes something
	Rate                            int64         // bytes a second that a body must come at in the mean, and a response be taken at; 0: any
	Drain                           time.Duration // how long requests under way may take on shutdown
}

var clientFields = []known[Client]{
	// Bytes of a request's head.
	{"head", func(c *Client, p place) { c.Head = int(p.size(512, 1<<20)) }},
	// Bytes of a request's URI.
	{"uri", func(c *Client, p place) { c.URI = int(p.size(64, 1<<20)) }},
	// Header fields of a request.
	{"fields", func(c *Client, p place) { c.Fields = p.Integer(1, 10_000) }},
	// Bytes of a request's body. Default: unbounded, as it is streamed
	{"body", func(c *Client, p place) { c.Body = p.size(0, 1<<50) }},
	// Connections of all clients together.
	{"connections", func(c *Client, p place) { c.Connections = p.Integer(1, 10_000_000) }},
	// How long a TLS handshake may take.
	{"handshake", func(c *Client, p place) { c.Handshake = p.Duration(100*time.Millisecond, time.Hour) }},
	// TLS handshakes under way at once, of all clients together.
	{"handshakes", func(c *Client, p place) { c.Handshakes = p.Integer(1, 1_000_000) }},
	// How long a request's head may take to arrive.
	{"read-head", func(c *Client, p place) { c.ReadHead = p.Duration(100*time.Millisecond, time.Hour) }},
	// The longest pause within a request's body.
	{"read-body", func(c *Client, p place) { c.ReadBody = p.Duration(100*time.Millisecond, time.Hour) }},
	// How long a connection stays open between two requests.
	{"idle", func(c *Client, p place) { c.Idle = p.Duration(100*time.Millisecond, 24*time.Hour) }},
	// How long a client may take nothing of a response.
	{"write", func(c *Client, p place) { c.Write = p.Duration(100*time.Millisecond, time.Hour) }},
	// The lowest mean rate at which a body must arrive and a response be taken, in bytes per
	// second; `0B` for any.
	{"rate", func(c *Client, p place) { c.Rate = p.size(0, 1<<30) }},
	// How long requests under way may take when the gateway ends.
	{"drain", func(c *Client, p place) { c.Drain = p.Duration(0, 24*time.Hour) }},
}
