package config

import (
	"testing"
	"time"
)

// What isn't said of a queue is its default, of plug-ins and of places.
func TestQueueDefaults(t *testing.T) {
	for text, want := range map[string]struct{ plugin, place Queue }{
		"{}":                   {Queue{1000, time.Second}, Queue{1000, 100 * time.Millisecond}},
		"{size: 5}":            {Queue{5, time.Second}, Queue{5, 100 * time.Millisecond}},
		"{wait: 2s}":           {Queue{1000, 2 * time.Second}, Queue{1000, 2 * time.Second}},
		"{size: 7, wait: 3ms}": {Queue{7, 3 * time.Millisecond}, Queue{7, 3 * time.Millisecond}},
	} {
		c, err := Parse("f.yaml", []byte("listen: 127.0.0.1:0\nplugins: {p: {wasm: ./p.wasm, queue: "+text+"}}\nroutes: [{concurrency: {most: 1, queue: "+text+"}, to: http://127.0.0.1:1}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Plugins[0].Queue; got != want.plugin {
			t.Errorf("%s of a plug-in: %+v", text, got)
		}
		if got := *c.Routes[0].Concurrency.Queue; got != want.place {
			t.Errorf("%s of a route: %+v", text, got)
		}
	}
}
