package snapshot

import (
	"slices"

	"dyno.example/nano/wire/http1"
)

// Identity are the fields that say who somebody is and that a route takes out of what
// clients send.
type Identity struct {
	Names   []string // in lower case
	lengths uint64   // bits of the lengths that the names have, those from 64 on as 63
}

func identityOf(names []string) (f Identity) {
	f.Names = slices.Clone(names)
	for _, name := range names {
		f.lengths |= 1 << min(len(name), 63)
	}
	return f
}

// Has reports whether a field is one of them. It is asked of every field, and hardly ever
// has to look beyond the length.
func (f *Identity) Has(name []byte) bool {
	if f.lengths&(1<<min(len(name), 63)) == 0 {
		return false
	}
	for _, one := range f.Names {
		if http1.EqualFold(name, one) {
			return true
		}
	}
	return false
}
