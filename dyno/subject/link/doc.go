// Package link puts a subject behind a network: into a network namespace of its own, which
// one emulated link with a known round-trip time joins to dyno's.
//
// The link is two TUN devices, one in each namespace, and a relay between them that holds
// each packet for half of the round-trip time (see Documentation/networking/tuntap.rst in
// the kernel's sources). What is sent is what the kernel's TCP sends: handshakes, windows and
// segments of the device's MTU are real, only the wire isn't. It may pause now and then, as radio
// does and a queue of others' packets. Loss and rate are not emulated.
// Nothing of it outlives the process that holds it: the kernel removes such devices with
// their last descriptor, and a namespace with its last process.
package link

import "time"

// Link says what lies between dyno and a subject.
type Link struct {
	// RTT is how long a packet and the reply to it are held together. What the relay itself
	// takes, above all to wake, comes on top.
	RTT time.Duration `json:"rtt_ns"`
	// MTU is the largest packet in bytes; 0 means 1500.
	MTU int `json:"mtu,omitempty"`
	// Pause is how long the link stands still at the end of each Every, in both directions: what
	// would arrive then arrives when it goes on, in its order. Both 0: it never does.
	Pause time.Duration `json:"pause_ns,omitempty"`
	Every time.Duration `json:"every_ns,omitempty"`
}

// Bounds of links.
const (
	MostRTT  = 10 * time.Second
	LeastMTU = 576   // which every host takes (RFC 791, section 3.1)
	MostMTU  = 65000 // a TUN device's is 65,521 at most

	LeastPause = time.Millisecond // a shorter one is lost in what the relay takes to wake
	MostPause  = 10 * time.Second
	MostEvery  = time.Hour
)

const defaultMTU = 1500

// arrives is when a packet arrives that would do so at a time after the link came up, if the link
// didn't pause.
func (l *Link) arrives(at time.Duration) time.Duration {
	if l.Pause <= 0 || l.Every <= l.Pause {
		return at
	}
	if in := at % l.Every; in >= l.Every-l.Pause {
		return at - in + l.Every
	}
	return at
}

// mtu is the largest packet.
func (l *Link) mtu() int {
	if l.MTU == 0 {
		return defaultMTU
	}
	return l.MTU
}
