package cache

import (
	"bytes"

	"dyno.example/nanogate/internal/request"

	"github.com/maypok86/otter/v2"
)

// purges are the last ones. A response that was requested before a purge and arrives after
// it may be the old one: it isn't stored.
type purges struct {
	epoch uint64 // how many there have been
	last  [4096]purge
}

// purge is of all, of a URL, or of a tag.
type purge struct {
	all bool
	key Key
	tag string
}

func (p *purges) add(one purge) {
	p.last[p.epoch%uint64(len(p.last))] = one
	p.epoch++
}

// since reports whether a response has been purged since an epoch, or may have been: only
// the last purges are known.
func (p *purges) since(epoch uint64, key Key, v *Response) bool {
	if p.epoch-epoch > uint64(len(p.last)) {
		return true
	}
	for ; epoch < p.epoch; epoch++ {
		if one := &p.last[epoch%uint64(len(p.last))]; one.all || one.tag == "" && one.key == key || one.tag != "" && v.tagged(one.tag) {
			return true
		}
	}
	return false
}

// Epoch is the moment at which a request is sent, for [Store.Begin].
func (s *Store) Epoch() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.purges.epoch
}

func (s *Store) note(one purge) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.purges.add(one)
}

// Invalidate takes all out that is stored of a URL. It reports whether there was something.
func (s *Store) Invalidate(key Key) bool {
	s.note(purge{key: key})
	_, was := s.urls.Invalidate(key)
	if was {
		s.purged.Add(1)
	}
	return was
}

// InvalidateBy takes out what a response to an unsafe request for url refers to: reference
// is its Location or Content-Location. What is of another origin stays (RFC 9111 4.4).
func (s *Store) InvalidateBy(url, reference []byte, keeps request.Keeps) {
	if to, err := resolve(url, reference, keeps); err == nil && !bytes.Equal(to, url) {
		s.Invalidate(s.KeyOf(to))
	}
}

// PurgeTag removes all responses with a tag, and returns how many there were. It scans
// the whole store.
func (s *Store) PurgeTag(tag string) (n int) {
	s.note(purge{tag: tag})
	for key, r := range s.urls.All() {
		if !r.tagged(tag) {
			continue
		}
		s.urls.Compute(key, func(old *resource, found bool) (*resource, otter.ComputeOp) {
			if !found {
				return nil, otter.CancelOp
			}
			next := &resource{url: old.url}
			for _, v := range old.responses {
				if v.tagged(tag) {
					n++
				} else {
					next.responses = append(next.responses, v)
				}
			}
			if len(next.responses) == 0 {
				return nil, otter.InvalidateOp
			}
			return next, otter.WriteOp
		})
	}
	s.purged.Add(uint64(n))
	return n
}

func (r *resource) tagged(tag string) bool {
	for _, v := range r.responses {
		if v.tagged(tag) {
			return true
		}
	}
	return false
}

// PurgeAll takes all out, and returns of how many URLs there was something.
func (s *Store) PurgeAll() int {
	s.note(purge{all: true})
	n := s.urls.EstimatedSize()
	s.urls.InvalidateAll()
	s.purged.Add(uint64(n))
	return n
}
