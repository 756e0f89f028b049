// Package protobuf reads and writes messages of Protocol Buffers, with
// google.golang.org/protobuf.
//
//	app := nano.New(nano.Config{Decoders: map[string]nano.Decoder{protobuf.MediaType: protobuf.Decode}})
package protobuf

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"dyno.example/nano"
)

// MediaType is the one most use; none is registered.
const MediaType = "application/protobuf"

// Decode is the [nano.Decoder] of messages. What [nano.Bind] is given must be a message's
// own type: var m pb.Order through Bind[pb.Order].
func Decode(body []byte, into any) error {
	m, ok := into.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is no message", into)
	}
	return proto.Unmarshal(body, m)
}

// Response responds with a message.
func Response(c nano.Ctx, status int, m proto.Message) error {
	body, err := proto.Marshal(m)
	if err != nil {
		return fmt.Errorf("encoding the response: %w", err)
	}
	return c.Bytes(status, MediaType, body)
}
