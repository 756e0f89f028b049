// Servicekit is dyno's client of the services that subjects stand on: it knows when one is
// ready, fills and resets it, and reads its statistics. It is a program of its own, so that
// the drivers of databases are in nobody's dyno who has no use of them.
//
// It is started as "servicekit KIND", takes the service's address from SERVICE_URL, reads
// orders from its input, one JSON object a line, and writes a JSON object for each. It ends
// when its input does.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// service is one that can be talked to. Its methods are called one after the other.
type service interface {
	// ready returns nil if it responds to what it is there for.
	ready(ctx context.Context) error
	// run executes what the text says, in the service's own language.
	run(ctx context.Context, text string) error
	// do carries out what only this kind knows.
	do(ctx context.Context, what string, args map[string]string) error
	// read reads its statistics.
	read(ctx context.Context) (reading, error)
	version(ctx context.Context) (string, error)
}

// reading is what a service tells of itself. Counters only grow, as long as it runs.
type reading struct {
	Counters map[string]float64 `json:"counters,omitempty"`
	Gauges   map[string]float64 `json:"gauges,omitempty"`
}

// order is a line of the input.
type order struct {
	Do    string            `json:"do"` // ready, run, read, version, or what the kind knows
	Text  string            `json:"text,omitempty"`
	Args  map[string]string `json:"args,omitempty"`
	Limit time.Duration     `json:"limit"` // ns
}

// outcome is a line of the output.
type outcome struct {
	Error   string   `json:"error,omitempty"`
	Behind  int64    `json:"behind,omitempty"` // with an error: bytes of its primary's log that a replica lacks
	Version string   `json:"version,omitempty"`
	Reading *reading `json:"reading,omitempty"`
}

// maxOrder bounds an order, in bytes: a file to seed with is one.
const maxOrder = 64 << 20

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "servicekit:", err)
		os.Exit(1)
	}
}

func serve() error {
	if len(os.Args) != 2 {
		return errors.New("servicekit is for dyno's own use")
	}
	s, err := open(os.Args[1], os.Getenv("SERVICE_URL"))
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxOrder)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		if err := out.Encode(carryOut(s, &o)); err != nil {
			return err
		}
	}
	return lines.Err()
}

func open(kind, url string) (service, error) {
	switch kind {
	case "postgres":
		return &postgres{url: url}, nil
	case "redis":
		return openRedis(url)
	case "kafka":
		return openKafka(url)
	}
	return nil, fmt.Errorf("no kind of service is called %q", kind)
}

func carryOut(s service, o *order) (done outcome) {
	ctx, cancel := context.WithTimeout(context.Background(), o.Limit)
	defer cancel()
	var err error
	switch o.Do {
	case "ready":
		err = s.ready(ctx)
	case "run":
		err = s.run(ctx, o.Text)
	case "version":
		done.Version, err = s.version(ctx)
	case "read":
		var r reading
		if r, err = s.read(ctx); err == nil {
			done.Reading = &r
		}
	default:
		err = s.do(ctx, o.Do, o.Args)
	}
	if err != nil {
		done.Error = err.Error()
		var behind behindError
		if errors.As(err, &behind) {
			done.Behind = int64(behind)
		}
	}
	return done
}
