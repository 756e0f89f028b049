package subject

import (
	"maps"
	"os"
	"slices"
	"strings"
)

// environ is dyno's own environment with the given variables on top; later
// maps win. No name comes twice, for programs differ in which one they read.
func environ(layers ...map[string]string) []string {
	merged := map[string]string{}
	for _, layer := range layers {
		maps.Copy(merged, layer)
	}
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		_, replaced := merged[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(merged)) {
		env = append(env, name+"="+merged[name])
	}
	return env
}
