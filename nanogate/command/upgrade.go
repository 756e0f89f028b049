//go:build linux

package command

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/handoff"
	"dyno.example/nanogate/internal/gateway"
)

// upgradeTime is how long the next process may take to serve.
const upgradeTime = time.Minute

// adminListener is what the key begins with that the admin address is handed over by.
const adminListener = "admin "

// upgrade starts the program as its file is now and gives it the listening sockets. When
// it serves, this process is to end; while it doesn't, this one goes on.
func upgrade(ctx context.Context, g *gateway.Gateway, admin *handoff.Listeners) (pid int, err error) {
	next, err := handoff.Start([]*handoff.Listeners{g.Handover(), admin})
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, upgradeTime, fmt.Errorf("%v have passed", upgradeTime))
	defer cancel()
	if err := next.Wait(ctx); err != nil {
		return 0, err
	}
	_, _ = handoff.Notify("MAINPID=" + strconv.Itoa(next.PID())) // without systemd there is no one to notify
	return next.PID(), nil
}

// claimAdmin opens the admin address, or takes it from the process before.
func claimAdmin(address string) (net.Listener, error) {
	files := handoff.Claim(adminListener + address)
	if len(files) == 0 {
		return listenAdmin(address)
	}
	defer handoff.Served()
	for _, f := range files {
		defer f.Close()
	}
	return net.FileListener(files[0])
}

// hold notes the admin address for the process that takes over.
func hold(admin *handoff.Listeners, address string, ln net.Listener) error {
	kept, err := ln.(interface{ File() (*os.File, error) }).File() // the process that serves it takes ln over
	if err != nil {
		return err
	}
	admin.Hold(adminListener+address, func() ([]*os.File, error) {
		fd, err := unix.FcntlInt(kept.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		return []*os.File{os.NewFile(uintptr(fd), address)}, nil
	})
	return nil
}
