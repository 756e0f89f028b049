// Package rpc is a client of gRPC servers for everything but the load: it finds the
// method of a call in .proto files, in a descriptor set or by the server's reflection,
// checks a server's health, and tries a call once before a load is put on. It uses
// grpc-go; what is measured goes through the engines, never through here.
package rpc
