package etcd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"dyno.example/nanogate/internal/upstream"
)

// set is what stands below a prefix, in the order of the keys.
type set []entry

// entry is a key with its value as it stands, and what it means.
type entry struct {
	key   string
	value string
	instance
	err error // why it is no instance; nil if it is one
}

func newEntry(kv *mvccpb.KeyValue) entry {
	e := entry{key: string(kv.Key), value: string(kv.Value)}
	e.instance, e.err = parseValue(kv.Value)
	return e
}

func (s set) find(key string) (at int, found bool) {
	return slices.BinarySearchFunc(s, key, func(e entry, key string) int { return strings.Compare(e.key, key) })
}

// replaced is the set of all keys. What stands as it did in s isn't parsed again.
func (s set) replaced(all []*mvccpb.KeyValue) set {
	made := make(set, 0, len(all))
	for _, kv := range all {
		if at, found := s.find(string(kv.Key)); found && s[at].value == string(kv.Value) {
			made = append(made, s[at])
			continue
		}
		made = append(made, newEntry(kv))
	}
	slices.SortFunc(made, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return made
}

// change carries out what happened, in place. It reports whether anything is different.
func (s *set) change(events []*clientv3.Event) (changed bool) {
	for _, e := range events {
		at, found := s.find(string(e.Kv.Key))
		switch {
		case e.Type == clientv3.EventTypeDelete:
			if found {
				*s = slices.Delete(*s, at, at+1)
				changed = true
			}
		case found && (*s)[at].value == string(e.Kv.Value):
			// Written again as it was.
		case found:
			(*s)[at] = newEntry(e.Kv)
			changed = true
		case len(*s) < mostKeys:
			*s = slices.Insert(*s, at, newEntry(e.Kv))
			changed = true
		}
	}
	return changed
}

// instances are those that can be used.
func (s set) instances() []upstream.Instance {
	all := make([]upstream.Instance, 0, len(s))
	for i := range s {
		if s[i].err == nil {
			all = append(all, upstream.Instance{Address: s[i].Address, Weight: s[i].Weight, Zone: s[i].Zone})
		}
	}
	return all
}

// mostWrong bounds how many wrong values are reported one by one.
const mostWrong = 20

// wrong says which values are no instances, and why.
func (s set) wrong() (all []string) {
	n := 0
	for i := range s {
		if s[i].err == nil || errors.Is(s[i].err, errGone) {
			continue
		}
		if n++; n <= mostWrong {
			all = append(all, fmt.Sprintf("%s: %v", s[i].key, s[i].err))
		}
	}
	if n > mostWrong {
		all = append(all, fmt.Sprintf("and %d more", n-mostWrong))
	}
	return all
}
