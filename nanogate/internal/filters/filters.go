// Package filters has the filters that are each all in one file: settings, how they are
// read, what they do. [All] is the list of them. How to write one is in
// nanogate/docs/design/filters.md.
package filters

import (
	"dyno.example/internal/yamlfile"
	"dyno.example/nanogate/internal/filter"
)

// All are these filters. Within their phase requests come to them in this order, after those
// of the table in nanogate/internal/snapshot/filters.go.
var All = []Kind{
	requestID,
}

// Kind is a kind of filter.
type Kind struct {
	Name  string       // of the field of a route that asks for it
	Doc   string       // what it does and its settings, for the list of fields; Markdown of one line
	Phase filter.Phase // where requests come to it

	// Reveals says that it knows who asks, so that a response to a request that it let
	// pass may be for that client only, and isn't stored.
	Reveals bool

	// Read reads the settings, and notes in the file what is wrong with them. The filter
	// is made when a route with them is.
	Read func(p yamlfile.Place) Maker
}

// Maker makes a filter by settings that were read. An error makes its route respond with
// 503.
type Maker func() (filter.Filter, error)
