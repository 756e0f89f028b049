package main

import (
	"testing"

	"dyno.example/nano"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        settings
		ok          bool
	}{
		{"NANO_OTHER", "1", settings{}, true},
		{"NANO_MIDDLEWARES", "10", settings{middlewares: 10}, true},
		{"NANO_GARBAGE", "7", settings{garbage: 7}, true},
		{"NANO_TIMING", "on", settings{timing: true}, true},
		{"NANO_TIMING", "off", settings{}, true},
		{"NANO_TIMING", "yes", settings{}, false},
		{"NANO_MIDDLEWARES", "-1", settings{}, false},
		{"NANO_MIDDLEWARES", "1001", settings{}, false},
		{"NANO_GARBAGE", "some", settings{}, false},
	} {
		got, err := settingsOf(func(name string) string {
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

// TestLitterAllocates: what a study compares must be there, whatever the
// compiler learns.
func TestLitterAllocates(t *testing.T) {
	h := litter(7)(idle(func(nano.Ctx) error { return nil }))
	if got := testing.AllocsPerRun(100, func() { _ = h(nano.Ctx{}) }); got != 7 {
		t.Errorf("%v objects, want 7", got)
	}
}
