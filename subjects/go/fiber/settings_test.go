package main

import (
	"testing"
	"time"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		middlewares, idle string
		want              settings
		why               string
	}{
		{"", "", settings{0, defaultIdle}, ""},
		{"5", "50ms", settings{5, 50 * time.Millisecond}, ""},
		{"-1", "", settings{}, `MIDDLEWARES is "-1": set it to a number from 0 to 1000`},
		{"", "0s", settings{}, `IDLE_TIMEOUT is "0s": set it to a duration such as 500ms`},
		{"", "long", settings{}, `IDLE_TIMEOUT is "long": set it to a duration such as 500ms`},
	} {
		env := map[string]string{"MIDDLEWARES": c.middlewares, "IDLE_TIMEOUT": c.idle}
		got, err := settingsOf(func(name string) string { return env[name] })
		if err != nil && err.Error() != c.why || err == nil && (c.why != "" || got != c.want) {
			t.Errorf("%q %q: %+v, %v", c.middlewares, c.idle, got, err)
		}
	}
}
