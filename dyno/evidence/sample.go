package evidence

import "strconv"

// Sample is what the load generator knows of a request that is to be looked at.
type Sample struct {
	Class      Class
	Of         uint32  // of a match: the number of the slow one, as in Number
	Number     uint32  // of a slow one in its loop's draws, from 1
	Loop       int     // which loop drew it
	Weight     float64 // how many it stands for
	Connection uint64  // as ConnectionID makes it; 0 if it isn't known
	Opened     int64   // when connect was called; like the others below in ns of CLOCK_MONOTONIC
	Ordinal    uint32
	Kind       int32
	Size       int64
	Status     int32
	Failed     bool
	Shared     bool  // others were under way on the connection
	Waited     bool  // for a connection to be free
	Thread     int32 // of the load's loop that sent it; 0 if that isn't known
	Before     int64 // when the request before it was sent in its place on the connection; 0 if none was
	Intended   int64
	Sent       int64
	First      int64
	Done       int64
	Timing     []byte // value of the response's Server-Timing, see [AppendTimings]; of whoever pushes it
}

// ConnectionID names a connection by the last four bytes of the client's address and its
// port, as the probes do.
func ConnectionID(address []byte, port uint16) uint64 {
	if len(address) < 4 {
		return 0
	}
	a := address[len(address)-4:]
	return (uint64(a[0])|uint64(a[1])<<8|uint64(a[2])<<16|uint64(a[3])<<24)<<16 | uint64(port)
}

// LeftOut reports whether the probes leave out a connection when one of mask+1 is traced.
func LeftOut(connection uint64, mask uint32) bool {
	return uint32(connection*0x9E3779B97F4A7C15>>56)&mask != 0
}

// connectionName is the other way round, for people: of IPv6 only the end is known.
func connectionName(id uint64) string {
	a := id >> 16
	b := make([]byte, 0, 24)
	for i := range 4 {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendUint(b, a>>(8*i)&0xff, 10)
	}
	return string(strconv.AppendUint(append(b, ':'), id&0xffff, 10))
}
