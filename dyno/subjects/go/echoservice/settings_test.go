package echoservice

import (
	"context"
	"testing"
	"time"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        Settings
		ok          bool
	}{
		{"OTHER", "1", Settings{}, true},
		{"ECHO_WAIT", "10ms", Settings{Wait: 10 * time.Millisecond}, true},
		{"ECHO_WAIT", "0s", Settings{}, true},
		{"ECHO_STREAMS", "200", Settings{Streams: 200}, true},
		{"ECHO_WAIT", "10", Settings{}, false},
		{"ECHO_WAIT", "-1s", Settings{}, false},
		{"ECHO_WAIT", "2m", Settings{}, false},
		{"ECHO_STREAMS", "0", Settings{}, false},
		{"ECHO_STREAMS", "many", Settings{}, false},
		{"ECHO_STREAMS", "4294967296", Settings{}, false},
	} {
		got, err := SettingsOf(func(name string) string {
			if name == c.name {
				return c.value
			}
			return ""
		})
		if (err == nil) != c.ok || c.ok && got != c.want {
			t.Errorf("%s=%s: %+v, %v", c.name, c.value, got, err)
		}
	}
}

func TestPauseEndsWithItsCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Pause(ctx, time.Hour); err != context.Canceled {
		t.Error(err)
	}
	if err := Pause(ctx, 0); err != nil {
		t.Errorf("nothing to wait for: %v", err)
	}
}
