package filter

// Slot is a place on the way of an exchange at which filters have a hand in it: where the data
// comes by, in the order in which it does.
type Slot uint8

const (
	AtRoute    Slot = iota // the route is found, and no filter has been asked
	AtContent              // the request may pass: it may be responded to here
	AtUpstream             // an upstream is looked for
	AtEndpoint             // an endpoint of it is
	AtSending              // the head for the upstream is written
	AtUpload               // content of the request has come
	AtText                 // a response's head has come over HTTP/2, and isn't looked at yet
	AtHead                 // a response's head is in, and nothing of it has gone on
	AtBegin                // the response goes on
	AtDownload             // content of the response has come
	AtTrailers             // what follows it has
	AtRefusal              // the gateway is about to respond itself
	AtReply                // such a response is written
	AtBreak                // a response that has begun can't go on
	AtCut                  // it is about to be cut off
	AtEnd                  // the exchange is over
	Slots                  // how many there are
)

// String is the slot's name, as explain and the docs have it.
func (s Slot) String() string {
	return [...]string{"route", "content", "upstream", "endpoint", "sending", "upload", "text", "head", "begin", "download", "trailers", "refusal", "reply", "break", "cut", "end"}[s]
}

// slots are those that each filter is at. A test of nanogate/internal/proxy holds this to what
// the filters do.
var slots = [IDs][]Slot{
	GRPCWeb:    {AtRoute, AtUpload, AtText, AtHead, AtDownload, AtReply, AtCut},
	Invalidate: {AtContent, AtBegin},
	Respond:    {AtContent},
	Redirect:   {AtContent},
	GRPCJSON:   {AtContent, AtSending, AtUpload, AtHead, AtDownload, AtRefusal, AtBreak},
	Cache:      {AtContent, AtHead, AtBegin, AtDownload, AtRefusal, AtBreak, AtEnd},
	Canary:     {AtUpstream, AtEnd},
	Sticky:     {AtEndpoint, AtBegin},
	Responses:  {AtSending, AtHead, AtDownload},
	Mirror:     {AtSending, AtUpload, AtHead, AtDownload, AtTrailers, AtEnd},
	Shadow:     {AtHead, AtDownload, AtTrailers, AtRefusal, AtEnd},
	Fault:      {AtSending},
}

// Slots are those that the filter is at, in their order.
func (id ID) Slots() []Slot { return slots[id] }

// Phase is the filter's.
func (id ID) Phase() Phase {
	switch {
	case id == Responses:
		return Middleware
	case id <= Cache:
		return Content
	}
	return Forwarding
}
