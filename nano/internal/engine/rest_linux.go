package engine

import (
	"fmt"
	"strings"

	eventloop "dyno.example/nano/wire/loop"
)

// OnSystem starts an app of package nano, which sets it, on a System that isn't the
// kernel: package simulator's way in.
var OnSystem func(app any, sys eventloop.System) (*Server, error)

// Left says what the server holds of connections and requests; "": nothing. It is for who
// knows that no loop is running. One that has ended has left the handlers behind that had
// their connections then.
func (s *Server) Left() string {
	var left []string
	note := func(n int64, what string) {
		if n != 0 {
			left = append(left, fmt.Sprintf("%d %s", n, what))
		}
	}
	note(s.elsewhere.Load(), "handlers are elsewhere")
	ended := false
	for _, l := range s.loops {
		if l.Over() {
			ended = true
			continue
		}
		note(int64(l.conns.Len()), "connections are open")
		note(int64(l.Assigned.Load()), "connections are assigned")
		note(int64(len(l.more)), "connections have more to do")
		note(int64(l.handlers.baton.Load()&1), "handlers have their loop")
		if _, ok := l.lifecycle.wheel.Next(); ok {
			note(1, "wheels have a deadline")
		}
		if l.HasMail() {
			note(1, "mailboxes aren't empty")
		}
	}
	if !ended {
		note(s.conns.Load(), "connections are counted")
		note(int64(len(s.peers)), "addresses have connections")
	}
	return strings.Join(left, ", ")
}
