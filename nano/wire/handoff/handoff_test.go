package handoff

import (
	"os"
	"strings"
	"testing"
)

// TestWhatCantBeHandedOver: a program isn't started for nothing, nor without a
// listener that its clients would miss.
func TestWhatCantBeHandedOver(t *testing.T) {
	var none, foreign Listeners
	foreign.Hold("", nil)
	for want, all := range map[string][]*Listeners{"doesn't listen": {&none}, "Serve": {&none, &foreign}} {
		p, err := Start(all)
		if err == nil {
			t.Fatalf("process %d was started", p.PID())
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestGiven(t *testing.T) {
	var l Listeners
	if l.Given() {
		t.Error("given from the start")
	}
	if l.Give(); !l.Given() {
		t.Error("not given")
	}
	if files := Claim("127.0.0.1:1"); len(files) != 0 {
		t.Errorf("inherited %v", files)
	}
}

// TestActivationIsAnothers: the variables are for the process with the number.
func TestActivationIsAnothers(t *testing.T) {
	t.Setenv("LISTEN_PID", "1")
	t.Setenv("LISTEN_FDS", "3")
	if found, err := Activation(); err != nil || found != nil {
		t.Errorf("%v, %v", found, err)
	}
	if os.Getenv("LISTEN_FDS") != "" {
		t.Error("the variables are left for children")
	}
}
