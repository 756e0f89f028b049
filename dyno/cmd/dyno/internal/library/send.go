package library

import (
	"context"
	"fmt"
	"io"
	"os"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/archive/bucket"
	"dyno.example/dyno/cmd/dyno/internal/cli"
)

// Send copies a run into the archive and says so.
func Send(ctx context.Context, global *cli.Global, r *archive.Record, to *Library, out io.Writer) error {
	observe, end := Copying(global)
	sent, err := to.push(ctx, r, observe)
	end()
	if err != nil {
		return err
	}
	if sent == 0 {
		fmt.Fprintf(out, "pushed  %s: it is in %s already\n", r.ID, to)
		return nil
	}
	fmt.Fprintf(out, "pushed  %s to %s (%d files)\n", r.ID, to, sent)
	return nil
}

// Copying shows how far a copy has come, on a terminal; end clears that.
func Copying(global *cli.Global) (observe func(bucket.Progress), end func()) {
	if !global.LiveLines() {
		return nil, func() {}
	}
	observe = func(p bucket.Progress) { fmt.Fprintf(os.Stderr, "\r\x1b[K%d/%d %s", p.Done, p.Total, p.File) }
	return observe, func() { fmt.Fprint(os.Stderr, "\r\x1b[K") }
}
