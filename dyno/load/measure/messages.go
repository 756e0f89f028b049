package measure

// Messages counts what went over connections that carry messages or events, and not
// requests with their responses: WebSockets, server-sent events and calls over gRPC. A
// message with a response counts as a request, too, and so does an unsolicited one, or
// an event: as one that the server sent to itself, in Offered, Sent and Completed.
type Messages struct {
	Out   uint64 `json:"out,omitempty"`   // messages sent
	In    uint64 `json:"in,omitempty"`    // messages, or events, that came
	Pings uint64 `json:"pings,omitempty"` // of the server, each with a pong

	Reconnects uint64 `json:"reconnects,omitempty"` // connections that were made again
	Missed     uint64 `json:"missed,omitempty"`     // events that the ids say there were, and that did not come
	Repeated   uint64 `json:"repeated,omitempty"`   // events whose id is no higher than the one before
	Untimed    uint64 `json:"untimed,omitempty"`    // completed without a delay: unstamped and ahead are among them
	Unstamped  uint64 `json:"unstamped,omitempty"`  // without a stamp, where one was expected
	Ahead      uint64 `json:"ahead,omitempty"`      // stamped later than they came: the clocks are apart
}

// Add adds the counts of o to m.
func (m *Messages) Add(o Messages) {
	m.Out += o.Out
	m.In += o.In
	m.Pings += o.Pings
	m.Reconnects += o.Reconnects
	m.Missed += o.Missed
	m.Repeated += o.Repeated
	m.Untimed += o.Untimed
	m.Unstamped += o.Unstamped
	m.Ahead += o.Ahead
}

// Cause is how often one thing went wrong that has a name of its own, such as a close
// status.
type Cause struct {
	Kind  string `json:"kind"` // the kind of error, as in files; "" if it is none
	Name  string `json:"name"` // such as "1011 internal error"
	Count uint64 `json:"count"`
}
