//go:build linux

package simulator

import (
	"fmt"

	"dyno.example/nano/wire/http2"
)

// What isn't HTTP, by either side.

// nonsenses is how many kinds of malformed requests there are.
const nonsenses = 10

// nonsense is a request that no gateway may pass on; the last kind is one whose head is right,
// and whose body isn't.
func (x *exchange) nonsense() []byte {
	line, host, token := fmt.Sprintf("%s %s HTTP/1.1\r\n", x.Method, x.Path), "Host: world.example\r\n", fmt.Sprintf("X-Token: %d\r\n", x.ID)
	switch x.Nonsense {
	case 1:
		return []byte("G@T " + x.Path + " HTTP/1.1\r\n" + host + token + "\r\n")
	case 2:
		return []byte("GET " + x.Path + " HTTP/3.9\r\n" + host + token + "\r\n")
	case 3:
		return []byte(line + host + token + "X bad: yes\r\n\r\n")
	case 4:
		return []byte(line + host + token + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
	case 5:
		return []byte(line + host + token + "X-Zero: a\x00b\r\n\r\n")
	case 6:
		return []byte(line + token + "\r\n")
	case 7:
		return []byte(line + host + token + "Transfer-Encoding: gzip\r\n\r\n")
	case 8:
		return []byte(line + host + token + "no colon at all\r\n\r\n")
	case 9:
		return []byte(line + host + "Host: other.example\r\n" + token + "\r\n")
	}
	return []byte("POST " + x.Path + " HTTP/1.1\r\n" + host + token + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n")
}

// passes reports whether its head may reach an endpoint.
func (r *Request) passes() bool { return r.Nonsense == 0 || r.Nonsense == nonsenses }

// responses1 is what an endpoint may say over HTTP/1.1 that isn't a response.
var responses1 = []string{
	"HTTP/1.1 2x0 Said\r\n\r\n",
	"220 ready\r\n",
	"HTTP/1.1 200 Said\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
	"HTTP/1.1 200 Said\r\nX bad: yes\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 Said\r\nContent-Length: -1\r\n\r\n",
	"HTTP/1.1 200 Said\r\nContent-Length: 0\r\nX-Zero: a\x00b\r\n\r\n",
	"HTTP/9.1 200 Said\r\nContent-Length: 0\r\n\r\n",
}

// frames2 is what it may say over HTTP/2 that nobody may go on with.
func frames2(kind int, stream uint32) []byte {
	switch kind % 5 {
	case 0: // content of the connection
		return []byte{0, 0, 1, 0, 0, 0, 0, 0, 0, 'x'}
	case 1: // settings of a length that there isn't
		return []byte{0, 0, 5, 4, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5}
	case 2: // a head with an index that there isn't
		return []byte{0, 0, 2, 1, 4, 0, 0, 0, byte(stream), 0xff, 0xff}
	case 3: // a frame that is too long
		return []byte{0xff, 0xff, 0xff, 0, 0, 0, 0, 0, byte(stream)}
	}
	return http2.AppendGoAway(nil, 0, http2.ProtocolError, "")[:8] // a part of a frame, and then the end
}
