// Package wasmtest writes plug-ins down in the instructions of WebAssembly, for tests: what
// no compiler would make of a sane program, and what needs none.
package wasmtest

import "encoding/binary"

// Guest is a module. Its functions are numbered from 0: the imports in their order, then
// handle_request, handle_response, _initialize and Extra (WebAssembly 2.0, 5.5).
type Guest struct {
	Imports  []string // functions of the ABI, or of WASI
	Pages    int      // of memory that it begins with; 0: one
	Data     string   // what lies in the memory from 0 on
	Request  []byte   // the body of handle_request; nil: it goes on
	Response []byte   // of handle_response; nil: nothing
	Begin    []byte   // of _initialize; nil: there is none
	Extra    []byte   // of a function () that no module exports; nil: there is none
	Start    bool     // Extra is the module's start function
	Table    []byte   // the table section; nil: none
	Without  string   // an export that is left out
	Result   byte     // what handle_request gives; 0: a number of 64 bits
}

// types of values (5.3.1)
const (
	Number32 = 0x7f
	Number64 = 0x7e
)

// instructions (5.4)
const (
	Unreachable = 0x00
	End         = 0x0b
	Drop        = 0x1a
)

// Types are parameters and results of what guests import: as the ABI and WASI say, which
// tests of the host hold it to.
var Types = map[string][2]string{
	"enable_features":      {"i", "i"},
	"get_config":           {"ii", "i"},
	"log":                  {"iii", ""},
	"log_enabled":          {"i", "i"},
	"get_header_names":     {"iii", "l"},
	"get_header_values":    {"iiiii", "l"},
	"set_header_value":     {"iiiii", ""},
	"add_header_value":     {"iiiii", ""},
	"remove_header":        {"iii", ""},
	"read_body":            {"iii", "l"},
	"write_body":           {"iii", ""},
	"get_method":           {"ii", "i"},
	"set_method":           {"ii", ""},
	"get_uri":              {"ii", "i"},
	"set_uri":              {"ii", ""},
	"get_protocol_version": {"ii", "i"},
	"get_source_addr":      {"ii", "i"},
	"get_status_code":      {"", "i"},
	"set_status_code":      {"i", ""},
}

var wasi = map[string][2]string{
	"proc_exit":      {"i", ""},
	"fd_write":       {"iiii", "i"},
	"poll_oneoff":    {"iiii", "i"},
	"path_open":      {"iiiiillii", "i"},
	"sock_accept":    {"iii", "i"},
	"fd_prestat_get": {"ii", "i"},
}

// Code puts instructions together: bytes as numbers, or several of them.
func Code(parts ...any) (b []byte) {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = append(b, byte(p))
		case []byte:
			b = append(b, p...)
		}
	}
	return b
}

// I32 pushes a number of 32 bits, I64 one of 64.
func I32(n int64) []byte { return signed([]byte{0x41}, int64(int32(uint32(n)))) }
func I64(n int64) []byte { return signed([]byte{0x42}, n) }

// Call calls a function by its number.
func Call(f int) []byte { return binary.AppendUvarint([]byte{0x10}, uint64(f)) }

// Forever is a loop that doesn't end.
var Forever = Code(0x03, 0x40, 0x0c, 0x00, End)

// signed appends a number as LEB128.
func signed(b []byte, n int64) []byte {
	for {
		low := byte(n & 0x7f)
		n >>= 7
		if n == 0 && low&0x40 == 0 || n == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}

// Section writes a section of items.
func Section(id byte, items ...[]byte) []byte {
	body := binary.AppendUvarint(nil, uint64(len(items)))
	for _, item := range items {
		body = append(body, item...)
	}
	return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
}

func named(s string) []byte { return append(binary.AppendUvarint(nil, uint64(len(s))), s...) }

func signature(types [2]string) []byte {
	b := []byte{0x60}
	for _, list := range types {
		b = append(b, byte(len(list)))
		for _, one := range list {
			b = append(b, map[rune]byte{'i': Number32, 'l': Number64}[one])
		}
	}
	return b
}

// Module writes the binary.
func (g Guest) Module() []byte {
	var types, imports, funcs, exports, bodies [][]byte
	function := func(kind [2]string, body []byte) {
		types = append(types, signature(kind))
		funcs = append(funcs, []byte{byte(len(types) - 1)})
		body = append(append([]byte{0}, body...), End) // without locals
		bodies = append(bodies, append(binary.AppendUvarint(nil, uint64(len(body))), body...))
	}
	export := func(name string, kind byte, index int) {
		if name != g.Without {
			exports = append(exports, append(named(name), kind, byte(index)))
		}
	}
	for _, name := range g.Imports {
		from, kind := "http_handler", Types[name]
		if other, ok := wasi[name]; ok {
			from, kind = "wasi_snapshot_preview1", other
		}
		types = append(types, signature(kind))
		imports = append(imports, append(append(named(from), named(name)...), 0, byte(len(types)-1)))
	}
	if g.Request == nil {
		g.Request = I64(1)
	}
	result := "l"
	if g.Result == Number32 {
		result = "i"
	}
	n := len(g.Imports)
	function([2]string{"", result}, g.Request)
	export("handle_request", 0, n)
	function([2]string{"ii", ""}, g.Response)
	export("handle_response", 0, n+1)
	if g.Begin != nil {
		function([2]string{}, g.Begin)
		export("_initialize", 0, n+2)
	}
	if g.Extra != nil {
		function([2]string{}, g.Extra)
	}
	export("memory", 2, 0)
	memory := binary.AppendUvarint([]byte{0}, uint64(max(1, g.Pages)))
	b := append([]byte("\x00asm\x01\x00\x00\x00"), Section(1, types...)...)
	b = append(append(b, Section(2, imports...)...), Section(3, funcs...)...)
	b = append(append(b, g.Table...), Section(5, memory)...)
	b = append(b, Section(7, exports...)...)
	if g.Start {
		b = append(b, 8, 1, byte(n+len(funcs)-1))
	}
	b = append(b, Section(10, bodies...)...)
	if g.Data != "" {
		b = append(b, Section(11, Code(0, I32(0), End, named(g.Data)))...)
	}
	return b
}
