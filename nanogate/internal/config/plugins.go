package config

import (
	"encoding/json"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Plugin is a plug-in in WebAssembly, which routes use by its name.
type Plugin struct {
	At     At
	Name   string
	Text   string // all of it but its place: two of the same text are the same
	File   string // of the module
	SHA256 string // of the file, in hexadecimal; "": any
	Config []byte // that the plug-in reads: what stands in the file as JSON, or the text that it is

	Time      time.Duration // that one call may take
	Memory    int64         // bytes of one instance
	Instances int           // at once; 0: half as many as CPUs
	Queue     Queue         // of requests that wait for one
	Body      int64         // bytes of a body that it may read or write
	Pass      bool          // what it fails to look at goes on as if there were no plug-in
}

var pluginFields = []known[Plugin]{
	// The module. Default: required
	{"wasm", func(g *Plugin, p place) { g.File = p.path() }},
	// Of the module, in hexadecimal. Default: any
	{"sha256", func(g *Plugin, p place) { g.SHA256 = readSHA256(p) }},
	// What the plug-in reads: a text as it is, anything else as JSON. Value: anything. Default: none
	{"config", func(g *Plugin, p place) { g.Config = readPluginConfig(p) }},
	// How long one call may take.
	{"time", func(g *Plugin, p place) { g.Time = p.Duration(time.Millisecond, 10*time.Second) }},
	// Memory of one instance.
	{"memory", func(g *Plugin, p place) { g.Memory = p.size(64<<10, 1<<30) }},
	// Instances at once. Default: half as many as CPUs
	{"instances", func(g *Plugin, p place) { g.Instances = p.Integer(1, 1000) }},
	// Requests that wait for an instance.
	{"queue", func(g *Plugin, p place) { g.Queue = *readQueue(p, g.Queue) }},
	// Bytes of a body that it may read or write.
	{"body", func(g *Plugin, p place) { g.Body = p.size(0, 64<<20) }},
	// Whether what the plug-in failed to look at is refused, or passes as if there were no plug-in.
	// Default: `refuse`
	{"on-failure", func(g *Plugin, p place) { g.Pass = p.word("refuse", "pass") == "pass" }},
}

func (c *Config) readPlugins(p place) {
	for _, f := range p.fields() {
		g := &Plugin{At: f.named.At(), Name: f.key, Text: p.in.text(f.value.Node), Time: 50 * time.Millisecond, Memory: 16 << 20,
			Queue: Queue{Size: 1000, Wait: time.Second}, Body: 1 << 20}
		found := readFields(f.value, g, pluginFields)
		if at, ok := found["wasm"]; ok {
			g.At = at.At()
		} else if f.value.IsMapping() {
			f.named.Problem("such as plugins: {auth: {wasm: ./auth.wasm}}", "a plug-in is a WebAssembly module, and this one has none")
		}
		c.Plugins = append(c.Plugins, g)
	}
}

// PluginsText is all that the file says of plug-ins.
func (c *Config) PluginsText() string {
	var b strings.Builder
	for _, g := range c.Plugins {
		b.WriteString(g.Name + " " + g.Text + "\n")
	}
	return b.String()
}

func readSHA256(p place) string {
	text := strings.ToLower(p.text())
	if text != "" && (len(text) != 64 || strings.Trim(text, "0123456789abcdef") != "") {
		p.Problem("as sha256sum prints it", "expected a SHA-256 as 64 hexadecimal digits, got %s", form.Quote(text))
	}
	return text
}

// readPluginConfig makes JSON of what stands there; a text is taken as it is.
func readPluginConfig(p place) []byte {
	n := p.Resolved()
	if text, ok := p.Scalar(); ok && n.ShortTag() == "!!str" {
		return []byte(text)
	}
	var value any
	err := n.Decode(&value)
	var b []byte
	if err == nil {
		b, err = json.Marshal(value)
	}
	if err != nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		p.Problem("use texts as names, and texts, numbers, booleans, lists and mappings as values", "expected what can be written as JSON, or a text")
	}
	return b
}
