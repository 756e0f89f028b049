package subject

import (
	"maps"
	"os"
	"slices"
	"strings"

	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
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

// filled is an environment with each {{env NAME}} in a value replaced by the
// variable of dyno's own environment.
func filled(env map[string]string) (map[string]string, error) {
	out := maps.Clone(env)
	for name, value := range out {
		text, err := template.Environ(value, os.LookupEnv)
		if err != nil {
			return nil, i18n.Errorf("subject.env", "env %s: %w", name, err)
		}
		out[name] = text
	}
	return out, nil
}
