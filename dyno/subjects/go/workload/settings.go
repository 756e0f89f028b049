package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of mistakes, not of the work.
const (
	maxRepeat  = 1_000_000
	maxBlocked = 1_000
	maxSize    = 1 << 20
	maxRoutes  = 10_000
	maxTrees   = 1_000

	maxFastOpen = 65_535
	maxWait     = 60_000 // ms
	longest     = 4_500  // ms of WORK_PATIENCE_MS: dyno waits 5 s when it verifies
)

// settings are what studies vary, by environment variables.
type settings struct {
	repeat    int    // WORK_REPEAT: how often a request does its piece of work
	size      int    // WORK_SIZE: bytes of the JSON text that is decoded or encoded
	router    string // WORK_ROUTER: trie, radix or none, what /route searches
	routes    int    // WORK_ROUTES: how many routes are in it
	trees     int    // WORK_TREES: how many such trees are kept, so that memory shows what one takes
	blocked   int    // WORK_BLOCKED: how many goroutines wait in a read that never ends
	blockedIn string // WORK_BLOCKED_IN: net, through the network poller, or syscall, in the kernel
	fastOpen  int    // WORK_FAST_OPEN: how many connections may wait that TCP Fast Open gave a request already; 0 for none
	threads   string // WORK_THREADS: user, a connection to /wait has a goroutine, or kernel, a thread, too

	wait     time.Duration // WORK_WAIT_MS: how long /wait waits
	patience time.Duration // WORK_PATIENCE_MS: how long /memory waits for it to be given back
}

func settingsOf(getenv func(string) string) (s settings, err error) {
	if s.repeat, err = count(getenv, "WORK_REPEAT", 100, 1, maxRepeat); err != nil {
		return s, err
	}
	if s.blocked, err = count(getenv, "WORK_BLOCKED", 0, 0, maxBlocked); err != nil {
		return s, err
	}
	if s.fastOpen, err = count(getenv, "WORK_FAST_OPEN", 0, 0, maxFastOpen); err != nil {
		return s, err
	}
	if s.size, err = count(getenv, "WORK_SIZE", 547, leastUser, maxSize); err != nil {
		return s, err
	}
	if s.router, err = oneOf(getenv, "WORK_ROUTER", "radix", "trie", "none"); err != nil {
		return s, err
	}
	if s.routes, err = count(getenv, "WORK_ROUTES", 1000, len(wantedAt), maxRoutes); err != nil {
		return s, err
	}
	if s.trees, err = count(getenv, "WORK_TREES", 1, 1, maxTrees); err != nil {
		return s, err
	}
	if s.blockedIn, err = oneOf(getenv, "WORK_BLOCKED_IN", "net", "syscall"); err != nil {
		return s, err
	}
	milliseconds, err := count(getenv, "WORK_WAIT_MS", 20, 0, maxWait)
	if err != nil {
		return s, err
	}
	s.wait = time.Duration(milliseconds) * time.Millisecond
	if milliseconds, err = count(getenv, "WORK_PATIENCE_MS", 4000, 0, longest); err != nil {
		return s, err
	}
	s.patience = time.Duration(milliseconds) * time.Millisecond
	s.threads, err = oneOf(getenv, "WORK_THREADS", "user", "kernel")
	return s, err
}

func count(getenv func(string) string, name string, otherwise, low, high int) (int, error) {
	text := getenv(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%s is %q: set it to a number from %d to %d", name, text, low, high)
	}
	return n, nil
}

// oneOf reads one of the words, the first if none is given.
func oneOf(getenv func(string) string, name string, words ...string) (string, error) {
	text := getenv(name)
	if text == "" {
		return words[0], nil
	}
	if !slices.Contains(words, text) {
		return "", fmt.Errorf("%s is %q: set it to %s or %s", name, text, strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
	}
	return text, nil
}
