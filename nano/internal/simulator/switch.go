//go:build linux

package simulator

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"dyno.example/nano"
)

// switches takes the connection, reads what the client says on it, and responds, at once or piece by
// piece.
func (w *world) switches(c nano.Ctx, x *exchange) error {
	if err := w.fail(x.Do.End); err != nil {
		return err
	}
	c.SetHeader("X-Id", strconv.Itoa(x.ID))
	conn, early, err := c.SwitchProtocols(http.Header{"Connection": {"upgrade"}, "Upgrade": {"other"}})
	if err != nil {
		w.unsent(x, err)
		return err
	}
	defer conn.Close()
	got, b := early, make([]byte, 1+len(x.body)/3)
	echoed := 0
	for {
		if len(got) > len(x.body) || !bytes.Equal(got, x.body[:len(got)]) {
			w.violate("body", "%d of %d bytes, or others: %s", len(got), len(x.body), x)
			return nil
		}
		if x.Do.Body == "echo" {
			if _, err := conn.Write(got[echoed:]); err != nil {
				w.unsent(x, err)
				return err
			}
			echoed = len(got)
		}
		if len(got) == len(x.body) {
			break
		}
		w.sys.Sleep(time.Duration(x.Do.Pause))
		n, err := conn.Read(b)
		if got = append(got, b[:n]...); err != nil {
			w.unread(x, err)
			return err
		}
	}
	w.sys.Sleep(time.Duration(x.Do.Between))
	if x.Do.Body == "echo" {
		return nil
	}
	each := len(x.response)/x.Do.Pieces + 1
	for rest := x.response; len(rest) > 0; {
		n := min(each, len(rest))
		if _, err := conn.Write(rest[:n]); err != nil {
			w.unsent(x, err)
			return err
		}
		rest = rest[n:]
		w.sys.Sleep(time.Duration(x.Do.Pause))
	}
	return nil
}
