// Package conformance holds nanogate to programs and standards of others: certificate
// authorities (Let's Encrypt's pebble), the schema of OpenAPI documents, a browser,
// http-wasm's compatibility kit, and, in gateway, a gateway as a whole to clients and servers
// of other makes. It is a module of its own, as that takes libraries, which
// users of nanogate need not resolve. All of it is tests.
package conformance
