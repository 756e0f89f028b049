package load

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nano/wire/websocket/cases"
)

// heardBy tells what a client says after its first message: pongs and the close frame,
// as the cases have it.
func heardBy(p *wsPeer) string {
	var b strings.Builder
	p.SetReadDeadline(time.Now().Add(time.Minute))
	for {
		first, payload, err := p.hear()
		switch {
		case err != nil:
			return b.String() + err.Error()
		case first == 0x8a:
			b.WriteString("p:" + payload + "\n")
		case first == 0x88 && len(payload) < 2:
			return b.String() + "c:\n"
		case first == 0x88:
			return b.String() + fmt.Sprintf("c:%d\n", binary.BigEndian.Uint16([]byte(payload)))
		}
	}
}

// wanted takes a case apart: the messages that the client must take, and what it must
// say.
func wanted(want string) (messages []string, says string) {
	for line := range strings.Lines(want) {
		if strings.HasPrefix(line, "p:") || strings.HasPrefix(line, "c:") {
			says += line
		} else {
			messages = append(messages, strings.TrimSuffix(line[2:], "\n"))
		}
	}
	return messages, says
}

// TestWebSocketCases plays the table that nano's server is held to against the load: it
// must take the messages, respond to pings and close frames, and say which error it was.
func TestWebSocketCases(t *testing.T) {
	t.Parallel()
	eachLoop(t, func(t *testing.T, engine string) {
		for _, tt := range cases.FromServer() {
			piece := len(tt.Send)
			if engine == "epoll" {
				if piece = 1; len(tt.Send) > 400 {
					piece = 997
				}
			}
			if len(tt.Send) > 1<<18 && engine == "epoll" {
				continue
			}
			playCase(t, engine, &tt, piece)
		}
	})
}

func playCase(t *testing.T, engine string, tt *cases.Case, piece int) {
	t.Helper()
	messages, says := wanted(tt.Want)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard := make(chan string, 1)
	var peers atomic.Int64
	target := wsServer(t, func(p *wsPeer) {
		if _, ok := p.message(); !ok || peers.Add(1) > 1 {
			io.Copy(io.Discard, p)
			return
		}
		go func() {
			w := bufio.NewWriterSize(p, 1<<16)
			for rest := tt.Send; rest != ""; {
				n := min(piece, len(rest))
				w.WriteString(rest[:n])
				if w.Flush() != nil {
					return
				}
				rest = rest[n:]
			}
		}()
		heard <- heardBy(p)
		cancel()
	})
	s := overWebSocket(target, engine, 1, 0)
	s.Duration, s.Timeout = 2*time.Minute, 2*time.Minute
	if len(messages) == 1 && !strings.HasSuffix(messages[0], " bytes") {
		s.Requests[0].Expect = []string{fmt.Sprintf("body sha256 %x", sha256.Sum256([]byte(messages[0])))}
	}
	r, err := begun(ctx, s)
	if err != nil {
		t.Errorf("%s %s: %v", tt.Number, tt.Name, err)
		return
	}
	all := allWindows(r)
	if got := <-heard; got != says {
		t.Errorf("%s %s, in pieces of %d: the client says %.200q, want %.200q", tt.Number, tt.Name, piece, got, says)
	}
	if all.Messages.In != uint64(len(messages)) || all.Errors.Expect > 0 {
		t.Errorf("%s %s, in pieces of %d: %d messages were taken, want %d, errors %v", tt.Number, tt.Name, piece, all.Messages.In, len(messages), r.FirstErrors)
	}
	e := all.Errors
	wrong := e.Protocol + e.UTF8 + e.Masked + e.Oversize
	switch {
	case strings.HasSuffix(says, "c:1002\n") && !strings.HasPrefix(tt.Number, "7.7."):
		if e.Protocol+e.Masked != 1 || wrong != 1 {
			t.Errorf("%s %s: errors %+v (%v)", tt.Number, tt.Name, e, r.FirstErrors)
		}
	case strings.HasSuffix(says, "c:1007\n") && !strings.HasPrefix(tt.Number, "7.7."):
		if e.UTF8 != 1 || wrong != 1 {
			t.Errorf("%s %s: errors %+v (%v)", tt.Number, tt.Name, e, r.FirstErrors)
		}
	case wrong != 0:
		t.Errorf("%s %s: errors %+v (%v)", tt.Number, tt.Name, e, r.FirstErrors)
	}
}
