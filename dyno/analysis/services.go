package analysis

import (
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/probe"
)

// Service is what one of the subject's services did, over all windows of a cell's used
// trials that figures rest on.
type Service struct {
	Name string   `json:"name"`
	CPU  *float64 `json:"cpu,omitempty"` // CPUs used; nil of one that isn't dyno's
	RSS  *float64 `json:"rss,omitempty"` // bytes, the most at the end of a window; nil too where subjects took turns
	// PerRequest is its CPU time per request that was completed, in µs, and Subject are the
	// CPUs that the subject used in the same windows; nil where they are not known.
	PerRequest *float64           `json:"cpu_per_request,omitempty"`
	Subject    *float64           `json:"subject_cpu,omitempty"`
	Rates      map[string]float64 `json:"rates,omitempty"`  // its own counters, per second
	Gauges     map[string]float64 `json:"gauges,omitempty"` // its own gauges, the mean over the ends of windows
	// Missing is in how many of the windows its own statistics are missing, and Why the
	// last reason.
	Missing int    `json:"missing,omitempty"`
	Why     string `json:"why,omitempty"`
}

// ServiceSecond is the CPU time of a service in one second.
type ServiceSecond struct {
	Name string  `json:"name"`
	CPU  float64 `json:"cpu"` // CPUs used
}

// addServices adds the CPU time of the services that are dyno's.
func (s *Second) addServices(w *probe.Window) {
	for i := range w.Services {
		if p := w.Services[i].Process; p != nil && w.Length > 0 {
			s.Services = append(s.Services, ServiceSecond{w.Services[i].Name, float64(p.CPU) / float64(w.Length)})
		}
	}
}

// serviceSums adds up the windows of a service.
type serviceSums struct {
	name    string
	cpu     time.Duration
	length  time.Duration // of the windows with processes
	served  uint64        // requests completed in them
	subject time.Duration // CPU time of the subject in those of them that know it …
	known   time.Duration // … and how long these are
	held    bool          // it is known …
	rss     uint64        // … how much memory
	counted map[string]float64
	over    map[string]time.Duration // by counter, the time it was seen over
	gauges  map[string]float64
	seen    map[string]float64 // by gauge, in how many windows
	missing int
	why     string
}

// addServices adds a window that figures rest on.
func (s *cellBuilder) addServices(w *archive.Window) {
	for i := range w.Server.Services {
		one := &w.Server.Services[i]
		at := slices.IndexFunc(s.services, func(o *serviceSums) bool { return o.name == one.Name })
		if at < 0 {
			at = len(s.services)
			s.services = append(s.services, &serviceSums{
				name: one.Name, counted: make(map[string]float64), over: make(map[string]time.Duration), gauges: make(map[string]float64), seen: make(map[string]float64),
			})
		}
		s.services[at].add(one, w)
	}
}

func (s *serviceSums) add(w *probe.ServiceWindow, of *archive.Window) {
	if p := w.Process; p != nil {
		s.cpu += p.CPU
		s.length += of.Server.Length
		s.served += of.Client.Completed
		if w.Shared { // the turns have all that their requests cost
			s.served += of.Client.Drained
		} else {
			s.held, s.rss = true, max(s.rss, p.RSS)
		}
		if own := of.Server.Process; own != nil && !of.Server.Lacks("cpu", "process") {
			s.subject += own.CPU
			s.known += of.Server.Length
		}
	}
	if w.Missing != "" {
		s.missing++
		s.why = w.Missing
	}
	for name, n := range w.Counted {
		s.counted[name] += n
		s.over[name] += w.Length
	}
	for name, x := range w.Gauges {
		s.gauges[name] += x
		s.seen[name]++
	}
}

// servicesOf are the results of all services.
func (s *cellBuilder) servicesOf() (list []Service) {
	for _, one := range s.services {
		r := Service{Name: one.name, Missing: one.missing, Why: one.why}
		if one.length > 0 {
			cpu, rss := float64(one.cpu)/float64(one.length), float64(one.rss)
			if r.CPU = &cpu; one.held {
				r.RSS = &rss
			}
			r.PerRequest = ratio(float64(one.cpu)/1e3, float64(one.served))
			r.Subject = ratio(float64(one.subject), float64(one.known))
		}
		for name, n := range one.counted {
			if over := one.over[name].Seconds(); over > 0 {
				r.Rates = put(r.Rates, name, n/over)
			}
		}
		for name, x := range one.gauges {
			r.Gauges = put(r.Gauges, name, x/one.seen[name])
		}
		list = append(list, r)
	}
	return list
}

func put(m map[string]float64, name string, x float64) map[string]float64 {
	if m == nil {
		m = make(map[string]float64)
	}
	m[name] = x
	return m
}

// ratio is nil where there is nothing to divide by.
func ratio(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	r := a / b
	return &r
}
