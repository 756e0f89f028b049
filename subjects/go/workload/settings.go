package main

import (
	"fmt"
	"strconv"
)

// Limits of mistakes, not of the work.
const (
	maxRepeat  = 1_000_000
	maxBlocked = 1_000
)

// settings are what studies vary, by environment variables.
type settings struct {
	repeat    int    // WORK_REPEAT: how often a request does its piece of work
	router    string // WORK_ROUTER: trie or radix, what /route searches
	blocked   int    // WORK_BLOCKED: how many goroutines wait in a read that never ends
	blockedIn string // WORK_BLOCKED_IN: net, through the network poller, or syscall, in the kernel
}

func settingsOf(getenv func(string) string) (s settings, err error) {
	if s.repeat, err = count(getenv, "WORK_REPEAT", 100, 1, maxRepeat); err != nil {
		return s, err
	}
	if s.blocked, err = count(getenv, "WORK_BLOCKED", 0, 0, maxBlocked); err != nil {
		return s, err
	}
	if s.router, err = oneOf(getenv, "WORK_ROUTER", "radix", "trie"); err != nil {
		return s, err
	}
	s.blockedIn, err = oneOf(getenv, "WORK_BLOCKED_IN", "net", "syscall")
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

// oneOf reads one of two words, the first if none is given.
func oneOf(getenv func(string) string, name, first, second string) (string, error) {
	switch text := getenv(name); text {
	case "", first:
		return first, nil
	case second:
		return second, nil
	default:
		return "", fmt.Errorf("%s is %q: set it to %s or %s", name, text, first, second)
	}
}
