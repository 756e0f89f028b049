package request

import (
	"os"
	"path/filepath"
	"strings"

	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
)

// Order says which row of a feed comes next.
type Order string

// Orders of a [Feed].
const (
	InOrder Order = "in-order" // one row after the other, divided among the loops
	Random  Order = "random"   // any row each time
)

// End says what happens after the last row of a feed in order.
type End string

// Ends of a [Feed].
const (
	Repeat End = "repeat" // it starts again
	Stop   End = "stop"   // the load ends
)

// Feed is a file whose rows templates put into requests, as {{feed.NAME.COLUMN}}.
type Feed struct {
	Name  string `json:"name"`
	File  string `json:"file"`            // ends in .csv, .jsonl or .ndjson
	Order Order  `json:"order,omitempty"` // default InOrder
	End   End    `json:"end,omitempty"`   // default Repeat

	table *template.Table // once it was read
}

// Check reports what is wrong with the feed, or nil. It reads the file, once.
func (f *Feed) Check() error {
	if f.Name == "" || strings.ContainsAny(f.Name, " \t.\"{}") {
		return i18n.Errorf("request.bad-feed-name", "feed %q: a feed's name must not be empty nor hold spaces, dots, quotes or braces", f.Name)
	}
	if f.Order != "" && f.Order != InOrder && f.Order != Random {
		return i18n.Errorf("request.unknown-feed-order", "feed %s: order %q is neither %q nor %q", f.Name, f.Order, InOrder, Random)
	}
	if f.End != "" && f.End != Repeat && f.End != Stop {
		return i18n.Errorf("request.unknown-feed-end", "feed %s: end %q is neither %q nor %q", f.Name, f.End, Repeat, Stop)
	}
	if f.Order == Random && f.End == Stop {
		return i18n.Errorf("request.feed-random-never-stops", "feed %s: rows taken at random have no last one to stop after", f.Name)
	}
	if f.table != nil {
		return nil
	}
	table, err := readTable(f.File)
	if err != nil {
		return i18n.Errorf("request.feed", "feed %s: %w", f.Name, err)
	}
	f.table = table
	return nil
}

func readTable(path string) (*template.Table, error) {
	read := template.ReadCSV
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
	case ".jsonl", ".ndjson":
		read = template.ReadJSONL
	default:
		return nil, i18n.Errorf("request.feed-file-ending", "%s: a feed's file must end in .csv, .jsonl or .ndjson", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(path, f, template.DefaultMaxBytes)
}

// Environment is what the placeholders of templates can refer to: the feeds,
// whose files it reads unless that was done before, and the environment
// variables of this process.
func Environment(feeds []Feed) (*template.Env, error) {
	if len(feeds) > template.MaxFeeds {
		return nil, i18n.Errorf("request.too-many-feeds", "%d feeds are more than the %d that are allowed", len(feeds), template.MaxFeeds)
	}
	env := &template.Env{Getenv: os.LookupEnv}
	taken := make(map[string]bool)
	for i := range feeds {
		f := &feeds[i]
		if err := f.Check(); err != nil {
			return nil, err
		}
		if taken[f.Name] {
			return nil, i18n.Errorf("request.feed-named-twice", "two feeds are called %s", f.Name)
		}
		taken[f.Name] = true
		env.Feeds = append(env.Feeds, &template.Feed{Name: f.Name, Table: f.table, Random: f.Order == Random})
	}
	return env, nil
}
