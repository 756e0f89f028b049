package config

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mask stands in place of a secret where a configuration is shown.
const mask = "(hidden)"

// Secrets belong in files that a configuration names. What a file holds all the same is
// recognised by the name it stands under: credentials that are sent to upstreams or
// compared in a match, and passwords.
var (
	secretField = regexp.MustCompile(`(?i)authorization|cookie|token|secret|passw|credential|signature|api-?_?key|private`)
	secretKey   = regexp.MustCompile(`(?i)^(password|passwd|passphrase|token|credentials?)$`)
)

// fieldMaps are where keys are the names of header fields or of parameters.
var fieldMaps = map[string]bool{"set": true, "add": true, "headers": true, "query": true, "cookies": true}

// masked returns a text of the configuration, YAML on one line, without its secrets.
// name is what it stands under.
func masked(name, text string) string {
	if !secretField.MatchString(text) && !secretKey.MatchString(name) {
		return text
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		return mask // it can't be looked through
	}
	hide(doc.Content[0], name)
	return string(appendText(nil, doc.Content[0]))
}

// hide masks secrets below a node that stands under a name.
func hide(n *yaml.Node, under string) {
	if n.Kind != yaml.MappingNode {
		for _, c := range n.Content {
			hide(c, under)
		}
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		if fieldMaps[under] && secretField.MatchString(key) || secretKey.MatchString(key) && !isFile(value) {
			n.Content[i+1] = &yaml.Node{Kind: yaml.ScalarNode, Value: mask}
			continue
		}
		hide(value, key)
	}
}

// isFile reports whether a value is a path, which is where secrets should be.
func isFile(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (strings.HasPrefix(n.Value, "/") || strings.HasPrefix(n.Value, "./"))
}
