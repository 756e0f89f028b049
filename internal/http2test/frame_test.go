package http2test

import (
	"bytes"
	"io"
	"testing"

	xhttp2 "golang.org/x/net/http2"

	"dyno.example/nano/wire/http2"
)

// FuzzFrames reads frames from the same bytes with both. What theirs refuses for a
// frame's own sake is refused here; what both take means the same.
func FuzzFrames(f *testing.F) {
	var seed []byte
	seed = http2.AppendSettings(seed, &http2.Settings{HeaderTable: 1, MaxFrame: 20000}, false)
	seed = http2.AppendHeaders(seed, 1, []byte("\x82\x86\x84"), true, 2)
	seed = http2.AppendData(seed, 3, []byte("hello"), true)
	seed = http2.AppendPing(seed, [8]byte{1, 2, 3}, true)
	seed = http2.AppendWindowUpdate(seed, 5, 77)
	seed = http2.AppendRSTStream(seed, 5, http2.Cancel)
	f.Add(http2.AppendGoAway(seed, 5, http2.EnhanceYourCalm, "slower"))
	f.Add([]byte("\x00\x00\x06\x00\x09\x00\x00\x00\x01\x02abc\x00\x00"))
	f.Add([]byte("\x00\x00\x08\x01\x28\x00\x00\x00\x01\x01\x00\x00\x00\x03\x10\x82\x00\x00\x00\x05\x02\x00\x00\x00\x00\x03\x80\x00\x00\x01\x07"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		theirs := xhttp2.NewFramer(io.Discard, bytes.NewReader(wire))
		theirs.SetMaxReadFrameSize(http2.MinMaxFrame)
		theirs.AllowIllegalReads = true // the order of frames is not a frame's own business
		for len(wire) >= http2.FrameHeaderLen {
			h := http2.ParseFrameHeader(wire)
			if h.Type == http2.FramePushPromise {
				return // never asked for, and refused unread
			}
			if h.Length <= http2.MinMaxFrame && len(wire) < http2.FrameHeaderLen+int(h.Length) {
				return
			}
			frame, theirErr := theirs.ReadFrame()
			if err := h.Check(http2.MinMaxFrame); err != nil {
				if theirErr == nil && h.Type != http2.FramePriorityUpdate {
					t.Fatalf("%+v: %v; theirs take it", h, err)
				}
				return
			}
			payload := wire[http2.FrameHeaderLen:][:h.Length]
			wire = wire[http2.FrameHeaderLen+len(payload):]
			err := check(t, h, payload, frame)
			if (err == nil) != (theirErr == nil) {
				t.Fatalf("%+v %x: %v; theirs: %v", h, payload, err, theirErr)
			}
			if err != nil {
				return
			}
		}
	})
}

// check reads a payload with ours and compares it with their frame, if there is one.
func check(t *testing.T, h http2.FrameHeader, payload []byte, frame xhttp2.Frame) *http2.Error {
	t.Helper()
	same := func(what string, ours, theirs any) {
		if frame != nil && ours != theirs {
			t.Fatalf("%+v %x: %s is %v, theirs: %v", h, payload, what, ours, theirs)
		}
	}
	if frame != nil {
		their := frame.Header()
		same("header", h, http2.FrameHeader{Length: their.Length, Stream: their.StreamID, Type: http2.FrameType(their.Type), Flags: http2.Flags(their.Flags)})
	}
	switch h.Type {
	case http2.FrameData:
		data, err := h.Data(payload)
		if f, ok := frame.(*xhttp2.DataFrame); ok {
			same("data", string(data), string(f.Data()))
		}
		return err
	case http2.FrameHeaders:
		block, dependsOn, err := h.Fragment(payload)
		if f, ok := frame.(*xhttp2.HeadersFrame); ok {
			same("block", string(block), string(f.HeaderBlockFragment()))
			same("dependency", dependsOn, f.Priority.StreamDep)
		}
		return err
	case http2.FrameRSTStream:
		if f, ok := frame.(*xhttp2.RSTStreamFrame); ok {
			same("code", http2.ParseCode(payload), http2.ErrCode(f.ErrCode))
		}
	case http2.FrameGoAway:
		last, code, debug := http2.ParseGoAway(payload)
		if f, ok := frame.(*xhttp2.GoAwayFrame); ok {
			same("last stream", last, f.LastStreamID)
			same("code", code, http2.ErrCode(f.ErrCode))
			same("debug data", string(debug), string(f.DebugData()))
		}
	case http2.FrameWindowUpdate:
		n, err := h.ParseIncrement(payload)
		if f, ok := frame.(*xhttp2.WindowUpdateFrame); ok {
			same("increment", n, f.Increment)
		}
		return err
	case http2.FramePriority:
		if f, ok := frame.(*xhttp2.PriorityFrame); ok {
			same("dependency", http2.DependsOn(payload), f.StreamDep)
		}
	case http2.FramePriorityUpdate:
		return http2.CheckPriorityUpdate(payload)
	case http2.FrameSettings:
		return checkSettings(t, h, payload, frame)
	}
	return nil
}

// checkSettings compares SETTINGS. Theirs looks at the window's value while it
// reads a frame, and at the others later.
func checkSettings(t *testing.T, h http2.FrameHeader, payload []byte, frame xhttp2.Frame) *http2.Error {
	t.Helper()
	var ours http2.Settings
	err := ours.Apply(payload, false)
	f, ok := frame.(*xhttp2.SettingsFrame)
	if !ok {
		return err
	}
	theirErr := f.ForeachSetting(func(s xhttp2.Setting) error {
		return s.Valid()
	})
	if theirErr != nil && err == nil {
		t.Fatalf("%x: ours take what is not valid: %v", payload, theirErr)
	}
	return nil
}
