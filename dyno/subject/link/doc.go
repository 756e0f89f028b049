// Package link puts a subject behind a network: into a network namespace of its own, which
// one emulated link with a known round-trip time joins to dyno's.
//
// The link is two TUN devices, one in each namespace, and a relay between them that holds
// each packet for half of the round-trip time (see Documentation/networking/tuntap.rst in
// the kernel's sources). What is sent is what the kernel's TCP sends: handshakes, windows and
// segments of the device's MTU are real, only the wire isn't. Loss and rate are not emulated.
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
}

// Bounds of links.
const (
	MostRTT  = 10 * time.Second
	LeastMTU = 576   // which every host takes (RFC 791, section 3.1)
	MostMTU  = 65000 // a TUN device's is 65,521 at most
)

const defaultMTU = 1500

// mtu is the largest packet.
func (l *Link) mtu() int {
	if l.MTU == 0 {
		return defaultMTU
	}
	return l.MTU
}
