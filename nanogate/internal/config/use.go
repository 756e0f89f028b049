package config

import (
	"encoding/json"
	"strings"
)

// Use is a middleware that a route's requests pass through.
type Use struct {
	At       At
	Name     string
	Settings []byte // JSON, for the middleware; nil: none
}

// mostUses bounds how many middleware a request passes through, and mostSettings the bytes
// that each is told.
const (
	mostUses     = 32
	mostSettings = 64 << 10
)

// readUses reads names of middleware, in the order in which requests pass through them, or
// {name: settings}.
func readUses(p place) (uses []Use) {
	items := []place{p} // one by itself
	if !p.IsMapping() {
		items = p.list()
	}
	if len(items) > mostUses {
		p.Problem("", "expected at most %d, got %d", mostUses, len(items))
		return nil
	}
	for _, item := range items {
		if !item.IsMapping() {
			uses = append(uses, Use{At: item.At(), Name: item.text()})
			continue
		}
		fields := item.fields()
		if len(fields) != 1 {
			item.Problem(`such as [stamp, {quota: {each: 100}}]`, "expected the name of a middleware with its settings, got %d names", len(fields))
			continue
		}
		u := Use{At: fields[0].named.At(), Name: fields[0].key}
		var settings any
		if err := fields[0].value.Node.Decode(&settings); err != nil {
			fields[0].value.Problem("", "expected settings that JSON can hold: %s", strings.TrimPrefix(err.Error(), "yaml: "))
			continue
		}
		var err error
		if u.Settings, err = json.Marshal(settings); err != nil || len(u.Settings) > mostSettings {
			fields[0].value.Problem("", "expected settings that JSON can hold, in %d bytes at most", mostSettings)
			continue
		}
		uses = append(uses, u)
	}
	return uses
}
