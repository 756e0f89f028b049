package config

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mask stands in place of a secret where a configuration is shown.
const mask = "(hidden)"

// Secrets belong in files that a configuration names. What a file holds all the same is
// recognised by the name it stands under, such as credentials that are sent to upstreams or
// compared in a match, and passwords; by the place, as what upstreams are told may be how
// they know the gateway; and by what it looks like.
var (
	secretField = regexp.MustCompile(`(?i)authorization|cookie|token|secret|passw|passphrase|credential|signature|assertion|session|bearer|api-?_?key|[-_]key$|private|^(key|sig|auth|code|jwt|pwd|pass|sid|otp)$`)
	secretKey   = regexp.MustCompile(`(?i)^(password|passwd|passphrase|token|credentials?|client-secret)$`)

	// secretText is what credentials look like, whatever they stand under: schemes of
	// Authorization, JSON Web Tokens, keys of common services, and long random texts.
	secretText = regexp.MustCompile(`(?i:^(?:bearer|basic|token|apikey|digest) +\S+)|eyJ[\w-]{8,}(?:\.[\w-]+)*|\b(?:sk|pk|rk)_(?:live|test)_\w+|\bgh[pousr]_\w{20,}|\bglpat-[\w-]{10,}|\bxox[abprs]-[\w-]+|\bA[KS]IA[0-9A-Z]{16}|\bAIza[\w-]{30,}|-----BEGIN [A-Z ]*PRIVATE KEY|\b[0-9a-fA-F]{32,}\b`)

	secretPair = regexp.MustCompile(`([?&;])([^=&;?#]+)=([^&;#]*)`)
	userinfo   = regexp.MustCompile(`(://)[^/@\s"']+@`)
	literal    = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`)

	// suspect is a text of the configuration that is worth looking through.
	suspect = regexp.MustCompile(`(?i)authorization|cookie|token|secret|passw|credential|signature|assertion|session|bearer|key|private|request-headers|rules|[?@]|://|basic |eyj|ghp_|glpat|xox|akia|asia|aiza|[0-9a-f]{32}|_(live|test)_`)
)

// fieldMaps are where keys are the names of header fields or of parameters.
var fieldMaps = map[string]bool{"set": true, "add": true, "headers": true, "query": true, "cookies": true}

// masked returns a text of the configuration, YAML on one line, without its secrets.
// name is what it stands under.
func masked(name, text string) string {
	if !suspect.MatchString(text) && !secretKey.MatchString(name) {
		return text
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		return mask // it can't be looked through
	}
	hide(doc.Content[0], name, "")
	return string(appendText(nil, doc.Content[0]))
}

// hide masks secrets below a node that stands under a name, which stands under another.
func hide(n *yaml.Node, under, above string) {
	switch n.Kind {
	case yaml.ScalarNode:
		n.Value = withoutSecrets(n.Value, under)
		return
	case yaml.MappingNode:
	default:
		for _, c := range n.Content {
			hide(c, under, above)
		}
		return
	}
	told := above == "request-headers" && (under == "set" || under == "add")
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		switch {
		case told, fieldMaps[under] && secretField.MatchString(key), secretKey.MatchString(key) && !isFile(value):
			n.Content[i+1] = &yaml.Node{Kind: yaml.ScalarNode, Value: mask}
		case under == "rules" && (key == "require" || key == "deny"):
			hide(value, under, above)
		default:
			hide(value, key, under)
		}
	}
}

// withoutSecrets returns a text without what looks like a secret in it.
func withoutSecrets(text, under string) string {
	text = userinfo.ReplaceAllString(text, "${1}"+mask+"@")
	if strings.Contains(text, "?") {
		text = secretPair.ReplaceAllStringFunc(text, func(pair string) string {
			name, _, _ := strings.Cut(pair, "=")
			if !secretField.MatchString(name[1:]) {
				return pair
			}
			return name + "=" + mask
		})
	}
	if under == "rules" {
		return literal.ReplaceAllStringFunc(text, func(quoted string) string {
			if inner := quoted[1 : len(quoted)-1]; !shared(inner) {
				return quoted
			}
			return quoted[:1] + mask + quoted[:1]
		})
	}
	return secretText.ReplaceAllString(text, mask)
}

// shared reports whether a text that a rule compares with may be a secret that clients know:
// it is long and no word, address, path or name.
func shared(text string) bool {
	if secretText.MatchString(text) {
		return true
	}
	digits := strings.ContainsAny(text, "0123456789")
	letters := strings.ContainsFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	return len(text) >= 8 && digits && letters && !strings.ContainsAny(text, "/.: ")
}

// isFile reports whether a value is a path, which is where secrets should be.
func isFile(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (strings.HasPrefix(n.Value, "/") || strings.HasPrefix(n.Value, "./"))
}

// Shown is what a condition wants, without a secret.
func (c *Condition) Shown() string {
	if c.Kind == Equals || c.Kind == Begins {
		if secretField.MatchString(c.Name) || secretText.MatchString(c.Value) {
			return mask
		}
	}
	return c.Text()
}
