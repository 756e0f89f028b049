package main

import (
	"fmt"
	"net"
	"syscall"
)

// block starts n goroutines that read what never comes: "net" through Go's
// network poller, where a waiting goroutine has no thread, "syscall" in the
// kernel, where each has one. They end with the program.
func block(n int, in string) error {
	for range n {
		start := blockInPoller
		if in == "syscall" {
			start = blockInKernel
		}
		if err := start(); err != nil {
			return fmt.Errorf("blocking a goroutine: %w", err)
		}
	}
	return nil
}

// blockInPoller reads from a connection whose other end stays silent.
func blockInPoller() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	silent, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return err
	}
	conn, err := listener.Accept()
	if err != nil {
		silent.Close()
		return err
	}
	go func() {
		defer silent.Close() // keeps it from being collected
		_, _ = conn.Read(make([]byte, 1))
	}()
	return nil
}

// blockInKernel reads from a socket that Go's poller knows nothing of.
func blockInKernel() error {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	go func() { _, _ = syscall.Read(ends[0], make([]byte, 1)) }()
	return nil
}
