// Package nullserver responds to every request with the same bytes, as cheaply as a
// server can: one event loop, no parsing. What a generator measures against it
// is the generator itself and the kernel.
//
// It is no HTTP server. Over HTTP/1.1 it takes each read for one request, which
// holds for small requests that are not pipelined; HTTP/1.0 clients are kept alive
// too. Over HTTP/2, by prior knowledge, it looks at the headers of frames only and
// responds to each stream that the client has ended its side of. There is no TLS.
package nullserver
