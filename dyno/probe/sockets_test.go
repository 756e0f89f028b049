package probe

import (
	"encoding/binary"
	"testing"
)

// message is one of netlink's.
func message(kind uint16, body []byte) []byte {
	b := make([]byte, netlinkHead, netlinkHead+len(body))
	binary.NativeEndian.PutUint32(b, uint32(netlinkHead+len(body)))
	binary.NativeEndian.PutUint16(b[4:], kind)
	return append(b, body...)
}

func socketMessage(state byte, receive, send uint32) []byte {
	body := make([]byte, diagMessage)
	body[1] = state
	binary.NativeEndian.PutUint32(body[56:], receive)
	binary.NativeEndian.PutUint32(body[60:], send)
	return message(diagByFamily, body)
}

func TestSocketsAreAdded(t *testing.T) {
	var s Sockets
	part := append(socketMessage(stateListen, 3, 128), socketMessage(stateEstab, 10, 20)...)
	if done, err := s.add(append(part, socketMessage(stateCloseWait, 0, 5)...)); done || err != nil {
		t.Error(done, err)
	}
	if done, err := s.add(message(3, nil)); !done || err != nil {
		t.Error(done, err)
	}
	if want := (Sockets{Connections: 2, Unread: 10, UnreadAt: 1, Unsent: 25, UnsentAt: 2, AcceptQueue: 3}); s != want {
		t.Errorf("%+v", s)
	}
	for _, bad := range [][]byte{message(2, make([]byte, 4)), message(diagByFamily, make([]byte, 10)), {255, 255, 255, 255, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}} {
		if done, err := s.add(bad); !done || err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

func FuzzSockets(f *testing.F) {
	f.Add(socketMessage(stateEstab, 1, 2))
	f.Add(message(3, nil))
	f.Add([]byte{17, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Sockets
		s.add(b)
	})
}
