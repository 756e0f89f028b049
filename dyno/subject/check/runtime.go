package check

import (
	"context"
	"fmt"
	"maps"
	"time"

	"dyno.example/dyno/probe"
)

// patience is how long a runtime may take to report, when its subject has served
// requests already.
const patience = 10 * time.Second

// reported returns the figures that a subject's runtime reports. None, though its manifest
// says so, is an error.
func reported(ctx context.Context, runtime *probe.RuntimeListener) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		totals, err := runtime.Sample(ctx)
		if err == nil {
			return totals.Reported(), nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("its runtime does not tell, though its manifest says so (probe): %w", err)
		}
	}
}

// withAll is a copy of env that has others too, which win.
func withAll(env, others map[string]string) map[string]string {
	all := maps.Clone(env)
	if all == nil {
		all = make(map[string]string)
	}
	maps.Copy(all, others)
	return all
}
