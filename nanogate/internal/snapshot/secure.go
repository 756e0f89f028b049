package snapshot

import (
	"context"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/upstream"
)

// secured makes the TLS with an upstream's endpoints, of which any may turn out to want
// it.
func secured(c *config.Upstream, parts *upstream.Parts) error {
	client, err := secure.NewClient(c.TLS)
	if err != nil {
		return err
	}
	parts.Secure = client
	parts.Watchers = append(parts.Watchers, watched{client})
	return nil
}

// watched has files looked at as long as an upstream is there.
type watched struct{ client *secure.Client }

func (w watched) Watch(ctx context.Context, _ *upstream.Upstream) { w.client.Watch(ctx) }
