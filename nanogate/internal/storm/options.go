//go:build linux

package storm

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Options are what a run is made of.
type Options struct {
	Gate     string        // the nanogate that is driven: a file
	Seed     uint64        // what everything is drawn from
	For      time.Duration // the load; what follows takes some seconds more
	Clients  int           // at once
	Loops    int           // event loops of the gateway
	Features []string      // of AllFeatures
	Faults   []string      // of AllFaults
	Share    float64       // of the requests have a fault
	Show     int           // violations of each kind that are shown
	Folder   string        // where the gateway's files are
	Log      io.Writer     // what happens, as it does
}

// AllFeatures is what may be switched on: kinds of clients and of endpoints, features of
// routes, faults of peers, and what happens to the gateway.
var AllFeatures = []string{
	"c1", "c1tls", "pipe", "c2", "c2tls", "grpc", "web", "json", "ws", "wstls", "ws2",
	"h1", "h1s", "h2c", "h2s",
	"retry", "hedge", "mirror", "cache", "limits", "canary", "weights", "host", "plugins", "expect", "trailers", "interims", "early", "duplex",
	"faults", "kills", "abort", "slow", "greet", "streams", "windows", "tiny",
	"reload", "drain",
}

// AllFaults is what upstreams may do to a request.
var AllFaults = []string{
	"refused", "goaway0", "rst-head", "close-head", "cut-head",
	"rst-body", "close-body", "goaway", "graceful",
	"rst-response", "close-response", "cut-response",
	"close-after", "cut-after", "goaway-after", "status",
}

// Select is which of all names are meant by those that are wanted (all if none are named)
// and those that aren't.
func Select(all []string, only, not string) ([]string, error) {
	var list []string
	names := func(text string) (list []string, err error) {
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			if !slices.Contains(all, name) {
				return nil, fmt.Errorf("%q is none of %s", name, strings.Join(all, ", "))
			}
			list = append(list, name)
		}
		return list, nil
	}
	wanted, err := names(only)
	if err != nil {
		return nil, err
	}
	unwanted, err := names(not)
	if err != nil {
		return nil, err
	}
	for _, name := range all {
		if (len(wanted) == 0 || slices.Contains(wanted, name)) && !slices.Contains(unwanted, name) {
			list = append(list, name)
		}
	}
	return list, nil
}
