package engine

import "time"

// Intercept calls before each of the loop's calls into its backend, with the call's
// name: "wait", "send" or "handle". Tests stop loops there. It reports whether the
// engine is an event loop.
func Intercept(e Engine, before func(call string)) bool {
	l, ok := e.(*eventLoop)
	if ok {
		l.backend = &intercepted{l.backend, before}
	}
	return ok
}

// intercepted is a backend that tells of calls before they are made.
type intercepted struct {
	backend
	before func(call string)
}

func (i *intercepted) wait(d time.Duration) (int, error) {
	i.before("wait")
	return i.backend.wait(d)
}

func (i *intercepted) send(id int32) {
	i.before("send")
	i.backend.send(id)
}

func (i *intercepted) handle() {
	i.before("handle")
	i.backend.handle()
}
