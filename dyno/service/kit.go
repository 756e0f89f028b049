package service

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"dyno.example/dyno/probe"
	"dyno.example/internal/i18n"
)

// kit is a running helper that talks to one server, by its driver. It ends when its input
// is closed, which the death of dyno does.
type kit struct {
	kind, url string
	mu        sync.Mutex // one order at a time
	cmd       *exec.Cmd
	in        *json.Encoder
	pipe      *os.File
	out       chan outcome  // closed when the helper has ended
	ended     chan struct{} // closed when it has, and said is whole
	said      head          // to its standard error
	abandoned bool
}

// head keeps the beginning of what is written.
type head struct{ bytes.Buffer }

const mostOfHead = 4 << 10

func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), mostOfHead-h.Len())])
	return len(p), nil
}

// order and outcome are the lines that a kit reads and writes.
type order struct {
	Do    string            `json:"do"`
	Text  string            `json:"text,omitempty"`
	Args  map[string]string `json:"args,omitempty"`
	Limit time.Duration     `json:"limit"` // ns
}

type outcome struct {
	Error   string         `json:"error"`
	Behind  int64          `json:"behind"` // with an error: bytes of its primary's log that a replica lacks
	Version string         `json:"version"`
	Reading *probe.Reading `json:"reading"`
}

// openKit starts the helper for a server of the kind at url.
func openKit(ctx context.Context, h *Host, kind, url string) (*kit, error) {
	folder, err := h.build(ctx, servicekit())
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(folder, "servicekit"), kind)
	cmd.Env = append(os.Environ(), "SERVICE_URL="+url)
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	k := &kit{kind: kind, url: url, cmd: cmd, in: json.NewEncoder(write), pipe: write, out: make(chan outcome, 1), ended: make(chan struct{})}
	cmd.Stdin, cmd.Stderr = read, &k.said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = startOn(cmd, h.CPUs)
	}
	if err != nil {
		write.Close()
		return nil, i18n.Errorf("service.starting-helper", "starting its helper: %w", err)
	}
	go func() {
		defer close(k.out)
		defer close(k.ended)
		lines := json.NewDecoder(bufio.NewReader(out))
		for {
			var o outcome
			if lines.Decode(&o) != nil {
				break
			}
			k.out <- o
		}
		_ = cmd.Wait() // what it had to say is in the outcomes
	}()
	return k, nil
}

// slack is how much later than its limit an outcome may be, on a machine that is busy, and
// farewell how long the helper has to end by itself.
const (
	slack    = 5 * time.Second
	farewell = time.Second
)

// send has an order carried out.
func (k *kit) send(ctx context.Context, o order) (outcome, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.in.Encode(o); err != nil {
		return outcome{}, k.gone()
	}
	late := time.NewTimer(o.Limit + slack)
	defer late.Stop()
	select {
	case done, ok := <-k.out:
		if !ok {
			return done, k.gone()
		}
		if done.Error == context.DeadlineExceeded.Error() {
			return done, i18n.Errorf("service.no-response-in-time", "no response within %v", o.Limit)
		}
		if done.Error != "" && done.Behind > 0 {
			return done, &behindError{errors.New(done.Error)}
		}
		if done.Error != "" {
			return done, errors.New(done.Error)
		}
		return done, nil
	case <-ctx.Done():
		k.abandon()
		return outcome{}, context.Cause(ctx)
	case <-late.C:
		k.abandon()
		return outcome{}, i18n.Errorf("service.no-answer-from-helper", "its helper gave no response in %v", o.Limit+slack)
	}
}

// gone is the error that the helper has ended, with what it has said.
func (k *kit) gone() error {
	<-k.ended
	if said := lastOf(k.said.Bytes()); said != "" {
		return i18n.Errorf("service.helper-ended", "its helper has ended: %v", said)
	}
	return i18n.Errorf("service.helper-gone", "its helper has ended")
}

// reopen starts the helper again if it has ended.
func (k *kit) reopen(ctx context.Context, h *Host) (*kit, error) {
	if k == nil {
		return nil, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.abandoned {
		<-k.ended
	}
	select {
	case <-k.ended:
		k.close()
		return openKit(ctx, h, k.kind, k.url)
	default:
		return k, nil
	}
}

// abandon ends a helper that owes an outcome: the next would be taken for it.
func (k *kit) abandon() {
	k.abandoned = true
	_ = k.cmd.Process.Kill()
	k.pipe.Close()
}

func (k *kit) do(ctx context.Context, o order) error {
	_, err := k.send(ctx, o)
	return err
}

// version is what the server says of itself.
func (k *kit) version(ctx context.Context) (string, error) {
	done, err := k.send(ctx, order{Do: "version", Limit: seedLimit})
	return done.Version, err
}

// read reads the statistics, within limit.
func (k *kit) read(limit time.Duration) (probe.Reading, error) {
	done, err := k.send(context.Background(), order{Do: "read", Limit: limit})
	if err != nil || done.Reading == nil {
		return probe.Reading{}, err
	}
	return *done.Reading, nil
}

// close ends the helper and waits for that. The nil kit has none.
func (k *kit) close() {
	if k == nil {
		return
	}
	k.pipe.Close()
	late := time.AfterFunc(farewell, func() { _ = k.cmd.Process.Kill() })
	defer late.Stop()
	for range k.out { // until it is closed
	}
}
