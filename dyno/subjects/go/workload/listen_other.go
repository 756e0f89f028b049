//go:build !linux

package main

import (
	"errors"
	"net"
)

// listen listens; TCP Fast Open is Linux's here.
func listen(address string, fastOpen int) (net.Listener, error) {
	if fastOpen > 0 {
		return nil, errors.New("WORK_FAST_OPEN: TCP Fast Open is for Linux only")
	}
	return net.Listen("tcp", address)
}
