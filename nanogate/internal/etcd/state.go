package etcd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/state"
)

// fileOf returns the file of a prefix or key of a cluster.
func fileOf(d *state.Dir, c *config.EtcdCluster, keys string) *state.File {
	endpoints := slices.Sorted(slices.Values(c.Endpoints))
	return d.File("etcd", strings.Join(endpoints, " "), keys)
}

// said is what stands in a file of what was read last: what etcd said, with nothing of how it is logged in to.
type said struct {
	Version   int           `json:"version"`
	From      string        `json:"from"` // for who looks at it
	Read      time.Time     `json:"read"`
	Cluster   uint64        `json:"cluster"` // etcd's number of it
	Revision  int64         `json:"revision"`
	Instances []keptAddress `json:"instances,omitempty"`
	Document  string        `json:"document,omitempty"`
}

// keptAddress is an instance as it is kept: what is used of it, and no other metadata.
type keptAddress struct {
	Key     string `json:"key"`
	Address string `json:"address"`
	Weight  int    `json:"weight"`
	Zone    string `json:"zone,omitempty"`
}

const saidVersion = 1

func saidOf(s set, from string, cluster uint64, revision int64) *said {
	made := &said{Version: saidVersion, From: from, Read: time.Now().UTC(), Cluster: cluster, Revision: revision}
	for i := range s {
		if e := &s[i]; e.err == nil {
			made.Instances = append(made.Instances, keptAddress{e.key, e.Address.String(), e.Weight, e.Zone})
		}
	}
	return made
}

// set is the instances as they were.
func (s *said) set() set {
	made := make(set, 0, len(s.Instances))
	for _, k := range s.Instances {
		e := entry{key: k.Key}
		e.Weight, e.Zone = min(max(1, k.Weight), 1000), k.Zone
		if e.Address, e.err = parseAddress(k.Address); e.err == nil {
			made = append(made, e)
		}
	}
	slices.SortFunc(made, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return made
}

// load reads what was read last; nil if nothing is kept.
func load(f *state.File) (*said, error) {
	made := new(said)
	if there, err := f.Load(made); err != nil || !there {
		return nil, err
	}
	if made.Version != saidVersion {
		return nil, fmt.Errorf("%s: expected version %d, got %d", f.Name(), saidVersion, made.Version)
	}
	return made, nil
}
