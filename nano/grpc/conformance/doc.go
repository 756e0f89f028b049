// Package conformance holds package grpc to the interoperability tests of gRPC, with the
// client of google.golang.org/grpc, and to the protocols of connectrpc.com/connect. It is a
// module of its own, as that takes libraries, which users of grpc need not resolve. All
// of it is tests.
package conformance
