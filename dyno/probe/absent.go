package probe

import (
	"maps"
	"slices"
)

// absent collects what could not be read, by the name it has in a [Window].
type absent map[string]error

// note keeps the first error of each name; nil is none.
func (a *absent) note(name string, err error) {
	if err == nil || (*a)[name] != nil {
		return
	}
	if *a == nil {
		*a = make(absent)
	}
	(*a)[name] = err
}

func (a absent) clear() { clear(a) }

// list returns "name: why", sorted.
func (a absent) list() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		names = append(names, name+": "+a[name].Error())
	}
	return names
}
