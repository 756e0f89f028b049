package packets

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
)

// The packets of a connection to a port are there, from its handshake to its end, once each,
// and nothing of what they carried; those to another port aren't.
func TestCapture(t *testing.T) {
	const payload = "what nobody may read "
	for _, at := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Log(err)
			continue
		}
		defer l.Close()
		port := l.Addr().(*net.TCPAddr).Port
		c, err := Start(port)
		if err != nil {
			t.Skip(err)
		}
		before := time.Now().UnixNano()
		other, err := net.Listen("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if conn, err := net.Dial("tcp", other.Addr().String()); err == nil {
			conn.Close()
		}
		go func() {
			conn, err := l.Accept()
			if err == nil {
				io.Copy(conn, conn)
				conn.Close()
			}
		}()
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		local := conn.LocalAddr().(*net.TCPAddr)
		if _, err := conn.Write(bytes.Repeat([]byte(payload), 20)); err != nil {
			t.Fatal(err)
		}
		conn.(*net.TCPConn).CloseWrite()
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Fatal(err)
		}
		conn.Close()
		list, lost, full, err := c.Stop()
		if err != nil || full || lost > 0 {
			t.Fatalf("%v, full %v, %d lost", err, full, lost)
		}
		ip := local.IP.To4()
		if ip == nil {
			ip = local.IP
		}
		id := evidence.ConnectionID(ip, uint16(local.Port))
		syns, data := 0, 0
		for i := range list {
			p := &list[i]
			if p.connection(port) != id || p.At < before-int64(time.Hour) || bytes.Contains(p.Headers, []byte("nobody")) || p.Length < len(p.Headers) {
				t.Errorf("packet %d: %+v", i, p)
			}
			flags := p.Headers[len(p.Headers)-(int(p.Headers[tcpAt(p)+12]>>4)*4)+13]
			if flags&0x02 != 0 {
				syns++
			}
			if p.Length > len(p.Headers) {
				data += p.Length - len(p.Headers)
			}
		}
		if syns != 2 || data != 2*20*len(payload) {
			t.Errorf("%s: %d packets, %d SYNs, %d bytes of data", at, len(list), syns, data)
		}
	}
}

func tcpAt(p *Packet) int {
	if p.Headers[0]>>4 == 6 {
		return headerIPv6
	}
	return int(p.Headers[0]&0xf) * 4
}
