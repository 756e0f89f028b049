//go:build linux

package rounds

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var offered = []Campaign{{Name: "cost", Question: "What does it cost?"}, {Name: "tail"}, {Name: "extra", Aside: true}}

func TestChoose(t *testing.T) {
	for what, want := range map[string][]int{"all": {0, 1}, "tail,cost": {0, 1}, "extra": {2}, "cost": {0}} {
		o := Options{What: what}
		if got, err := o.Choose(offered); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", what, got, err, want)
		}
	}
	for _, what := range []string{"", "cost,", "cost,nothing", "all,cost"} {
		o := Options{What: what}
		if got, err := o.Choose(offered); err == nil || !strings.Contains(err.Error(), "is none of all, cost, tail, extra") {
			t.Errorf("%q: %v, %v", what, got, err)
		}
	}
}

func TestRegister(t *testing.T) {
	var o Options
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	o.Register(flags, "cost", "results", "do nothing", offered)
	if err := flags.Parse([]string{"-rounds", "3", "-name", "a", "-plan"}); err != nil {
		t.Fatal(err)
	}
	if o.What != "cost" || o.Rounds != 3 || !o.Plan || o.Path("tail") != filepath.Join("results", "a-tail.json") || o.ServerCPU != 1 || o.Length(9) != 9 {
		t.Errorf("%+v", o)
	}
	if err := o.Interrupted(); !strings.Contains(err.Error(), "-name a") {
		t.Error(err)
	}
}

func TestShowFile(t *testing.T) {
	r := Record{Version: RecordVersion, What: "cost", Path: filepath.Join(t.TempDir(), "a-cost.json")}
	if err := r.Save(); err != nil {
		t.Fatal(err)
	}
	o := Options{Show: r.Path}
	var out bytes.Buffer
	if err := o.ShowFile(&out, "", offered); err != nil || !strings.Contains(out.String(), "What does it cost?") {
		t.Errorf("%s, %v", out.String(), err)
	}
	if err := o.ShowFile(&out, "", offered[1:]); err == nil || !strings.Contains(err.Error(), `a record of "cost"`) {
		t.Error(err)
	}
}

func TestServerThatDoesNotStart(t *testing.T) {
	_, err := StartServer(context.Background(), "nothing", 0, func(string) []string { return []string{"/no/such/program"} }, nil)
	if err == nil {
		t.Error("a server that is no program")
	}
}

// listenVariable makes this test a server on the address it holds.
const listenVariable = "DYNO_TEST_LISTEN"

// TestListen is the server of TestServerEnds.
func TestListen(t *testing.T) {
	address := os.Getenv(listenVariable)
	if address == "" {
		t.Skip("a part of another test")
	}
	fmt.Fprintln(os.Stderr, os.Getenv("DYNO_TEST_SAYS")) // it may be ended as soon as it listens
	ln, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	for {
		if conn, err := ln.Accept(); err == nil {
			conn.Close()
		}
	}
}

func TestServerEnds(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("taskset"); err != nil {
		t.Skip(err)
	}
	s, err := StartServer(t.Context(), "a listener", 0, func(address string) []string {
		return []string{"env", listenVariable + "=" + address, self, "-test.run=^TestListen$"}
	}, []string{"DYNO_TEST_SAYS=hello"})
	if err != nil {
		t.Fatal(err)
	}
	if s.PID() == 0 || s.Address == "" {
		t.Errorf("process %d on %q", s.PID(), s.Address)
	}
	if err := s.Stop(10 * time.Second); err == nil || !strings.Contains(s.Says(), "hello") {
		t.Errorf("it ended by %v and says %q", err, s.Says())
	}
	if conn, err := net.Dial("tcp", s.Address); err == nil {
		conn.Close()
		t.Error("it still listens")
	}
}
