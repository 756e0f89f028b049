//go:build linux

// Command storm drives a built nanogate with everything at once and says what doesn't hold.
//
//	go build -o /tmp/nanogate ./nanogate/cmd/nanogate
//	go run ./nanogate/internal/storm/cmd/storm -gate /tmp/nanogate -seed 1 -seconds 10
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"dyno.example/nanogate/internal/storm"
)

func main() {
	var o storm.Options
	var only, not, faults string
	var seconds float64
	seeds := flag.Int("seeds", 1, "runs, one after the other, with this seed and the following ones")
	flag.StringVar(&o.Gate, "gate", "nanogate", "the nanogate that is driven: a file")
	flag.Uint64Var(&o.Seed, "seed", 1, "what everything is drawn from")
	flag.Float64Var(&seconds, "seconds", 5, "of load, each run")
	flag.IntVar(&o.Clients, "clients", 24, "clients at once")
	flag.IntVar(&o.Loops, "loops", 2, "event loops of the gateway")
	flag.StringVar(&only, "features", "", "which ones, of those that -list shows; all without it")
	flag.StringVar(&not, "not", "", "features that are switched off")
	flag.StringVar(&faults, "faults", "", "what upstreams do wrong, of those that -list shows; all without it")
	flag.Float64Var(&o.Share, "share", 0.1, "of the requests that have a fault")
	flag.IntVar(&o.Show, "show", 3, "violations of each kind that are shown")
	flag.StringVar(&o.Folder, "folder", "", "keep the gateway's configuration, log and access log in this folder")
	list := flag.Bool("list", false, "list features and faults")
	flag.Parse()
	if *list {
		fmt.Println("features:", storm.AllFeatures, "\nfaults:", storm.AllFaults)
		return
	}
	o.For = time.Duration(seconds * float64(time.Second))
	var err, err2 error
	o.Features, err = storm.Select(storm.AllFeatures, only, not)
	if o.Faults, err2 = storm.Select(storm.AllFaults, faults, ""); err == nil {
		err = err2
	}
	if err == nil && o.Folder != "" {
		err = os.MkdirAll(o.Folder, 0o700)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "storm:", err)
		os.Exit(2)
	}
	failed := false
	for range *seeds {
		report, err := storm.Run(o)
		if err != nil {
			fmt.Fprintln(os.Stderr, "storm:", err)
			os.Exit(2)
		}
		report.WriteTo(os.Stdout)
		failed = failed || report.Failed()
		o.Seed++
	}
	if failed {
		os.Exit(1)
	}
}
