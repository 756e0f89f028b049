package nano

import (
	"net"

	"dyno/nano/internal/handoff"
)

// Activated is a listening socket that systemd has opened.
type Activated struct {
	Name string // FileDescriptorName= of the socket unit; "" if it gave none
	net.Listener
}

// ActivationListeners returns the sockets of systemd's socket activation, in the
// order of the unit; none if the process wasn't started so. The variables that
// tell of them are unset, so that neither a second call nor children see them.
// Give them to [App.Serve]: systemd keeps them open over restarts of its service.
func ActivationListeners() ([]Activated, error) {
	found, err := handoff.Activation()
	var listeners []Activated
	for _, a := range found {
		listeners = append(listeners, Activated{a.Name, a.Listener})
	}
	return listeners, err
}

// Notify tells systemd of the service's state, such as "READY=1", "RELOADING=1",
// "STOPPING=1" (sd_notify(3)). sent is false if nobody wants to know.
func Notify(state string) (sent bool, err error) { return handoff.Notify(state) }
