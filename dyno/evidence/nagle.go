package evidence

// Nagle is the reason of an interval in the send queue in which a small write waited for the
// acknowledgement of the one before: Nagle's algorithm (RFC 896; RFC 9293, section 3.7.4),
// which the client may put off by 40 ms and more, as it waits for more to acknowledge (RFC
// 1122, section 4.2.3.2).
const Nagle = "Nagle's algorithm"

const (
	// segment is the least that a connection sends at once where there is enough, in bytes:
	// Ethernet's, without IP's and TCP's heads and options.
	segment = 1448
	// initialWindow is how much a connection may have under way from its beginning (RFC 6928).
	initialWindow = 10 * segment
	// nagleLeast is how long less than a segment may wait for other reasons, such as pacing, ns.
	nagleLeast = int64(5e6)
)

// nagles reports whether what a Sent event left unsent waits for no more than an
// acknowledgement: it is less than a segment, something is under way, and neither the
// client's window nor the congestion window is full.
func nagles(e *Event) bool {
	window, unacknowledged, unsent := word(e, 0), word(e, 1), word(e, 2)
	underWay := unacknowledged - unsent
	return unsent > 0 && unsent < segment && underWay > 0 && underWay < initialWindow && unacknowledged <= window
}
