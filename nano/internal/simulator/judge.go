//go:build linux

package simulator

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// exchange is a request, and how far it has come.
type exchange struct {
	*Request
	body     []byte
	response []byte

	begun   int64 // when it was sent; 0: not yet
	wrote   int   // bytes of it
	sent    bool  // all of it
	gone    bool  // its client has failed, or its connection has for another one
	handled int   // handlers that have begun
	ended   int   // and have returned
	reading bool  // the handler reads the body
	waiting bool  // the handler waits for its client to go
	on      *peer // where it was sent
	left    bool  // its client has gone, while the handler waited for that
	partly  bool  // the handler hasn't read all of the body
	over    bool
	tries   int // to send it again
}

func (x *exchange) String() string {
	return fmt.Sprintf("request %d (%s %s, body %d, %+v; abort %q after %d by %q; sent %t, gone %t, handled %d, ended %d)",
		x.ID, x.Method, x.path(), x.Body, x.Do, x.Abort, x.After, x.How, x.sent, x.gone, x.handled, x.ended)
}

func (x *exchange) begin(p *peer) {
	x.begun, x.on = p.w.sys.Now(), p
	p.w.order = append(p.w.order, x.ID)
}

// again has it be sent once more: nobody has looked at it.
func (x *exchange) again() {
	x.begun, x.wrote, x.sent = 0, 0, false
	x.tries++
}

// mostTries is how often a client sends a request again that nobody has looked at.
const mostTries = 30

// judge holds a response against what it is to be.
type judge struct {
	w    *world
	x    *exchange
	own  bool // it is not the handler's: nano refuses the request, or says that the handler has failed
	got  int
	want []byte
}

// head takes the head of a response.
func (j *judge) head(status int, get func(name string) string) {
	x := j.x
	if status >= 400 && (get("x-id") == "" || x.switches()) {
		if j.own = true; !j.w.mayRefuse(x, status) {
			j.w.violate("refused", "%d for %s", status, x)
		}
		return
	}
	switch {
	case x.handled == 0:
		j.w.violate("not-its-own", "a response %d to what no handler has seen: %s", status, x)
	case get("x-id") != strconv.Itoa(x.ID):
		j.w.violate("not-its-own", "it is that of %q: %s", get("x-id"), x)
	case status != x.Do.Status:
		j.w.violate("not-its-own", "status %d: %s", status, x)
	}
	j.want = x.response
	if x.Method == "HEAD" {
		j.want = nil
	}
}

// take takes some of the content.
func (j *judge) take(b []byte) {
	if j.own || len(b) == 0 {
		return
	}
	if j.got+len(b) > len(j.want) || !bytes.Equal(b, j.want[j.got:j.got+len(b)]) {
		j.w.violate("content", "from byte %d on it isn't what the handler has sent: %s", j.got, j.x)
		j.own = true
	}
	j.got += len(b)
}

// ended is when the response is whole.
func (j *judge) ended(trailers []byte) {
	x := j.x
	j.w.ends(x)
	switch {
	case j.own:
		return
	case j.got != len(j.want):
		j.w.violate("content", "%d of %d bytes came as if they were all: %s", j.got, len(j.want), x)
	case x.Do.Trailer && x.Method != "HEAD" && !j.w.client(x).Old && !strings.Contains(strings.ToLower(string(trailers)), "x-end: "+strconv.Itoa(x.ID)):
		j.w.violate("trailers", "%q: %s", trailers, x)
	}
	if x.Do.breaks() && len(j.want) > 0 && !j.w.tight() {
		j.w.violate("whole", "the handler hasn't sent all of it: %s", x)
	}
}

// cut is when the connection has ended before the response had.
func (j *judge) cut() {
	x := j.x
	j.w.ends(x)
	if !j.w.mayCut(x) {
		j.w.violate("cut", "without a reason, after %d bytes: %s", j.got, x)
	}
}
