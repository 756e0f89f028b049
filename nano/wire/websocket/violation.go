package websocket

// Fault is a kind of violation.
type Fault uint8

// What a peer can do against the RFC.
const (
	ReservedBit      Fault = iota // RFC 6455 5.2
	ReservedOpcode                // 5.2
	BadMask                       // 5.1: a server that masks, or a client that doesn't
	BadLength                     // 5.2: not in its shortest form, or negative
	LongControl                   // 5.5
	SplitControl                  // 5.5
	StrayPart                     // 5.4: a continuation without a message
	UnfinishedBefore              // 5.4: a message before the end of the one before
	BadClose                      // 5.5.1, 7.4
	BadUTF8                       // 8.1
	Oversize                      // longer than the reader allows
)

// String is a fault's name, as statistics have it.
func (f Fault) String() string {
	return [...]string{"reserved bit", "reserved opcode", "mask", "length", "long control frame", "fragmented control frame", "stray continuation", "unfinished message", "close status", "utf8", "oversize"}[f]
}

// Violation is what a peer did against the protocol. Its connection can't go on.
type Violation struct {
	Fault Fault
	What  string // with the RFC's section
}

func (v *Violation) Error() string { return "websocket: " + v.What }

// Status is what the connection is to be closed with.
func (v *Violation) Status() uint16 {
	switch v.Fault {
	case BadUTF8:
		return InvalidPayload
	case Oversize:
		return MessageTooBig
	}
	return ProtocolError
}

func violation(f Fault, what string) *Violation { return &Violation{f, what} }
