// Package kubernetestest is an API server in the test's own process, that keeps objects in
// memory. It lists in pages, watches from a version on, forgets versions, and can be away.
// It validates nothing: a real one stands behind the same [API], where there is one.
package kubernetestest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Server is an API server.
type Server struct {
	http *httptest.Server
	away atomic.Bool

	mu       sync.Mutex
	revision int
	oldest   int // revisions before this one are forgotten
	objects  map[key]Object
	history  []event
	news     chan struct{} // closed when there is some
	token    string        // who doesn't show it isn't let in; "": anybody is
	refuse   func(r *http.Request) (status int, message string)
	lists    int // pages that were asked for
}

// Object is an object of the API, as JSON has it.
type Object = map[string]any

// key is where an object stands.
type key struct{ resource, namespace, name string }

type event struct {
	key
	revision int
	verb     string
	object   Object
}

// Start starts a server, which is there until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{objects: map[key]Object{}, news: make(chan struct{})}
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.http.Listener = &listener{s.http.Listener, s}
	s.http.EnableHTTP2 = true
	s.http.Config.ErrorLog = quiet
	s.http.StartTLS()
	t.Cleanup(func() {
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// listener takes no connections while the server is away.
type listener struct {
	net.Listener
	s *Server
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || !l.s.away.Load() {
			return c, err
		}
		c.Close()
	}
}

// Away cuts all connections and takes no others, or takes them again.
func (s *Server) Away(away bool) {
	if s.away.Store(away); away {
		s.http.CloseClientConnections()
	}
}

// Expect has only those let in who show the token.
func (s *Server) Expect(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

// Refuse has refuse decide which requests get an error; status 0: it isn't.
func (s *Server) Refuse(refuse func(r *http.Request) (status int, message string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = refuse
}

// Forget forgets what has been: who watches from before, or reads the next page of a list,
// is told that it is gone.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	s.oldest, s.history = s.revision, nil
	s.wake()
}

// Lists is how many pages of lists were asked for.
func (s *Server) Lists() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists
}

func (s *Server) wake() {
	close(s.news)
	s.news = make(chan struct{})
}

// set puts an object in its place, or takes it away.
func (s *Server) set(k key, o Object, verb string) {
	s.revision++
	meta(o)["resourceVersion"] = strconv.Itoa(s.revision)
	if s.objects[k] = o; verb == "DELETED" {
		delete(s.objects, k)
	}
	s.history = append(s.history, event{k, s.revision, verb, o})
	s.wake()
}

func meta(o Object) Object {
	m, ok := o["metadata"].(Object)
	if !ok {
		m = Object{}
		o["metadata"] = m
	}
	return m
}

// parse reads where a path leads: /api/v1/… or /apis/GROUP/VERSION/…
func parse(path string) (k key, status bool, err error) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:]
	default:
		return k, false, errors.New("the server could not find the requested resource")
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		k.namespace, parts = parts[1], parts[2:]
	}
	k.resource = parts[0]
	if len(parts) > 1 {
		k.name = parts[1]
	}
	return k, len(parts) > 2 && parts[2] == "status", nil
}

// serve serves who came over the network.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	token, refuse := s.token, s.refuse
	s.mu.Unlock()
	if token != "" && r.Header.Get("Authorization") != "Bearer "+token {
		fail(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
		return
	}
	if refuse != nil {
		if code, message := refuse(r); code != 0 {
			fail(w, code, strings.ReplaceAll(http.StatusText(code), " ", ""), message)
			return
		}
	}
	s.handle(w, r)
}

// handle serves whoever was let in.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	k, status, err := parse(r.URL.Path)
	if err != nil {
		fail(w, http.StatusNotFound, "NotFound", err.Error())
		return
	}
	switch {
	case r.Method != http.MethodGet:
		s.write(w, r, k, status)
	case r.URL.Query().Get("watch") == "true" || r.URL.Query().Get("watch") == "1":
		s.watch(w, r, k)
	case k.name != "":
		s.mu.Lock()
		o, ok := s.objects[k]
		s.mu.Unlock()
		if !ok {
			fail(w, http.StatusNotFound, "NotFound", k.name+" not found")
			return
		}
		respond(w, http.StatusOK, o)
	default:
		s.list(w, r, k)
	}
}

// write creates, replaces or deletes an object, or replaces its status.
func (s *Server) write(w http.ResponseWriter, r *http.Request, k key, status bool) {
	o := Object{}
	if r.Method != http.MethodDelete {
		if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
			fail(w, http.StatusBadRequest, "BadRequest", err.Error())
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.name == "" {
		k.name, _ = meta(o)["name"].(string)
	}
	before, there := s.objects[k]
	if there == (r.Method == http.MethodPost) {
		code := map[bool]int{true: http.StatusConflict, false: http.StatusNotFound}[there]
		fail(w, code, map[bool]string{true: "AlreadyExists", false: "NotFound"}[there], k.name)
		return
	}
	switch version, _ := meta(o)["resourceVersion"].(string); {
	case r.Method == http.MethodDelete:
		gone := clone(before)
		s.set(k, gone, "DELETED")
		respond(w, http.StatusOK, gone)
		return
	case r.Method == http.MethodPut && version != "" && version != meta(before)["resourceVersion"]:
		fail(w, http.StatusConflict, "Conflict", "the object has been modified")
		return
	case status:
		said := o["status"]
		o = clone(before)
		o["status"] = said
	}
	m := meta(o)
	verb := "MODIFIED"
	if !there {
		verb = "ADDED"
		m["uid"] = fmt.Sprintf("uid-%d", s.revision+1)
		if m["creationTimestamp"] == nil {
			m["creationTimestamp"] = time.Now().UTC().Format(time.RFC3339)
		}
		m["generation"] = 1
	} else {
		old := meta(before)
		m["uid"], m["creationTimestamp"], m["generation"] = old["uid"], old["creationTimestamp"], old["generation"]
		if _, numbered := old["generation"].(int); numbered && !status {
			m["generation"] = old["generation"].(int) + 1
			o["status"] = before["status"]
		}
	}
	if k.namespace != "" {
		m["namespace"] = k.namespace
	}
	s.set(k, o, verb)
	respond(w, http.StatusOK, o)
}

// list responds with a page of objects. What follows a page is read from what there is by
// then, unless that has been forgotten.
func (s *Server) list(w http.ResponseWriter, r *http.Request, k key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	q := r.URL.Query()
	var keys []key
	for at, o := range s.objects {
		if matches(at, k, o, q) {
			keys = append(keys, at)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return strings.Compare(a.namespace+"/"+a.name, b.namespace+"/"+b.name)
	})
	at, from := s.revision, 0
	if text := q.Get("continue"); text != "" {
		if _, err := fmt.Sscanf(text, "%d-%d", &at, &from); err != nil || at < s.oldest {
			fail(w, http.StatusGone, "Expired", "The provided continue parameter is too old")
			return
		}
	}
	more := Object{"resourceVersion": strconv.Itoa(at)}
	to := len(keys)
	if limit, err := strconv.Atoi(q.Get("limit")); err == nil && limit > 0 && from+limit < to {
		to = from + limit
		more["continue"] = fmt.Sprintf("%d-%d", at, to)
	}
	items := []Object{}
	kind, version := "List", "v1"
	for _, at := range keys[min(from, to):to] {
		o := s.objects[at]
		kind, version = fmt.Sprint(o["kind"])+"List", fmt.Sprint(o["apiVersion"])
		items = append(items, o)
	}
	if len(items) == 0 {
		kind, version = emptyList(r.URL.Path, k.resource)
	}
	respond(w, http.StatusOK, Object{"kind": kind, "apiVersion": version, "metadata": more, "items": items})
}

// emptyList is what a list of nothing is called.
func emptyList(path, resource string) (kind, version string) {
	version = "v1"
	if parts := strings.Split(strings.Trim(path, "/"), "/"); parts[0] == "apis" {
		version = parts[1] + "/" + parts[2]
	}
	return kinds[resource] + "List", version
}

// watch tells what happens from a version on.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, k key) {
	q := r.URL.Query()
	from, _ := strconv.Atoi(q.Get("resourceVersion"))
	out := json.NewEncoder(w)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	flush := w.(http.Flusher)
	flush.Flush()
	for {
		s.mu.Lock()
		news, behind := s.news, from < s.oldest
		var all []event
		for _, e := range s.history {
			if e.revision > from && matches(e.key, k, e.object, q) {
				all = append(all, e)
			}
		}
		if !behind {
			from = s.revision
		}
		s.mu.Unlock()
		if behind {
			_ = out.Encode(Object{"type": "ERROR", "object": failure(http.StatusGone, "Expired", fmt.Sprintf("too old resource version: %d", from))})
			return
		}
		for _, e := range all {
			if out.Encode(Object{"type": e.verb, "object": e.object}) != nil {
				return
			}
		}
		flush.Flush()
		select {
		case <-news:
		case <-r.Context().Done():
			return
		}
	}
}

// matches reports whether an object is one of those that are asked for.
func matches(at, asked key, o Object, q map[string][]string) bool {
	if at.resource != asked.resource || asked.namespace != "" && at.namespace != asked.namespace {
		return false
	}
	if list := q["fieldSelector"]; len(list) > 0 && list[0] != "" && list[0] != "metadata.name="+at.name {
		return false
	}
	if list := q["labelSelector"]; len(list) > 0 && list[0] != "" {
		name, value, _ := strings.Cut(list[0], "=")
		labels, _ := meta(o)["labels"].(Object)
		return labels[name] == value
	}
	return true
}
