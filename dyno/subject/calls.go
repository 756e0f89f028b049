package subject

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc/codes"

	"dyno.example/dyno/subject/contract"
)

// ParseCalls reads a list of gRPC calls; file is its name in messages. Mistakes are
// reported as by [ParseManifest].
func ParseCalls(file string, data []byte) ([]contract.Call, error) {
	r := &reader{file: file}
	root := r.parse(data)
	if root == nil {
		return nil, r.err()
	}
	var calls []contract.Call
	seen := map[string]bool{}
	r.items(root, "", func(item *yaml.Node, p string) {
		var c contract.Call
		r.object(item, p,
			field{"name", true, r.text(&c.Name)},
			field{"method", true, r.grpcMethod(&c.Method)},
			field{"send", true, r.messages(&c.Send)},
			field{"expect", true, r.callExpect(&c.Expect)},
		)
		if seen[c.Name] {
			r.fail(item, p, "a second call with the name %q", c.Name)
		}
		seen[c.Name] = true
		calls = append(calls, c)
	})
	if len(r.errs) == 0 && len(calls) == 0 {
		r.fail(root, "", "no calls; expected at least one")
	}
	return calls, r.err()
}

func (r *reader) callExpect(dst *contract.CallExpect) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		r.object(n, p,
			field{"status", false, r.grpcStatus(&dst.Status)},
			field{"says", false, r.text(&dst.Says)},
			field{"messages", false, r.messages(&dst.Messages)},
		)
	}
}

func (r *reader) grpcMethod(dst *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		s, ok := r.scalar(n, p)
		service, method, found := strings.Cut(s, "/")
		if ok && (!found || service == "" || method == "" || strings.ContainsAny(s, " \t") || strings.Contains(method, "/")) {
			r.fail(n, p, "%q is not a method; expected one such as %q", s, "package.Service/Method")
		}
		*dst = s
	}
}

// grpcStatus reads the name of a status code.
func (r *reader) grpcStatus(dst *codes.Code) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		s, ok := r.scalar(n, p)
		if ok && dst.UnmarshalJSON([]byte(strconv.Quote(s))) != nil {
			r.fail(n, p, "%q is not a status; expected one such as OK or INVALID_ARGUMENT", s)
		}
	}
}

func (r *reader) messages(dst *[]any) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		r.items(n, p, func(item *yaml.Node, p string) {
			if item.Kind != yaml.MappingNode {
				r.fail(item, p, "expected a message as a mapping, got %s", kindName(item))
				return
			}
			*dst = append(*dst, r.json(item, p))
		})
	}
}
