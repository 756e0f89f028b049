package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settings are what studies vary, from the environment.
type settings struct {
	how  string // LOG_HOW: path, on the request's path; ring, behind a ring buffer; none, not at all
	to   string // LOG_TO: file, into the page cache; disk, and to the disk with each write; kafka; stalling, a disk that stands still when asked to
	ring int    // LOG_RING_KB: what the ring holds, in bytes here

	batch int  // LOG_BATCH_KB: what a batch that is compressed has, in bytes here
	ids   bool // LOG_IDS: whether its lines end with an id of the request, of 128 random bits

	burst int    // LOG_BURST: events a second of another tenant; 0 for no tenant
	codec string // LOG_BURST_CODEC: what its batches are compressed with
	nice  int    // LOG_BURST_NICE: the nice value of its session, by which it has its weight

	guard bool          // LOG_GUARD: whether only a sample of the lines is kept while the ring is filled
	hum   int           // LOG_RATE: lines a second, besides those of requests
	stall time.Duration // LOG_STALL_MS: how long the disk stands still when asked to, where LOG_TO is stalling

	kafka string // KAFKA_BROKERS
}

func settingsOf(getenv func(string) string) (s settings, err error) {
	s.kafka = getenv("KAFKA_BROKERS")
	if s.how, err = oneOf(getenv, "LOG_HOW", "path", "ring", "none"); err != nil {
		return s, err
	}
	if s.to, err = oneOf(getenv, "LOG_TO", "file", "disk", "kafka", "stalling"); err != nil {
		return s, err
	}
	if s.how != "none" && s.to == "kafka" && s.kafka == "" {
		return s, fmt.Errorf("KAFKA_BROKERS is not set: dyno sets it where a study has the service kafka")
	}
	kilobytes, err := count(getenv, "LOG_RING_KB", 2048, 2*batchSize>>10, 1<<20)
	if err != nil {
		return s, err
	}
	s.ring = kilobytes << 10
	if kilobytes, err = count(getenv, "LOG_BATCH_KB", 64, 1, 1<<10); err != nil {
		return s, err
	}
	s.batch = kilobytes << 10
	ids, err := oneOf(getenv, "LOG_IDS", "off", "on")
	if err != nil {
		return s, err
	}
	s.ids = ids == "on"
	if s.burst, err = count(getenv, "LOG_BURST", 0, 0, 1_000_000); err != nil {
		return s, err
	}
	if s.codec, err = oneOf(getenv, "LOG_BURST_CODEC", "snappy", "none", "zstd-3", "zstd-12"); err != nil {
		return s, err
	}
	if s.nice, err = count(getenv, "LOG_BURST_NICE", 0, 0, 19); err != nil {
		return s, err
	}
	return s, s.stalls(getenv)
}

// stalls reads what is about a disk that stalls.
func (s *settings) stalls(getenv func(string) string) error {
	guard, err := oneOf(getenv, "LOG_GUARD", "off", "on")
	if err != nil {
		return err
	}
	s.guard = guard == "on"
	if s.hum, err = count(getenv, "LOG_RATE", 0, 0, 1_000_000); err != nil {
		return err
	}
	milliseconds, err := count(getenv, "LOG_STALL_MS", 100, 1, 4_000) // dyno waits 5 s when it verifies
	s.stall = time.Duration(milliseconds) * time.Millisecond
	if err == nil && s.to == "stalling" && s.how != "ring" {
		err = fmt.Errorf("LOG_TO is stalling: set LOG_HOW to ring, of which it is told when it is empty again")
	}
	return err
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
