//go:build linux

package metrics

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the list of metrics into nanogate/docs/metrics.md")

// labels are those of each metric's series, as the page shows them. That the page is right
// about them is seen by a test of package gateway, which reads a gateway's series.
var labels = map[string]string{
	"nanogate_requests_total":                  "route, code",
	"nanogate_failures_total":                  "route, reason",
	"nanogate_refused_total":                   "route, reason",
	"nanogate_retries_total":                   "route",
	"nanogate_request_duration_seconds":        "route",
	"nanogate_objective_seconds":               "route",
	"nanogate_objective_requests_total":        "route",
	"nanogate_objective_missed_total":          "route",
	"nanogate_check_duration_seconds":          "route, check",
	"nanogate_rule_refusals_total":             "route, rule, reason",
	"nanogate_middleware_failures_total":       "middleware, reason",
	"nanogate_endpoint_up":                     "upstream, endpoint",
	"nanogate_endpoint_active":                 "upstream, endpoint",
	"nanogate_endpoint_requests_total":         "upstream, endpoint, code",
	"nanogate_endpoint_failures_total":         "upstream, endpoint, reason",
	"nanogate_endpoint_duration_seconds":       "upstream, endpoint",
	"nanogate_upstream_endpoints":              "upstream, state",
	"nanogate_source_live":                     "upstream",
	"nanogate_source_since_timestamp_seconds":  "upstream",
	"nanogate_source_stored_timestamp_seconds": "upstream",
	"nanogate_source_wrong":                    "upstream",
	"nanogate_canary_weight":                   "route",
	"nanogate_canary_rolled_back":              "route",
	"nanogate_canary_ratio":                    "route, of, bound",
	"nanogate_canary_requests_total":           "route, side",
	"nanogate_canary_failed_total":             "route, side",
	"nanogate_canary_slow_total":               "route, side",
	"nanogate_mirror_requests_total":           "route, result",
	"nanogate_mirror_differences_total":        "route, kind, field",
	"nanogate_mirror_unread_total":             "route",
	"nanogate_mirror_dropped_total":            "route, reason",
	"nanogate_mirror_duration_seconds":         "route, side",
	"nanogate_cache_requests_total":            "route, result",
	"nanogate_cache_stored_total":              "route",
	"nanogate_cache_served_bytes_total":        "route",
	"nanogate_limit_state":                     "route or upstream, limit, state",
	"nanogate_queue_requests_total":            "route or upstream, result",
	"nanogate_queue_wait_seconds_total":        "route or upstream",
	"nanogate_plugin_calls_total":              "plugin, for",
	"nanogate_plugin_responses_total":          "plugin",
	"nanogate_plugin_failures_total":           "plugin, reason",
	"nanogate_plugin_duration_seconds":         "plugin",
	"nanogate_plugin_instances":                "plugin",
	"nanogate_plugin_memory_bytes":             "plugin",
	"nanogate_plugin_current":                  "plugin",
	"nanogate_tls_handshakes_total":            "result",
	"nanogate_certificate_expiry_seconds":      "file",
	"nanogate_acme_certificate":                "name",
	"nanogate_acme_orders_total":               "name, result",
	"nanogate_access_log_lines_total":          "result",
	"nanogate_traces_total":                    "result",
	"nanogate_metrics_pushes_total":            "result",
	"nanogate_build_info":                      "version, revision, goversion",
}

const (
	page  = "../../docs/metrics.md"
	begin = "<!-- begin: all metrics, by go test ./nanogate/internal/metrics -run Reference -update -->\n"
	end   = "<!-- end -->\n"
)

// The page lists the metrics that the source writes, with their types and what it says of
// them.
func TestReference(t *testing.T) {
	all := declared(t)
	if len(all) < 60 {
		t.Fatalf("only %d metrics were found", len(all))
	}
	table := "| metric | labels | type | meaning |\n|---|---|---|---|\n"
	for _, name := range slices.Sorted(maps.Keys(all)) {
		table += fmt.Sprintf("| `%s` | %s | %s | %s |\n", name, labels[name], all[name].kind, all[name].help)
	}
	for name := range labels {
		if _, ok := all[name]; !ok {
			t.Errorf("labels has %s, which isn't a metric", name)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the list: %s%s", page, begin, end)
	}
	want := head + begin + "\n" + table + "\n" + end + tail
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s isn't what the source says: go test ./nanogate/internal/metrics -run Reference -update", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// metric is what the source says of one.
type metric struct{ kind, help string }

var named = regexp.MustCompile(`^(nanogate|process|go)(_[a-z0-9]+)+$`)

// declared are the metrics of this package's source. A metric is a name that a text
// follows which says what it is: as arguments of family, whose kind is between them; of a
// function that writes counters; or in a table that a loop writes as families of one kind.
func declared(t *testing.T) map[string]metric {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]metric{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if kind, ok := kindOf(n); ok {
					collect(all, n.Args, kind)
				} else {
					collect(all, n.Args, counter.String())
				}
			case *ast.RangeStmt:
				table, ok := n.X.(*ast.CompositeLit)
				if !ok {
					break
				}
				kind := ""
				ast.Inspect(n.Body, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok {
						if found, ok := kindOf(call); ok {
							kind = found
						}
					}
					return true
				})
				for _, row := range table.Elts {
					if row, ok := row.(*ast.CompositeLit); ok {
						collect(all, row.Elts, kind)
					}
				}
			}
			return true
		})
	}
	return all
}

// kindOf is the kind that a call of family gives.
func kindOf(call *ast.CallExpr) (string, bool) {
	if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "family" || len(call.Args) != 3 {
		return "", false
	}
	kind, ok := call.Args[1].(*ast.Ident)
	return kind.Name, ok
}

// collect adds the metric that a list of expressions names, if one does.
func collect(all map[string]metric, list []ast.Expr, kind string) {
	var texts []string
	for _, e := range list {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				texts = append(texts, text)
			}
		}
	}
	if len(texts) >= 2 && named.MatchString(texts[0]) {
		all[texts[0]] = metric{kind, texts[1]}
	}
}
