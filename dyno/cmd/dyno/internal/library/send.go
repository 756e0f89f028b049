package library

import (
	"context"
	"fmt"
	"os"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/archive/bucket"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/internal/i18n"
)

// Send copies a run into the archive and says so.
func Send(ctx context.Context, global *cli.Global, r *archive.Record, to *Library, out i18n.Printer) error {
	observe, end := Copying(global)
	sent, err := to.push(ctx, r, observe)
	end()
	if err != nil {
		return err
	}
	if sent == 0 {
		out.Print(i18n.New("library.already-pushed", "pushed  %s: it is in %s already", r.ID, to))
		return nil
	}
	out.Print(i18n.New("library.pushed-files", "pushed  %s to %s (%d files)", r.ID, to, sent))
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
