package calibrate

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// The hidden arguments of children, each followed by its order as JSON.
const (
	serverArg    = "__null-server"
	generatorArg = "__null-load"
)

// IsChild reports whether args, those of the process, ask for a child of this
// package.
func IsChild(args []string) bool {
	return len(args) == 3 && (args[1] == serverArg || args[1] == generatorArg)
}

// ChildMain is the main function of a child. It does not return. A child ends
// with its parent: its standard input then closes, whatever killed the parent.
func ChildMain() {
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	var err error
	if os.Args[1] == serverArg {
		var order serverOrder
		if err = json.Unmarshal([]byte(os.Args[2]), &order); err == nil {
			err = serve(order)
		}
	} else {
		var order generatorOrder
		if err = json.Unmarshal([]byte(os.Args[2]), &order); err == nil {
			err = generate(order)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, os.Args[1]+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serverOrder is what a null server is to do.
type serverOrder struct {
	CPUs    []int `json:"cpus"` // to be on; empty: anywhere
	Threads int   `json:"threads"`
	Calls   bool  `json:"calls,omitempty"` // over HTTP/2 it responds to calls over gRPC
}
