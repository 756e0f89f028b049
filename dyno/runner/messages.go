package runner

import (
	"context"
	"time"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// What is sent to a subject of messages before a trial, to see that it responds at all.
const (
	askedMessages = 2 // of each kind, on one connection
	listenedFor   = 50 * time.Millisecond
)

// verifyMessages exchanges each kind of message of a cell with a subject twice, or opens
// the stream that the cell listens to.
func verifyMessages(ctx context.Context, url string, secure request.TLS, cell *study.Cell) error {
	for _, r := range cell.SizedRequests() {
		spec := load.Spec{
			Target: url, TLS: secure, Requests: []request.Request{r}, Feeds: cell.Feeds, Timeout: cell.Timeout, Link: cell.Link,
			Profile: profile.Profile{Mode: profile.Closed, Connections: 1}, Seed: 1, MaxRequests: askedMessages,
		}
		if cell.Link.Listens() {
			spec.MaxRequests, spec.Duration = 0, listenedFor
		}
		result, err := load.Run(ctx, spec)
		if ctx.Err() != nil {
			return i18n.Errorf("runner.verify-subject", "verify the subject at %s: %w", url, context.Cause(ctx))
		}
		if err != nil {
			return err
		}
		for i := range result.Windows {
			for _, e := range result.Windows[i].Errors.ByKind() {
				if e.Count > 0 {
					return i18n.Errorf("runner.wrong-response", "it does not respond as it must (%s): %s: %s", r.Name, e.Kind, result.FirstErrors[e.Kind])
				}
			}
		}
	}
	return nil
}
