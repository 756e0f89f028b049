package http2

import (
	"bytes"
	"testing"
)

func TestFrameHeader(t *testing.T) {
	for _, h := range []FrameHeader{
		{0, 0, FrameSettings, FlagAck},
		{MaxMaxFrame, 1<<31 - 1, FrameData, FlagEndStream | FlagPadded},
		{0x010203, 0x04050607, 0xff, 0xff},
	} {
		b := AppendFrameHeader(nil, h)
		if got := ParseFrameHeader(b); len(b) != FrameHeaderLen || got != h {
			t.Errorf("%x: %+v, want %+v", b, got, h)
		}
		b[5] |= 0x80 // the reserved bit (RFC 9113 4.1)
		if got := ParseFrameHeader(b); got != h {
			t.Errorf("%x: %+v, want %+v", b, got, h)
		}
	}
}

func TestFrameChecks(t *testing.T) {
	tests := []struct {
		name string
		h    FrameHeader
		want *Error
	}{
		{"DATA", FrameHeader{5, 1, FrameData, 0}, nil},
		{"as long as allowed", FrameHeader{MinMaxFrame, 1, FrameData, 0}, nil},
		{"too long", FrameHeader{MinMaxFrame + 1, 1, FrameData, 0}, errFrameLong},
		{"unknown and too long", FrameHeader{MinMaxFrame + 1, 1, 0x77, 0}, errFrameLong},
		{"unknown", FrameHeader{3, 0, 0x77, 0xff}, nil},
		{"DATA without stream", FrameHeader{5, 0, FrameData, 0}, errNoStream},
		{"HEADERS without stream", FrameHeader{5, 0, FrameHeaders, 0}, errNoStream},
		{"CONTINUATION without stream", FrameHeader{5, 0, FrameContinuation, 0}, errNoStream},
		{"PUSH_PROMISE without stream", FrameHeader{5, 0, FramePushPromise, 0}, errNoStream},
		{"PRIORITY", FrameHeader{5, 1, FramePriority, 0}, nil},
		{"PRIORITY without stream", FrameHeader{5, 0, FramePriority, 0}, errNoStream},
		{"PRIORITY without stream, short", FrameHeader{4, 0, FramePriority, 0}, errNoStream},
		{"PRIORITY, short", FrameHeader{4, 1, FramePriority, 0}, errPrioritySize},
		{"RST_STREAM", FrameHeader{4, 1, FrameRSTStream, 0}, nil},
		{"RST_STREAM without stream", FrameHeader{4, 0, FrameRSTStream, 0}, errNoStream},
		{"RST_STREAM, long", FrameHeader{5, 1, FrameRSTStream, 0}, errRSTSize},
		{"SETTINGS", FrameHeader{12, 0, FrameSettings, 0}, nil},
		{"SETTINGS of a stream", FrameHeader{12, 1, FrameSettings, 0}, errSomeStream},
		{"SETTINGS, not whole", FrameHeader{13, 0, FrameSettings, 0}, errSettingsSize},
		{"SETTINGS, acknowledged", FrameHeader{0, 0, FrameSettings, FlagAck}, nil},
		{"SETTINGS, acknowledged with content", FrameHeader{6, 0, FrameSettings, FlagAck}, errSettingsAck},
		{"PING", FrameHeader{8, 0, FramePing, 0}, nil},
		{"PING of a stream", FrameHeader{8, 1, FramePing, 0}, errSomeStream},
		{"PING, short", FrameHeader{7, 0, FramePing, 0}, errPingSize},
		{"GOAWAY", FrameHeader{11, 0, FrameGoAway, 0}, nil},
		{"GOAWAY of a stream", FrameHeader{8, 1, FrameGoAway, 0}, errSomeStream},
		{"GOAWAY, short", FrameHeader{7, 0, FrameGoAway, 0}, errGoAwaySize},
		{"WINDOW_UPDATE", FrameHeader{4, 0, FrameWindowUpdate, 0}, nil},
		{"WINDOW_UPDATE, long", FrameHeader{5, 1, FrameWindowUpdate, 0}, errWindowSize},
		{"PRIORITY_UPDATE", FrameHeader{4, 0, FramePriorityUpdate, 0}, nil},
		{"PRIORITY_UPDATE of a stream", FrameHeader{4, 1, FramePriorityUpdate, 0}, errSomeStream},
		{"PRIORITY_UPDATE, short", FrameHeader{3, 0, FramePriorityUpdate, 0}, errUpdatePartial},
	}
	for _, tt := range tests {
		if err := tt.h.Check(MinMaxFrame); err != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestPadding(t *testing.T) {
	tests := []struct {
		name    string
		flags   Flags
		payload string
		data    string
		want    *Error
	}{
		{"none", 0, "abc", "abc", nil},
		{"some", FlagPadded, "\x02abc\x00\x00", "abc", nil},
		{"of length 0", FlagPadded, "\x00abc", "abc", nil},
		{"nothing else", FlagPadded, "\x03\x00\x00\x00", "", nil},
		{"as long as the frame", FlagPadded, "\x04\x00\x00\x00", "", errPadding},
		{"longer than the frame", FlagPadded, "\xff\x00", "", errPadding},
		{"not there", FlagPadded, "", "", errPaddingSize},
	}
	for _, tt := range tests {
		h := FrameHeader{uint32(len(tt.payload)), 1, FrameData, tt.flags}
		if data, err := h.Data([]byte(tt.payload)); string(data) != tt.data || err != tt.want {
			t.Errorf("DATA, %s: %q, %v, want %q, %v", tt.name, data, err, tt.data, tt.want)
		}
		h.Type = FrameHeaders
		if block, _, err := h.Fragment([]byte(tt.payload)); string(block) != tt.data || err != tt.want {
			t.Errorf("HEADERS, %s: %q, %v, want %q, %v", tt.name, block, err, tt.data, tt.want)
		}
	}
}

func TestFragmentWithPriority(t *testing.T) {
	tests := []struct {
		payload, block string
		flags          Flags
		dependsOn      uint32
		want           *Error
	}{
		{"\x80\x00\x00\x05\xffabc", "abc", FlagPriority, 5, nil},
		{"\x01\x00\x00\x00\x05\xffabc\x00", "abc", FlagPriority | FlagPadded, 5, nil},
		{"\x00\x00\x00\x05\xff", "", FlagPriority, 5, nil},
		{"\x00\x00\x00\x05", "", FlagPriority, 0, errPriorityField},
		{"\x01\x00\x00\x00\x05\x00", "", FlagPriority | FlagPadded, 0, errPriorityField},
	}
	for _, tt := range tests {
		h := FrameHeader{uint32(len(tt.payload)), 7, FrameHeaders, tt.flags}
		block, dependsOn, err := h.Fragment([]byte(tt.payload))
		if string(block) != tt.block || dependsOn != tt.dependsOn || err != tt.want {
			t.Errorf("%q: %q, %d, %v", tt.payload, block, dependsOn, err)
		}
	}
}

func TestIncrement(t *testing.T) {
	for _, tt := range []struct {
		stream  uint32
		payload string
		n       uint32
		want    *Error
	}{
		{0, "\xff\xff\xff\xff", 1<<31 - 1, nil},
		{3, "\x00\x00\x00\x01", 1, nil},
		{0, "\x80\x00\x00\x00", 0, errIncrement},
		{3, "\x00\x00\x00\x00", 0, errIncrementOf},
	} {
		h := FrameHeader{4, tt.stream, FrameWindowUpdate, 0}
		if n, err := h.ParseIncrement([]byte(tt.payload)); n != tt.n || err != tt.want {
			t.Errorf("%q on %d: %d, %v", tt.payload, tt.stream, n, err)
		}
	}
}

func TestHeadersAreSplit(t *testing.T) {
	block := bytes.Repeat([]byte("0123456789"), 5)
	for max, frames := range map[int]int{49: 2, 50: 1, 51: 1, 10: 5, 7: 8} {
		var got []byte
		n := 0
		for b := AppendHeaders(nil, 3, block, true, max); len(b) > 0; n++ {
			h := ParseFrameHeader(b)
			payload := b[FrameHeaderLen:][:h.Length]
			b = b[FrameHeaderLen+len(payload):]
			got = append(got, payload...)
			wantType, wantFlags := FrameContinuation, Flags(0)
			if n == 0 {
				wantType, wantFlags = FrameHeaders, FlagEndStream
			}
			if len(b) == 0 {
				wantFlags |= FlagEndHeaders
			}
			if h.Stream != 3 || h.Type != wantType || h.Flags != wantFlags || len(payload) > max {
				t.Errorf("by %d, frame %d: %+v", max, n, h)
			}
		}
		if !bytes.Equal(got, block) || n != frames {
			t.Errorf("by %d: %d frames of %q", max, n, got)
		}
	}
}

func TestSettings(t *testing.T) {
	all := Settings{1, false, 3, 4, 20000, 6, true}
	for _, server := range []bool{true, false} {
		b := AppendSettings(nil, &all, server)
		h := ParseFrameHeader(b)
		if err := h.Check(MinMaxFrame); err != nil || int(h.Length) != len(b)-FrameHeaderLen {
			t.Fatalf("%+v, %v", h, err)
		}
		got, want := initialSettings, all
		if err := got.Apply(b[FrameHeaderLen:], server); err != nil {
			t.Fatal(err)
		}
		want.Push, want.ConnectProtocol = server, server // each says only its own
		if got != want {
			t.Errorf("server %v: %+v, want %+v", server, got, want)
		}
		if b := AppendSettings(nil, &initialSettings, server); len(b) != FrameHeaderLen {
			t.Errorf("initial settings are sent: %x", b)
		}
	}
}

func TestSettingsRefusals(t *testing.T) {
	tests := []struct {
		name, payload string
		fromServer    bool
		want          *Error
	}{
		{"push 2", "\x00\x02\x00\x00\x00\x02", false, errPushValue},
		{"push 1 by a client", "\x00\x02\x00\x00\x00\x01", false, nil},
		{"push 1 by a server", "\x00\x02\x00\x00\x00\x01", true, errPushByServer},
		{"push 0 by a server", "\x00\x02\x00\x00\x00\x00", true, nil},
		{"largest window", "\x00\x04\x7f\xff\xff\xff", false, nil},
		{"window too large", "\x00\x04\x80\x00\x00\x00", false, errWindowValue},
		{"frames of 16383", "\x00\x05\x00\x00\x3f\xff", false, errMaxFrameValue},
		{"frames of 2^24", "\x00\x05\x01\x00\x00\x00", false, errMaxFrameValue},
		{"CONNECT 2", "\x00\x08\x00\x00\x00\x02", true, errConnectValue},
		{"CONNECT taken back", "\x00\x08\x00\x00\x00\x01\x00\x08\x00\x00\x00\x00", true, errConnectValue},
		{"no priorities 2", "\x00\x09\x00\x00\x00\x02", false, errPriorityNoValue},
		{"unknown", "\x00\x77\xff\xff\xff\xff", false, nil},
	}
	for _, tt := range tests {
		s := initialSettings
		if err := s.Apply([]byte(tt.payload), tt.fromServer); err != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestErrCodes(t *testing.T) {
	for code, want := range map[ErrCode]string{NoError: "NO_ERROR", HTTP11Required: "HTTP_1_1_REQUIRED", 0xe: "0xe"} {
		if got := code.String(); got != want {
			t.Errorf("%d: %s, want %s", code, got, want)
		}
	}
}
