package filter

import "math/bits"

// ID names a filter that has a hand in the exchange itself, as well as or instead of checking the
// head of a request. Requests pass them in this order and responses in the reverse order: the
// last one here is the first to see what an upstream said.
type ID uint8

const (
	GRPCWeb    ID = iota // calls over gRPC-Web are made calls over gRPC
	Invalidate           // what requests change isn't given from the cache any more: of all routes, if any stores
	Respond              // the route's response is in the file
	Redirect             // so is where its clients are sent
	GRPCJSON             // requests with JSON are made calls over gRPC
	Cache                // responses are stored, and given in place of the upstream's
	Canary               // a share of the requests has another upstream
	Sticky               // clients stay with an endpoint
	Responses            // middleware looks at responses
	Mirror               // a shadow is sent a copy
	Shadow               // this is the copy
	Fault                // some requests fail or wait, to see what comes of that
	IDs                  // how many there are
)

// String is the filter's name, as the table of all filters has it.
func (id ID) String() string {
	return [...]string{"grpc-web", "invalidate", "respond", "redirect", "grpc-json", "cache", "canary", "sticky", "use", "mirror", "shadow", "fault"}[id]
}

// Set is a set of filters in their order. The zero value is empty.
type Set uint32

// SetOf is the set of these.
func SetOf(ids ...ID) (s Set) {
	for _, id := range ids {
		s |= 1 << id
	}
	return s
}

// With is the set with one more, Without with one fewer.
func (s Set) With(id ID) Set    { return s | 1<<id }
func (s Set) Without(id ID) Set { return s &^ (1 << id) }

// Has reports whether a filter is in the set.
func (s Set) Has(id ID) bool { return s&(1<<id) != 0 }

// Before are those that requests meet before a filter, and responses after it.
func (s Set) Before(id ID) Set { return s & (1<<id - 1) }

// First is the one that requests meet first, and the others. The set mustn't be empty.
func (s Set) First() (ID, Set) { return ID(bits.TrailingZeros32(uint32(s))), s & (s - 1) }

// Last is the one that responses meet first, and the others. The set mustn't be empty.
func (s Set) Last() (ID, Set) {
	id := ID(bits.Len32(uint32(s)) - 1)
	return id, s.Without(id)
}
