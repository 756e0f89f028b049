//go:build !linux

package nano

import (
	"crypto/tls"
	"net"
)

func (s *stdServer) welcomeQueue(*App, net.Listener, *tls.Config) {}
