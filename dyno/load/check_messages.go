package load

import (
	"strings"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
)

// checkMessages reports what is wrong with a load over WebSockets or of server-sent
// events, or nil.
func (s *Spec) checkMessages(env *template.Env) error {
	scheme, _, _ := strings.Cut(s.Target, "://")
	k := &s.Link
	switch {
	case k.WebSocket == nil && (scheme == "ws" || scheme == "wss"):
		return i18n.Errorf("load.target-needs-websockets", "target %q is of WebSockets, but the load is not", s.Target)
	case k.WebSocket == nil && k.Events == nil:
		return nil
	}
	if s.Engine == "portable" {
		return errPortableMessages
	}
	p := &s.Profile
	if k.Listens() && (p.Mode != profile.Closed || p.Think.Mean > 0) {
		return i18n.Errorf("load.listening-takes-no-rate", "a load that only listens has no rate and no think time: how much comes is the server's to say")
	}
	for i := range s.Requests {
		var err error
		if k.WebSocket != nil {
			err = s.Requests[i].CheckMessage(k.WebSocket, &s.Requests[0], env)
		} else {
			err = s.Requests[i].CheckListening()
		}
		if err != nil {
			return i18n.Errorf("load.request", "request %d: %w", i+1, err)
		}
	}
	return nil
}

// Unit is what the load counts as completed: "requests", "messages" or "events".
func (s *Spec) Unit() string {
	switch {
	case s.Link.WebSocket != nil:
		return "messages"
	case s.Link.Events != nil:
		return "events"
	}
	return "requests"
}

// errPortableMessages is why a load can't be sent.
var errPortableMessages = i18n.Errorf("load.messages-need-event-loop", "WebSockets and server-sent events are spoken by the event loops (io_uring and epoll), which are for Linux; the portable engine speaks HTTP/1.1 with requests and responses only")
