//go:build linux

package admin

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"dyno.example/nano"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/snapshot"
)

// Changed is what a change does, or would do.
type Changed struct {
	Version  int             `json:"version"` // that is served now
	Applied  bool            `json:"applied"`
	Changes  []config.Change `json:"changes"`
	Problems []string        `json:"problems,omitempty"` // why it isn't applied
	Restart  []string        `json:"restart,omitempty"`  // parts that take a restart
}

// Version is a configuration that is served, or was.
type Version struct {
	Number int       `json:"version"`
	At     time.Time `json:"at"`
	By     string    `json:"by"`
	Routes int       `json:"routes"`
}

// versionsOf returns the versions that are kept, the one that is served last.
func versionsOf(g *gateway.Gateway) (all []Version) {
	for _, v := range g.Versions() {
		all = append(all, Version{v.Number, v.At, v.By, v.Routes})
	}
	return all
}

// put takes a configuration: with ?dry-run it only says what would change. If-Match
// says which version it was made from.
func put(g *gateway.Gateway) nano.Handler {
	return func(c nano.Ctx) error {
		version, err := matched(c)
		if err != nil {
			return err
		}
		body, err := c.Body()
		if err != nil {
			return err
		}
		dry := len(c.Query("dry-run")) > 0 || string(c.RawQuery()) == "dry-run"
		now := g.Snapshot().Config
		next, err := config.ParseIn(now.Dir, now.Path, append([]byte(nil), body...))
		if problems := (config.Problems)(nil); errors.As(err, &problems) {
			return c.JSON(422, refused(g, problems))
		} else if err != nil {
			return err
		}
		return change(c, g, next, version, "admin", dry)
	}
}

// rollback goes back to a version: the one of {"to": number}, or the one before.
func rollback(g *gateway.Gateway) nano.Handler {
	return func(c nano.Ctx) error {
		version, err := matched(c)
		if err != nil {
			return err
		}
		body, err := c.Body()
		if err != nil {
			return err
		}
		var asked struct {
			To  int  `json:"to"`
			Dry bool `json:"dry-run"`
		}
		if len(body) > 0 {
			if err := json.Unmarshal(body, &asked); err != nil {
				return nano.NewProblem(400, `expected {"to": version}, or nothing`).Because(err)
			}
		}
		next, number, err := g.Config(asked.To)
		if err != nil {
			return nano.NewProblem(404, err.Error())
		}
		return change(c, g, next, version, "rollback to "+strconv.Itoa(number), asked.Dry)
	}
}

// change applies a configuration, or says what it would do. A configuration with a
// route that can't be built isn't applied: its sender can mend it.
func change(c nano.Ctx, g *gateway.Gateway, next *config.Config, version int, by string, dry bool) error {
	if problems := snapshot.Check(next, g.Middleware()); len(problems) > 0 {
		return c.JSON(422, refused(g, problems))
	}
	changes := config.Diff(g.Snapshot().Config, next)
	if changes == nil {
		changes = []config.Change{}
	}
	if !dry {
		if _, err := g.ApplyTo(version, next, by); err != nil {
			return nano.NewProblem(412, err.Error())
		}
	}
	return c.JSON(200, Changed{Version: g.Version(), Applied: !dry, Changes: changes, Restart: gateway.Restarts(changes)})
}

func refused(g *gateway.Gateway, problems config.Problems) Changed {
	r := Changed{Version: g.Version(), Changes: []config.Change{}}
	for _, p := range problems {
		r.Problems = append(r.Problems, p.String())
	}
	return r
}

// matched reads If-Match; 0: any version.
func matched(c nano.Ctx) (int, error) {
	tag := string(c.Header("If-Match"))
	if tag == "" || tag == "*" {
		return 0, nil
	}
	n, err := strconv.Atoi(tag[min(1, len(tag)):max(len(tag)-1, 1)])
	if err != nil || n < 1 || tag != etag(n) {
		return 0, nano.NewProblem(400, `expected If-Match: "version", such as "3"`)
	}
	return n, nil
}

func etag(version int) string { return `"` + strconv.Itoa(version) + `"` }
