package loadcmd

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/load"
)

func TestHTTP2Flags(t *testing.T) {
	tests := []struct {
		args    []string
		streams int
		says    string // of the error
	}{
		{nil, 0, ""},
		{[]string{"--http2"}, 1, ""},
		{[]string{"--http2", "--streams", "25"}, 25, ""},
		{[]string{"--streams", "25"}, 0, "give --http2 or --http3 too"},
		{[]string{"--http2", "--streams", "0"}, 0, "at least one"},
		{[]string{"--http3", "--streams", "25"}, 25, ""},
		{[]string{"--http3", "--http2"}, 0, "exclude each other"},
	}
	for _, tt := range tests {
		var f linkFlags
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.register(flags)
		if err := flags.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		var spec load.Spec
		err := f.apply(&spec)
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) || spec.Link.Streams != tt.streams {
			t.Errorf("%q: %d streams, error %v", tt.args, spec.Link.Streams, err)
		}
	}
}

// A load of nothing is not one of the usual length.
func TestLoadOfNothingIsRefused(t *testing.T) {
	for args, want := range map[string]string{"-n 0": "--requests", "-d 0": "--duration", "-n 0 -d 1s": "--requests", "-n 5 -d 0": "", "-d 1s": "", "": ""} {
		cmd := New(&cli.Global{})
		var f Flags
		if err := cmd.ParseFlags(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		requests, _ := strconv.ParseUint(cmd.Flags().Lookup("requests").Value.String(), 10, 64)
		f.requests = requests
		f.duration, _ = time.ParseDuration(cmd.Flags().Lookup("duration").Value.String())
		if err := f.refuseNothing(cmd.Flags()); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}

func TestParseCPUs(t *testing.T) {
	for list, want := range map[string][]int{"": nil, "0": {0}, "0,2-4": {0, 2, 3, 4}, "3,1": {3, 1}, "7-7": {7}} {
		if got, err := parseCPUs(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("parseCPUs(%q) = %v, %v; want %v", list, got, err, want)
		}
	}
	for _, list := range []string{",", "0,", "a", "-1", "3-1", "1-", "0-4096", "0 1", "1-2-3", "99999999999999999999"} {
		if got, err := parseCPUs(list); err == nil {
			t.Errorf("parseCPUs(%q) = %v, want an error", list, got)
		}
	}
}
