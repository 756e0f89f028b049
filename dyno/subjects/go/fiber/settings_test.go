package main

import (
	"testing"
	"time"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		middlewares, wait, idle string
		want                    settings
		why                     string
	}{
		{"", "", "", settings{0, 0, defaultIdle}, ""},
		{"5", "15ms", "50ms", settings{5, 15 * time.Millisecond, 50 * time.Millisecond}, ""},
		{"", "1h", "", settings{}, `MIDDLEWARE_WAIT is "1h": set it to a duration such as 15ms, of at most a minute`},
		{"-1", "", "", settings{}, `MIDDLEWARES is "-1": set it to a number from 0 to 1000`},
		{"", "", "0s", settings{}, `IDLE_TIMEOUT is "0s": set it to a duration such as 500ms`},
		{"", "", "long", settings{}, `IDLE_TIMEOUT is "long": set it to a duration such as 500ms`},
	} {
		env := map[string]string{"MIDDLEWARES": c.middlewares, "MIDDLEWARE_WAIT": c.wait, "IDLE_TIMEOUT": c.idle}
		got, err := settingsOf(func(name string) string { return env[name] })
		if err != nil && err.Error() != c.why || err == nil && (c.why != "" || got != c.want) {
			t.Errorf("%q %q %q: %+v, %v", c.middlewares, c.wait, c.idle, got, err)
		}
	}
}
