package check

import "time"

// Status is what a check came to.
type Status string

const (
	OK     Status = "ok"     // it fulfils its contract
	Lacks  Status = "lacks"  // something must be installed before it can be built
	Failed Status = "failed" // it can't be built or started, or breaks the contract
)

// Result is what a check of one subject found.
type Result struct {
	Name      string `json:"name"`
	Language  string `json:"language"`
	Framework string `json:"framework"`
	Version   string `json:"version"`
	Status    Status `json:"verdict"`
	Problem   string `json:"problem,omitempty"` // why it is not ok

	Cached    bool          `json:"cached"`     // it had been built before
	BuildTime time.Duration `json:"build_time"` // ns; 0 if it had been built before
	Size      uint64        `json:"size"`       // bytes of what was built, with the packages it brings

	StartUp   time.Duration `json:"start"` // ns from its execution to its first response
	Stop      time.Duration `json:"stop"`  // ns from SIGTERM until nothing is left of it
	Processes int           `json:"processes"`
	Threads   int           `json:"threads"`
	RSS       uint64        `json:"rss"` // bytes, of all processes, after the contract was verified
	// Tells are the figures that its runtime reported, if its manifest says that it
	// does.
	Tells []string `json:"tells,omitempty"`
}
