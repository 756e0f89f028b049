//go:build linux

// Command serve is an etcd server of a process of its own, for tests: see package etcdtest.
// It prints its address when it serves, ends in order when it is told to, and at once when
// its standard input ends: it doesn't outlive the test that has started it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"dyno.example/nanogate/internal/etcd/embedded"
)

func main() {
	dir := flag.String("dir", "", "folder of its data")
	listen := flag.String("listen", "127.0.0.1:0", "loopback address for clients")
	flag.Parse()
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	s, err := embedded.Start(*dir, embedded.Options{Listen: *listen, Fast: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.Address)
	select {
	case <-end:
		s.Close()
	case err := <-s.Failed():
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
