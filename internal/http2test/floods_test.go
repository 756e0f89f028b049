package http2test

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"dyno.example/nano"
)

// TestFloods: clients that cost the server more than they are worth lose their
// connection, and are told why; others are served.
func TestFloods(t *testing.T) {
	const endless = 1 << 20 // more than any limit
	for _, tt := range []struct {
		name  string
		limit nano.Limits
		flood func(f *framed) error // until the server has had enough
		want  xhttp2.ErrCode
	}{
		{"pings", nano.Limits{}, func(f *framed) error {
			for i := range uint64(endless) {
				var data [8]byte
				binary.BigEndian.PutUint64(data[:], i)
				if err := f.WritePing(false, data); err != nil {
					return err
				}
			}
			return nil
		}, xhttp2.ErrCodeEnhanceYourCalm},
		{"settings", nano.Limits{}, func(f *framed) error {
			for range endless {
				if err := f.WriteSettings(); err != nil {
					return err
				}
			}
			return nil
		}, xhttp2.ErrCodeEnhanceYourCalm},
		{"rapid reset", nano.Limits{}, func(f *framed) error { // CVE-2023-44487
			for range endless {
				stream, err := f.get("/slow")
				if err == nil {
					err = f.WriteRSTStream(stream, xhttp2.ErrCodeCancel)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}, xhttp2.ErrCodeEnhanceYourCalm},
		{"made you reset", nano.Limits{}, func(f *framed) error { // CVE-2025-8671
			for range endless {
				stream, err := f.get("/slow")
				if err == nil {
					err = f.WriteRawFrame(xhttp2.FrameWindowUpdate, 0, stream, []byte{0, 0, 0, 0})
				}
				if err != nil {
					return err
				}
			}
			return nil
		}, xhttp2.ErrCodeEnhanceYourCalm},
		{"continuation", nano.Limits{}, func(f *framed) error { // CVE-2024-27316
			f.AllowIllegalWrites = true
			block := f.fields(":method", "GET", ":scheme", "http", ":authority", "a", ":path", "/")
			if err := f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: block, EndStream: true}); err != nil {
				return err
			}
			for range endless {
				if err := f.WriteContinuation(1, false, f.fields("a", strings.Repeat("b", 1000))); err != nil {
					return err
				}
			}
			return nil
		}, xhttp2.ErrCodeEnhanceYourCalm},
		{"empty continuation", nano.Limits{}, func(f *framed) error {
			f.AllowIllegalWrites = true
			block := f.fields(":method", "GET", ":scheme", "http", ":authority", "a", ":path", "/")
			if err := f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: block, EndStream: true}); err != nil {
				return err
			}
			for range endless {
				if err := f.WriteContinuation(1, false, nil); err != nil {
					return err
				}
			}
			return nil
		}, xhttp2.ErrCodeEnhanceYourCalm},
		{"empty data", nano.Limits{}, func(f *framed) error {
			stream, err := f.open(false, ":method", "POST", ":scheme", "http", ":authority", "a", ":path", "/read")
			for i := 0; i < endless && err == nil; i++ {
				err = f.WriteData(stream, false, nil)
			}
			return err
		}, xhttp2.ErrCodeEnhanceYourCalm},
		{"settings that are never acknowledged", nano.Limits{ReadHead: 200 * time.Millisecond}, func(f *framed) error {
			_, err := f.get("/slow") // so that the connection is no idle one
			return err
		}, xhttp2.ErrCodeSettingsTimeout},
	} {
		t.Run(strings.ReplaceAll(tt.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			at := serveNano(t, nano.Config{Limits: tt.limit}, floodRoutes)
			f := dialFramed(t, at, tt.want != xhttp2.ErrCodeSettingsTimeout)
			ended := make(chan struct{})
			go func() { // an error: the server has ended it, as goneAway finds out
				defer close(ended)
				_ = tt.flood(f)
			}()
			works(t, at)
			// A server that has said why may reset the connection while more comes, and the
			// reset overtake what it said.
			if why, told := f.goneAway(); told && why != tt.want {
				t.Errorf("the client is told %v, want %v", why, tt.want)
			}
			f.Conn.Close()
			<-ended
			works(t, at)
		})
	}
}

func floodRoutes(app *nano.App) {
	app.Get("/{$}", func(c nano.Ctx) error { return c.Text(200, "here") })
	app.Get("/slow", func(c nano.Ctx) error {
		<-c.Done()
		return c.Err()
	}, nano.OnGoroutine)
	app.Post("/read", func(c nano.Ctx) error {
		_, err := c.Body()
		return err
	})
	app.Get("/large", func(c nano.Ctx) error { return c.Bytes(200, "text/plain", make([]byte, 1<<20)) })
}

// TestTinyWindow: a client that holds a window nearly shut for ever loses its stream,
// or its connection.
func TestTinyWindow(t *testing.T) {
	for name, drip := range map[string]bool{"shut": false, "a byte at a time": true} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			at := serveNano(t, nano.Config{Limits: nano.Limits{WriteStall: 300 * time.Millisecond, MinTake: 1 << 20}}, floodRoutes)
			f := dialFramed(t, at, true, xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 1})
			stream, err := f.get("/large")
			f.check(err)
			for {
				frame, err := f.ReadFrame()
				if err != nil {
					break // the connection has ended
				}
				if r, ok := frame.(*xhttp2.RSTStreamFrame); ok {
					if r.ErrCode != xhttp2.ErrCodeEnhanceYourCalm {
						t.Errorf("reset with %v", r.ErrCode)
					}
					break
				}
				if _, ok := frame.(*xhttp2.DataFrame); ok && drip {
					if err := f.WriteWindowUpdate(stream, 1); err != nil {
						break
					}
				}
			}
			works(t, at)
		})
	}
}
