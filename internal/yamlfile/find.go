package yamlfile

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Find is what a path leads to from here: names of fields, and indexes such as [2] of what is in
// lists. It goes as far as the file does, as a list of one may be written as its only value. name
// is where the last field's name stands. It notes no problems: it is for those that are found when
// all has been read.
func (p Place) Find(path ...string) (name, value Place) {
	name, value = p, p
	for _, step := range path {
		n := value.Resolved()
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if key := n.Content[i]; key.Value == step {
					field := value.child(step)
					name, value = Place{p.File, key, field}, Place{p.File, n.Content[i+1], field}
					break
				}
			}
		case yaml.SequenceNode:
			index, ok := strings.CutPrefix(step, "[")
			if i, err := strconv.Atoi(strings.TrimSuffix(index, "]")); ok && err == nil && i >= 0 && i < len(n.Content) {
				value = Place{p.File, n.Content[i], value.Field + step}
				name = value
			}
		}
	}
	return name, value
}
