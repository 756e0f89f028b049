// Package grpcreflection has a gateway ask endpoints for the services that they offer over
// gRPC: reflection: of grpc-json. It is imported for that effect.
package grpcreflection

import _ "dyno.example/nanogate/internal/reflection" // registers its driver
