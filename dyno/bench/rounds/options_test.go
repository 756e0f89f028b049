//go:build linux

package rounds

import (
	"bytes"
	"context"
	"errors"
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

var offered = []Offer{
	{Name: "cost", Summary: &Summary{Name: "cost", Question: "What does it cost?"}},
	{Name: "tail", Summary: &Summary{Name: "tail"}}, {Name: "extra", Aside: true, Summary: &Summary{Name: "extra"}},
}

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
	if err := o.ShowFile(&out, offered); err != nil || !strings.Contains(out.String(), "What does it cost?") {
		t.Errorf("%s, %v", out.String(), err)
	}
	if err := o.ShowFile(&out, offered[1:]); err == nil || !strings.Contains(err.Error(), `a record of "cost"`) {
		t.Error(err)
	}
}

// TestCarry interrupts a campaign and goes on with it.
func TestCarry(t *testing.T) {
	arms := []Arm{{Tool: "a"}, {Tool: "b", Level: "x"}, {Tool: "c", Rounds: 1}}
	r := &Record{Version: RecordVersion, Settings: Settings{Rounds: 3, Seed: 1}, Path: filepath.Join(t.TempDir(), "r.json")}
	all := r.Pending(arms)
	if len(all) != 3+3+1 {
		t.Fatalf("%d turns", len(all))
	}
	left, enough := 4, errors.New("enough")
	measure := func(arm int) (Trial, error) {
		if left--; left < 0 {
			return Trial{}, enough
		}
		return Trial{Tool: arms[arm].Tool, Level: arms[arm].Level}, nil
	}
	if err := r.Carry(all, measure); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	r, err := Open(r)
	if err != nil || len(r.Trials) != 4 {
		t.Fatalf("%d trials, %v", len(r.Trials), err)
	}
	rest := r.Pending(arms)
	if !slices.Equal(rest, all[4:]) {
		t.Errorf("left are %v, want %v", rest, all[4:])
	}
	left = len(rest)
	if err := r.Carry(rest, measure); err != nil || len(r.Pending(arms)) != 0 || r.Trials[6].Round != all[6].Round {
		t.Errorf("%v; %+v", err, r.Trials)
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
