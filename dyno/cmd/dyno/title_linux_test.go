package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// While a load runs, other users of the machine see no credential in its command line, and
// the server is sent them all the same.
func TestNoSecretsInTheTitle(t *testing.T) {
	t.Parallel()
	s := startBusy(t, t.TempDir(), "load", "-c", "1", "-R", "20", "-d", "60s", "--no-calibration", "--bearer", "SEKRET-1", "-H", "X-Api-Key: SEKRET-2", "--cookie=sid=SEKRET-3", serve(t, "good")+"?token=SEKRET-4")
	file := fmt.Sprintf("/proc/%d/cmdline", s.cmd.Process.Pid)
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		title, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(title), "X-Api-Key:*******") && !strings.Contains(string(title), "SEKRET") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the title is %q", title)
		}
	}
	s.signal(t, os.Interrupt)
	s.wait(t)
}
