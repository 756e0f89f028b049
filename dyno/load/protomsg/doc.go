// Package protomsg makes protobuf messages of JSON with placeholders.
//
// [Compile] holds a text to the message type it is for, once, and says by the path of
// the field what doesn't fit; [Program.Append] then writes the message anew for each
// request. What is constant was encoded before; of the rest only the placeholders'
// values are: nothing is allocated, and no descriptor looked at. [JSON] is the way
// back, for what responses are held to.
//
// JSON is read as protobuf's JSON mapping has it (protobuf.dev/programming-guides/json).
// A placeholder may stand in a string, or by itself where a number, a boolean or the
// name of an enum's value is wanted; {{json X}} by itself is a string as it is in plain
// JSON. It can't stand for a message, a list, or a key.
package protomsg
