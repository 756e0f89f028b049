package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// settings are what studies vary, from the environment.
type settings struct {
	how  string // LOG_HOW: path, on the request's path; ring, behind a ring buffer; none, not at all
	to   string // LOG_TO: file, into the page cache; disk, and to the disk with each write; kafka
	ring int    // LOG_RING_KB: what the ring holds, in bytes here

	batch int  // LOG_BATCH_KB: what a batch that is compressed has, in bytes here
	ids   bool // LOG_IDS: whether its lines end with an id of the request, of 128 random bits

	burst int    // LOG_BURST: events a second of another tenant; 0 for no tenant
	codec string // LOG_BURST_CODEC: what its batches are compressed with
	nice  int    // LOG_BURST_NICE: the nice value of its session, by which it has its weight

	kafka string // KAFKA_BROKERS
}

func settingsOf(getenv func(string) string) (s settings, err error) {
	s.kafka = getenv("KAFKA_BROKERS")
	if s.how, err = oneOf(getenv, "LOG_HOW", "path", "ring", "none"); err != nil {
		return s, err
	}
	if s.to, err = oneOf(getenv, "LOG_TO", "file", "disk", "kafka"); err != nil {
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
	s.nice, err = count(getenv, "LOG_BURST_NICE", 0, 0, 19)
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
