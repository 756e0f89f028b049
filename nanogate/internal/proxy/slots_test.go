//go:build linux

package proxy

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/filter"
)

// sets are who is at each slot.
func (s *slots) sets() [filter.Slots]filter.Set {
	return [...]filter.Set{s.route.of, s.content.of, s.upstream.of, s.endpoint.of, s.sending.of, s.upload.of, s.text.of, s.head.of, s.begin.of, s.download.of, s.trailers.of, s.refusal.of, s.reply.of, s.broken.of, s.cut.of, s.end.of}
}

// The page says who is at which slot, and so does what explains a route, as it is in the code.
func TestSlotsAreInThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/design/filters.md")
	if err != nil {
		t.Fatal(err)
	}
	l := &loop{}
	l.assemble()
	table := "| filter | slots |\n|---|---|\n"
	sets := l.slots.sets()
	for id := range filter.IDs {
		var at []string
		var is []filter.Slot
		for i, of := range sets {
			if of.Has(id) {
				at, is = append(at, filter.Slot(i).String()), append(is, filter.Slot(i))
			}
		}
		if !slices.Equal(is, id.Slots()) {
			t.Errorf("%s is at %v, and %v is said", id, is, id.Slots())
		}
		if len(at) == 0 {
			t.Errorf("%s is at no slot", id)
		}
		table += fmt.Sprintf("| `%s` | %s |\n", id, strings.Join(at, ", "))
	}
	if !strings.Contains(string(page), table+"\n") {
		t.Errorf("nanogate/docs/design/filters.md should have\n%s", table)
	}
}

// What filters say of themselves is what they can do: who ends exchanges is at a slot where that
// can be done, and who looks at bodies at one where they pass.
func TestFiltersDoWhatTheySay(t *testing.T) {
	l := &loop{}
	l.assemble()
	s := &l.slots
	ends := s.content.of | s.sending.of | s.head.of | s.download.of
	bodies := s.upload.of | s.download.of
	for id := range filter.IDs {
		if id.Does(filter.Ends) && !ends.Has(id) {
			t.Errorf("%s says that it ends exchanges, and can't", id)
		}
		if id.Does(filter.Bodies) != bodies.Has(id) {
			t.Errorf("%s: looks at bodies: says %v, does %v", id, id.Does(filter.Bodies), bodies.Has(id))
		}
		if id.Does(filter.Always) && !s.content.of.Has(id) {
			t.Errorf("%s says that it responds to all requests, and can't", id)
		}
	}
}

// Who has no filter pays for no more than a look, and nobody allocates for being called.
func TestSlotsDontAllocate(t *testing.T) {
	l := &loop{}
	l.assemble()
	c, k, piece := &client{}, &backend{call: &call{}}, []byte("piece")
	for _, with := range []filter.Set{0, filter.SetOf(filter.GRPCWeb), filter.SetOf(filter.Responses)} {
		c.x.with = with
		if n := testing.AllocsPerRun(100, func() {
			if !with.Has(filter.Responses) {
				if text, ok := l.throughHead(c, k, piece, nil, tail{}, with); !ok || len(text) != len(piece) {
					t.Error("a head didn't go on")
				}
			}
			if with.Has(filter.GRPCWeb) {
				return // which makes something else of the rest
			}
			if _, ok := l.throughDownload(c, k, piece, true, with); !ok {
				t.Error("a piece of a response didn't go on")
			}
			if _, done, _ := l.throughUpload(c, piece); done {
				t.Error("a piece of a request didn't go on")
			}
			if a, ok := l.throughRefusal(c, replyGone); !ok || a != replyGone {
				t.Error("a refusal didn't go on")
			}
		}); n != 0 {
			t.Errorf("with %b: %v allocations", with, n)
		}
	}
}
