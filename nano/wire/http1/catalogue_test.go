package http1

import (
	"errors"
	"testing"

	"dyno.example/nano/wire/http1/http1test"
)

// read reads one request and its body as a server does.
func read(wire string, piece int) (content, rest string, err error) {
	var r Request
	n := 0
	for end := piece; n == 0; end += piece {
		if n, err = r.Parse([]byte(wire[:min(end, len(wire))]), nil); err != nil {
			return "", "", err
		}
		if n == 0 && end >= len(wire) {
			return "", "", errors.New("not complete")
		}
	}
	var d Body
	d.Start(&r)
	content, rest, err = feedBody(&d, wire[n:], piece)
	if err == nil && !d.Done() {
		err = errors.New("body not complete")
	}
	return content, rest, err
}

func checkAttacks(t *testing.T, attacks []http1test.Attack) {
	t.Helper()
	for _, a := range attacks {
		for _, piece := range []int{1, 2, 3, 11, 1 << 20} {
			content, rest, err := read(a.Wire, piece)
			status := 0
			var refusal *Error
			if errors.As(err, &refusal) {
				status = refusal.Status
			} else if err != nil {
				status = -1
			}
			if status != a.Status || status == 0 && (content != a.Content || rest != a.Rest) {
				t.Errorf("%s, in pieces of %d: content %q, rest %q, error %v", a.Name, piece, content, rest, err)
				break
			}
		}
	}
}

func TestSmugglingFraming(t *testing.T) { checkAttacks(t, http1test.Framing()) }
func TestSmugglingChunks(t *testing.T)  { checkAttacks(t, http1test.Chunks()) }
func TestSmugglingLines(t *testing.T)   { checkAttacks(t, http1test.Lines()) }
