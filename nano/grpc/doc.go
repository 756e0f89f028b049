// Package grpc serves gRPC on nano's routes. Code that protoc-gen-go-grpc has generated
// registers and runs as it does with google.golang.org/grpc:
//
//	app := nano.New(nano.Config{H2C: true})
//	server := grpc.NewServer(app, grpc.Options{})
//	pb.RegisterGreeterServer(server, greeter{})
//	err := app.Listen(":50051")
//
// So do health and reflection of that module, interceptors, and what handlers call of
// it: metadata, peer, status with details, SetHeader, SendHeader and SetTrailer. Every
// method is a POST route of the app, so middleware, limits and metrics are around it,
// and what is no gRPC is served on the same port.
//
// A unary handler runs where nano's others do: on the event loop, until it blocks.
// Messages are read out of what came in and written into what is to be sent.
//
// # What differs
//
//   - [google.golang.org/grpc.SetSendCompressor] and ClientSupportedCompressors know
//     that module's own server only. [SetSendCompressor] does the same here. Without it
//     a response is compressed as its request was, if that was.
//   - Limits are nano's: Limits.WriteStall ends a stream whose client takes nothing of a
//     response that waits for it, by default after 30 s. A client may be silent on a
//     stream for as long as it likes.
//   - There are no stats handlers, binary logs or channelz; interceptors and nano's hooks
//     are there to measure with.
//
// gRPC-Web and the Connect protocol are served by mounting connect-go's handlers with
// nano.FromHTTP: they need nothing of this package.
package grpc
