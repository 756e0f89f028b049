package nano

import (
	"embed"
	"io/fs"
)

// Everything but tests, or a change of a test would recompile the package: names that
// end in anything but t, in t after anything but s, and so on back to _test.
//
//go:embed go.mod *[^t].go *[^t]est.go
//go:embed wire/*/*[^t].go wire/*/*[^s]t.go wire/*/*[^e]st.go wire/*/*[^t]est.go
//go:embed wire/simulated/*/*[^t].go wire/simulated/*/*[^s]t.go
//go:embed internal/*/*[^t].go internal/*/*[^s]t.go internal/*/*.s
var ownSource embed.FS

// Source returns the source of this package and of what it imports of its module,
// with the go.mod, as they were compiled: for programs that build other programs on
// nano where there is no network. It is read-only, safe for concurrent use, and no
// part of programs that don't call it.
func Source() fs.FS { return ownSource }
