package explaincmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/evidence/live"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// liveFlags say what is watched, and how.
type liveFlags struct {
	pid, port int
	every     time.Duration
	length    time.Duration // 0: until it is interrupted
}

func (f *liveFlags) check() error {
	switch {
	case f.pid < 1:
		return i18n.Errorf("explaincmd.no-process-number", "--live %d: it takes the number of a process", f.pid)
	case f.port < 0 || f.port > 65535:
		return i18n.Errorf("explaincmd.no-port-number", "--port %d: it must be from 1 to 65535", f.port)
	case f.every < time.Second || f.every > time.Hour:
		return i18n.Errorf("explaincmd.every-too-short", "--every %v: it must be from 1s to 1h", f.every)
	case f.length < 0:
		return i18n.Errorf("explaincmd.for-below-zero", "--for %v: it must not be below 0", f.length)
	}
	return nil
}

// watchLive shows what a process's requests wait for until it ends, or the user has seen
// enough, which is no failure.
func watchLive(ctx context.Context, global *cli.Global, f *liveFlags) error {
	if err := f.check(); err != nil {
		return cli.UsageError(err)
	}
	port, err := f.choosePort()
	if err != nil {
		return err
	}
	w, err := live.Watch(f.pid, port)
	if err != nil {
		return i18n.Errorf("explaincmd.cant-watch", "process %d can't be watched: %w", f.pid, err)
	}
	defer w.Close()
	if !global.Quiet {
		global.Err().Print(i18n.New("explaincmd.watching", "watching process %d on port %d; Ctrl-C ends it, and leaves nothing in the kernel", f.pid, port))
	}
	screen := cli.Width() > 0 && !global.Plain
	for end := time.Now().Add(f.length); f.length == 0 || time.Now().Before(end); {
		v, err := w.Next(ctx, f.every)
		switch {
		case errors.Is(err, live.ErrGone):
			return i18n.Errorf("explaincmd.process-ended", "process %d has ended", f.pid)
		case err != nil:
			return nil
		}
		if err := showLive(global.Texts(), &v, cli.TableWidth(), screen); err != nil {
			return err
		}
	}
	return nil
}

// choosePort is the port to watch: the one that the process listens on if none is named.
func (f *liveFlags) choosePort() (int, error) {
	if f.port > 0 {
		return f.port, nil
	}
	switch ports := live.Ports(f.pid); len(ports) {
	case 0:
		return 0, i18n.Errorf("explaincmd.listens-nowhere", "process %d listens on no TCP port, or isn't there, or isn't yours to look at; if another process listens for it, name the port with --port", f.pid)
	case 1:
		return ports[0], nil
	default:
		return 0, cli.UsageError(i18n.Errorf("explaincmd.several-ports", "process %d listens on the ports %s: choose one with --port", f.pid, strings.Trim(fmt.Sprint(ports), "[]")))
	}
}

// showLive writes a view to standard output, on a screen in the place of the last.
func showLive(t report.Texts, v *live.View, width int, screen bool) error {
	var b strings.Builder
	if screen {
		b.WriteString("\x1b[H\x1b[2J")
	}
	b.WriteString(liveText(t, v, width))
	_, err := os.Stdout.WriteString(b.String())
	return err
}

func liveText(t report.Texts, v *live.View, width int) string {
	var b strings.Builder
	fmt.Fprintln(&b, t.Say(i18n.New("explaincmd.live-head", "%s requests a second; from first byte in to last byte out p50 %s, p99 %s", report.Quantity("", float64(v.Requests)/v.Took.Seconds()), took(v.Median), took(v.P99))))
	if v.Open > 0 {
		fmt.Fprintln(&b, t.Say(i18n.New("explaincmd.live-open", "%d without a response so far, the oldest for %s", v.Open, took(v.Oldest))))
	}
	if v.Incomplete > 0 {
		fmt.Fprintln(&b, t.Say(i18n.New("explaincmd.live-incomplete", "events are missing of %d of the %d that were looked at", v.Incomplete, v.Slowest+v.Drawn)))
	}
	if len(v.Stages) > 0 {
		rows := [][]string{{t.Say(i18n.New("explaincmd.head-stage", "STAGE")), t.Say(i18n.New("explaincmd.head-slowest", "SLOWEST %d", v.Slowest)), t.Say(i18n.New("explaincmd.head-any", "ANY %d", v.Drawn)), t.Say(i18n.New("explaincmd.head-what", "WHAT"))}}
		for _, s := range v.Stages {
			rows = append(rows, []string{string(s.Stage), took(s.Slow), took(s.All), report.TerminalText(s.What)})
		}
		b.WriteString("\n")
		report.TerminalTable(&b, "", rows, width)
	}
	if len(v.Connections) > 0 {
		rows := [][]string{{t.Say(i18n.New("explaincmd.head-connection", "CONNECTION")), t.Say(i18n.New("explaincmd.head-requests", "REQUESTS")), t.Say(i18n.New("explaincmd.head-mean", "MEAN")), t.Say(i18n.New("explaincmd.head-worst", "WORST")), t.Say(i18n.New("explaincmd.head-most", "MOST OF IT"))}}
		for _, c := range v.Connections {
			rows = append(rows, []string{c.Name, fmt.Sprint(c.Requests), took(c.Mean), took(c.Worst), string(c.Most)})
		}
		b.WriteString("\n")
		report.TerminalTable(&b, "", rows, width)
	}
	b.WriteString("\n")
	return b.String()
}

func took(d time.Duration) string { return report.Quantity("µs", float64(d)/1e3) }

// onlyLive are the flags that go with --live only.
var onlyLive = []string{"port", "every", "for"}

// notLive are the flags that don't go with it.
var notLive = []string{"out", "subject", "load", "json", "test", "keep-going"}

// clash is the error for flags that don't go together; changed says which are given.
func clash(isLive bool, changed func(string) bool) error {
	if isLive {
		if at := slices.IndexFunc(notLive, changed); at >= 0 {
			return i18n.Errorf("explaincmd.not-with-live", "--%s doesn't go with --live", notLive[at])
		}
		return nil
	}
	if at := slices.IndexFunc(onlyLive, changed); at >= 0 {
		return i18n.Errorf("explaincmd.only-with-live", "--%s goes with --live only", onlyLive[at])
	}
	return nil
}
