package gatewayapi

import (
	"fmt"
	"time"
)

// keptRoutes is what was served last, as it is kept on disk: routes and upstreams, and
// nothing of Secrets.
type keptRoutes struct {
	Version  int       `json:"version"`
	From     string    `json:"from"` // for who looks at it
	Read     time.Time `json:"read"` // when it was so
	Document string    `json:"document"`
}

const keptVersion = 1

// keepAgain is how long the file tells a time before that, though nothing has changed.
const keepAgain = time.Hour

// keep has what is served kept on disk, as what there is by a reading of now.
func (f *Follower) keep(changed bool) {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status.Stored, f.status.Read = false, time.Time{}
	if !changed && now.Sub(f.keptAt) < keepAgain {
		return
	}
	f.keptAt = now
	f.later.Save(&keptRoutes{Version: keptVersion, From: f.status.From, Read: now.UTC(), Document: string(f.served)})
}

// recall has served what an earlier run did, unless something is served already: the API
// server can't be read, or takes its time.
func (f *Follower) recall() {
	if f.served != nil {
		return
	}
	var kept keptRoutes
	there, err := f.file.Load(&kept)
	if there && err == nil && kept.Version != keptVersion {
		err = fmt.Errorf("%s: expected version %d, got %d", f.file.Name(), keptVersion, kept.Version)
	}
	if there && err == nil {
		err = f.apply([]byte(kept.Document))
	}
	switch {
	case err != nil:
		f.say("recall", "routes as they were known can't be served", err.Error())
	case there:
		f.served = []byte(kept.Document)
		f.log.Warn("routes as they were known are served, until Kubernetes is read", "from", f.status.From, "read", kept.Read, "age", time.Since(kept.Read).Round(time.Second))
		f.mu.Lock()
		defer f.mu.Unlock()
		f.status.Stored, f.status.Read = true, kept.Read
	}
}
