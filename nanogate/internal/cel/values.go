package cel

import (
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/rule"
)

var (
	claims = cel.MapType(cel.StringType, cel.DynType)
	texts  = cel.MapType(cel.StringType, cel.StringType)
)

// variables are what is known of each request.
var variables = []struct {
	name string
	kind *cel.Type
	of   func(*view) any
}{
	{"request.method", cel.StringType, func(v *view) any { return types.String(v.r.Method()) }},
	{"request.path", cel.StringType, func(v *view) any { return types.String(v.r.Path) }},
	{"request.host", cel.StringType, func(v *view) any { return types.String(strings.ToLower(string(v.r.Host()))) }},
	{"request.headers", texts, func(v *view) any { return lookup{v, headers} }},
	{"request.query", texts, func(v *view) any { return lookup{v, parameters} }},
	{"request.cookies", texts, func(v *view) any { return lookup{v, cookies} }},
	{"request.address", cel.StringType, func(v *view) any { return types.String(address(v.r.Client)) }},
	{"request.tls", cel.BoolType, func(v *view) any { return types.Bool(v.r.Secure) }},
	{"request.time", cel.TimestampType, func(*view) any { return types.Timestamp{Time: time.Now()} }},
}

// address is the client's address, as networks are written; "" if it came over a unix socket.
func address(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	return a.Unmap().WithZone("").String()
}

// view is the request for an evaluation, which makes values on access.
type view struct {
	scope *rule.Scope
	r     *request.Request
	parts [3]part // as those that lookups are of
}

var values = sync.Pool{New: func() any { return new(view) }}

// Parent implements [interpreter.Activation].
func (v *view) Parent() interpreter.Activation { return nil }

// ResolveName implements [interpreter.Activation].
func (v *view) ResolveName(name string) (any, bool) {
	switch {
	case strings.HasPrefix(name, "request."):
		for i := range variables {
			if variables[i].name == name {
				return variables[i].of(v), true
			}
		}
	case strings.HasPrefix(name, "params."):
		for i, p := range v.scope.Params {
			if p == name[len("params."):] && i < len(v.r.Params) {
				at := v.r.Params[i]
				return types.String(v.r.Path[at.Start:at.End]), true
			}
		}
	default:
		for _, guard := range rule.Guards {
			if guard == name { // a guard that has found nothing has verified nothing
				return map[string]any(v.r.Claims(name)), true
			}
		}
	}
	return nil, false
}

// lookup is a part of a request that maps names to strings: only what is accessed is
// read.
type lookup struct {
	v    *view
	kind kind
}

var _ traits.Mapper = lookup{}

// Find implements [traits.Mapper]. A name that is there twice could be read in two ways, so
// it is an error unless the values are joined.
func (l lookup) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), false
	}
	value, times := l.v.find(l.kind, string(name))
	switch {
	case times == 0:
		return nil, false
	case times > 1 && l.kind != headers:
		return types.NewErr("%s is there more than once", name), false
	}
	return types.String(value), true
}

// whole is all of it.
func (l lookup) whole() traits.Mapper {
	all := map[string]string{}
	for name, e := range l.v.all(l.kind) {
		all[name] = e.value
	}
	return types.NewStringStringMap(types.DefaultTypeAdapter, all)
}

// Get implements [traits.Indexer].
func (l lookup) Get(key ref.Val) ref.Val {
	v, ok := l.Find(key)
	if !ok {
		return types.ValOrErr(v, "no such key: %v", key)
	}
	return v
}

// Contains implements [traits.Container].
func (l lookup) Contains(key ref.Val) ref.Val {
	v, ok := l.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(ok)
}

// Iterator implements [traits.Iterable].
func (l lookup) Iterator() traits.Iterator { return l.whole().Iterator() }

// Size implements [traits.Sizer].
func (l lookup) Size() ref.Val { return l.whole().Size() }

// Type implements [ref.Val].
func (l lookup) Type() ref.Type { return types.MapType }

// Value implements [ref.Val].
func (l lookup) Value() any { return l.whole().Value() }

// Equal implements [ref.Val].
func (l lookup) Equal(other ref.Val) ref.Val { return l.whole().Equal(other) }

// ConvertToType implements [ref.Val].
func (l lookup) ConvertToType(t ref.Type) ref.Val { return l.whole().ConvertToType(t) }

// ConvertToNative implements [ref.Val].
func (l lookup) ConvertToNative(t reflect.Type) (any, error) { return l.whole().ConvertToNative(t) }
