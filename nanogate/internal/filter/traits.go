package filter

// Traits are what a filter does with exchanges, as far as others have to know: chains that
// can't work are found by them when a file is read.
type Traits uint8

const (
	Ends     Traits = 1 << iota // it may respond itself: who comes after it doesn't see all requests
	Always                      // it responds to all requests: who comes after it sees none
	Upstream                    // it is for requests that are sent to an upstream
	Remakes                     // the upstream is sent another body than the client's, and the other way round
	Bodies                      // it looks at bodies, piece by piece
)

// traits are those of all filters.
var traits = [IDs]Traits{
	GRPCWeb:    Upstream | Remakes | Bodies,
	Invalidate: Upstream,
	Respond:    Ends | Always,
	Redirect:   Ends | Always,
	GRPCJSON:   Upstream | Ends | Remakes | Bodies,
	Cache:      Upstream | Ends | Bodies,
	Canary:     Upstream,
	Sticky:     Upstream,
	Responses:  Upstream | Ends | Bodies,
	Mirror:     Upstream | Bodies,
	Shadow:     Upstream | Ends | Bodies,
	Fault:      Upstream | Ends,
}

// Does reports whether a filter has one of these.
func (id ID) Does(one Traits) bool { return traits[id]&one != 0 }

// Idle is a filter of the set that would see no request, as one before it responds to all of
// them; ok is false if there is none.
func (s Set) Idle() (idle, because ID, ok bool) {
	ended, by := false, ID(0)
	for s != 0 {
		var id ID
		id, s = s.First()
		if ended && id.Does(Upstream) {
			return id, by, true
		}
		if !ended && id.Does(Always) {
			ended, by = true, id
		}
	}
	return 0, 0, false
}
