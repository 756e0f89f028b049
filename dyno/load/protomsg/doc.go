// Package protomsg makes protobuf messages of JSON with placeholders.
//
// [Compile] checks a text against its message type, once, and names the path of a field
// that doesn't fit; [Program.Append] then writes the message for each request. What is
// constant was encoded before, and only the placeholders' values are then: nothing is
// allocated, and no descriptor read. [JSON] is the way back, for expectations of
// responses.
//
// JSON is read as protobuf's JSON mapping has it (protobuf.dev/programming-guides/json).
// A placeholder may stand in a string, or by itself where a number, a boolean or the
// name of an enum's value is wanted; {{json X}} by itself is a string as it is in plain
// JSON. It can't stand for a message, a list, or a key.
package protomsg
