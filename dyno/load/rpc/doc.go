// Package rpc knows what gRPC servers offer: it finds the method of a call in .proto
// files, in a descriptor set or by asking the server (reflection), asks for a server's
// health, and tries a call once before a load is put on. It uses grpc-go; what is
// measured goes through the engines, never through here.
package rpc
