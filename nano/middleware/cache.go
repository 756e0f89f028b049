package middleware

import (
	"bytes"
	"container/list"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/wire/http1"
)

// CacheConfig is how [Cache] works.
type CacheConfig struct {
	// Fresh is how long a response that doesn't say it by Cache-Control max-age or s-maxage
	// may be used; default not at all.
	Fresh time.Duration
	// MaxBytes bounds what is kept; default 64 MiB. When it is full what was used longest
	// ago goes.
	MaxBytes int
	// MaxResponse is how long a response may be that is kept, in bytes; default 1 MiB.
	MaxResponse int
	// Vary names request fields that responses differ by, in addition to those in their
	// own Vary fields.
	Vary []string
}

// Cache stores responses of status 200 to GET in memory and reuses them while they are fresh, as
// a shared cache may (RFC 9111): not those to requests that identify their sender (Authorization,
// Cookie, X-API-Key, a client's certificate, a user of [KeyAuth] or [BasicAuth]), unless they say
// public; not those with Set-Cookie, Cache-Control no-store, private or no-cache, or Vary: *; nor
// streamed ones. A request that says no-cache or no-store gets a new one. Responses from the
// cache have Age, and run no handler.
//
// Responses that depend on anything but the target and the fields in Vary must say so, or
// every client gets the first one's: put Cache inside the middleware that decides about
// access.
func Cache(config CacheConfig) nano.Middleware {
	if config.Fresh < 0 || config.MaxBytes < 0 || config.MaxResponse < 0 {
		panic(fmt.Sprintf("middleware: nothing in CacheConfig can be negative: %+v", config))
	}
	if config.MaxBytes == 0 {
		config.MaxBytes = 64 << 20
	}
	if config.MaxResponse == 0 {
		config.MaxResponse = 1 << 20
	}
	s := &responses{left: config.MaxBytes, byKey: map[string]*list.Element{}, varies: map[string][]string{}, order: list.New(), now: time.Now}
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			if m := string(c.Method()); m != "GET" && m != "HEAD" {
				return next(c)
			}
			cacheControl := c.Header("Cache-Control")
			bypass := http1.ListHas(cacheControl, "no-cache") || http1.ListHas(cacheControl, "no-store")
			target := targetKey(c)
			if !bypass {
				if a := s.find(c, target, config.Vary); a != nil && config.forClient(c, a) {
					return a.send(c, s.now())
				}
			}
			if http1.ListHas(cacheControl, "no-store") || string(c.Method()) != "GET" {
				return next(c)
			}
			c.BeforeResponse(func(c nano.Ctx, a *nano.Response) { config.keep(c, a, s, target) })
			return next(c)
		}
	}
}

// targetKey is the cache key of a request. It leaves the method out, as GET serves HEAD
// too.
func targetKey(c nano.Ctx) string {
	return c.Scheme() + "://" + strings.ToLower(c.Host().String()) + c.Path().String() + "?" + c.RawQuery().String()
}

// keptResponse is a response that was kept. It isn't changed.
type keptResponse struct {
	key     string
	status  int
	fields  [][2]string
	content []byte
	at      time.Time // when it was made
	until   time.Time
	public  bool
	size    int
}

// forClient reports whether the client may have a response that was made for another.
func (config *CacheConfig) forClient(c nano.Ctx, a *keptResponse) bool {
	return a.public || !personal(c)
}

func (a *keptResponse) send(c nano.Ctx, now time.Time) error {
	for _, f := range a.fields {
		c.AddHeader(f[0], f[1])
	}
	c.SetHeader("Age", strconv.Itoa(int(now.Sub(a.at)/time.Second)))
	return c.Bytes(a.status, "", a.content)
}

// kept are the fields of a response that are kept with it.
var keptFields = [...]string{
	"Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Disposition",
	"Cache-Control", "ETag", "Last-Modified", "Expires", "Vary", "Link",
}

// keep keeps a response that may be kept.
func (config *CacheConfig) keep(c nano.Ctx, a *nano.Response, s *responses, target string) {
	content, whole := a.Body()
	control := responseList(c, "Cache-Control")
	fresh := config.freshness(control)
	public := http1.ListHas(control, "public")
	switch {
	case !whole || a.Status() != 200 || len(content) > config.MaxResponse || fresh <= 0:
		return
	case http1.ListHas(control, "no-store") || http1.ListHas(control, "private") || http1.ListHas(control, "no-cache"):
		return
	case c.ResponseHeader("Set-Cookie") != nil || !public && personal(c):
		return
	}
	varies, ok := varyOf(c, config.Vary)
	if !ok {
		return
	}
	k := &keptResponse{key: keyOf(c, target, varies), status: 200, content: slices.Clone(content), at: s.now(), public: public}
	k.until = k.at.Add(fresh)
	for name, v := range c.ResponseHeaders() {
		if slices.ContainsFunc(keptFields[:], func(kept string) bool { return strings.EqualFold(kept, string(name)) }) {
			k.fields = append(k.fields, [2]string{name.String(), v.String()})
			k.size += len(name) + len(v)
		}
	}
	k.size += len(k.key) + len(content) + 300
	s.put(target, varies, k)
}

// freshness is how long a response may be used (RFC 9111 4.2.1).
func (config *CacheConfig) freshness(control []byte) time.Duration {
	fresh := config.Fresh
	for part := range bytes.SplitSeq(control, []byte(",")) {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(string(part))), "=")
		seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
		switch {
		case name == "s-maxage" && err == nil:
			return time.Duration(seconds) * time.Second // goes before max-age
		case name == "max-age" && err == nil:
			fresh = time.Duration(seconds) * time.Second
		}
	}
	return fresh
}

// varyOf are the fields of the request that the response differs by, sorted; false if
// it differs by everything.
func varyOf(c nano.Ctx, own []string) (names []string, ok bool) {
	for _, name := range own {
		names = append(names, strings.ToLower(name))
	}
	for name := range strings.SplitSeq(string(responseList(c, "Vary")), ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "*":
			return nil, false
		case "":
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// keyOf is the target with the fields that its responses differ by.
func keyOf(c nano.Ctx, target string, varies []string) string {
	if len(varies) == 0 {
		return target
	}
	var b strings.Builder
	b.WriteString(target)
	for _, name := range varies {
		fmt.Fprintf(&b, "\n%s:%q", name, requestList(c, name))
	}
	return b.String()
}

// responses keeps responses, those that were used last in front.
type responses struct {
	mu     sync.Mutex
	left   int
	byKey  map[string]*list.Element
	varies map[string][]string // of each target
	order  *list.List
	now    func() time.Time
}

func (s *responses) find(c nano.Ctx, target string, own []string) *keptResponse {
	s.mu.Lock()
	defer s.mu.Unlock()
	varies, known := s.varies[target]
	if !known {
		return nil
	}
	at := s.byKey[keyOf(c, target, varies)]
	if at == nil {
		return nil
	}
	k := at.Value.(*keptResponse)
	if !s.now().Before(k.until) {
		s.remove(at)
		return nil
	}
	s.order.MoveToFront(at)
	return k
}

func (s *responses) put(target string, varies []string, k *keptResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.byKey[k.key]; at != nil {
		s.remove(at)
	}
	for s.left < k.size && s.order.Len() > 0 {
		s.remove(s.order.Back())
	}
	if s.left < k.size {
		return
	}
	s.left -= k.size
	s.byKey[k.key] = s.order.PushFront(k)
	s.varies[target] = varies
}

func (s *responses) remove(at *list.Element) {
	k := s.order.Remove(at).(*keptResponse)
	s.left += k.size
	delete(s.byKey, k.key)
	if target, _, _ := strings.Cut(k.key, "\n"); len(s.varies) > 2*len(s.byKey)+64 {
		delete(s.varies, target)
	}
}
