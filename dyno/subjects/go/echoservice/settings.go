package echoservice

import (
	"fmt"
	"strconv"
	"time"
)

// Settings are what studies vary, by environment variables. Without any a subject is
// its framework with its defaults.
type Settings struct {
	Wait    time.Duration // ECHO_WAIT: how long a unary call waits before its response
	Streams uint32        // ECHO_STREAMS: how many calls a connection may have under way; 0: the framework's default
}

// Bounds of mistakes, not of any framework.
const (
	maxWait    = time.Minute
	maxStreams = 1 << 20
)

// SettingsOf reads the settings.
func SettingsOf(getenv func(string) string) (s Settings, err error) {
	if text := getenv("ECHO_WAIT"); text != "" {
		if s.Wait, err = time.ParseDuration(text); err != nil || s.Wait < 0 || s.Wait > maxWait {
			return s, fmt.Errorf("ECHO_WAIT is %q: set it to a duration from 0s to %v, or not at all", text, maxWait)
		}
	}
	if text := getenv("ECHO_STREAMS"); text != "" {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil || n < 1 || n > maxStreams {
			return s, fmt.Errorf("ECHO_STREAMS is %q: set it to a number from 1 to %d, or not at all", text, maxStreams)
		}
		s.Streams = uint32(n)
	}
	return s, nil
}
