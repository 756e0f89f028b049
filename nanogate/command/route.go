//go:build linux

package command

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/route"
)

func newRoute() *cobra.Command {
	return aboutRequest(&cobra.Command{
		Use:   "route -c FILE [METHOD] URL",
		Short: "Show which route takes a request, and why",
		Long: `Matches a request against a configuration's routes as the gateway does: which route takes
it, which were passed over and why, and which would take it but come later. Nothing is
sent, and no guard, limit or plug-in runs. It exits with 1 if no route takes the request.`,
		Example: `  nanogate route -c nanogate.yaml https://api.shop.test/v1/items
  nanogate route -c nanogate.yaml POST https://api.shop.test/v1/items -H 'X-Version: 2'`,
	}, func(w io.Writer, c *config.Config, q *request.Request) error {
		_, err := explain(w, c, q)
		return err
	})
}

// aboutRequest is a command about a request and a configuration: tell writes what there is to
// say.
func aboutRequest(cmd *cobra.Command, tell func(io.Writer, *config.Config, *request.Request) error) *cobra.Command {
	var file fileArgument
	var fields []string
	var port uint16
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file.flag == "" && len(args) > 1 && args[0] != strings.ToUpper(args[0]) { // FILE [METHOD] URL
			file.flag, args = args[0], args[1:]
		}
		if file.flag == "" {
			return usageError{fmt.Errorf("no configuration file is named: %s -c nanogate.yaml GET https://host/path", cmd.CommandPath())}
		}
		q, err := requestOf(args, fields)
		if err != nil {
			return usageError{err}
		}
		if cmd.Flags().Changed("port") {
			q.Port = port
		}
		c, err := open(cmd.ErrOrStderr(), file.flag)
		if err != nil {
			return err
		}
		return tell(cmd.OutOrStdout(), c, q)
	}
	file.add(cmd)
	cmd.ValidArgsFunction = nil
	cmd.Flags().StringArrayVarP(&fields, "header", "H", nil, "header `field` of the request, 'name: value'; can be repeated")
	cmd.Flags().Uint16Var(&port, "port", 0, "`port` of the gateway that it arrives at, if not the URL's")
	return cmd
}

// requestOf makes the request of [METHOD] URL and fields, as the gateway would read it.
func requestOf(args, fields []string) (*request.Request, error) {
	method := "GET"
	if len(args) == 2 {
		method, args = args[0], args[1:]
	}
	if len(args) != 1 {
		return nil, fmt.Errorf("expected [METHOD] URL, such as GET https://api.shop.test/v1/items, got %q", args)
	}
	u, err := url.Parse(args[0])
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("expected a URL such as https://api.shop.test/v1/items, got %q", args[0])
	}
	_, target, _ := strings.Cut(args[0], "://")
	target, _, _ = strings.Cut(target, "#")
	if i := strings.IndexAny(target, "/?"); i < 0 {
		target = "/"
	} else if target = target[i:]; target[0] == '?' {
		target = "/" + target
	}
	head := method + " " + target + " HTTP/1.1\r\n"
	if !slices.ContainsFunc(fields, func(f string) bool { return len(f) > 5 && strings.EqualFold(f[:5], "host:") }) {
		head += "Host: " + u.Host + "\r\n"
	}
	for _, f := range fields {
		if !strings.Contains(f, ":") {
			return nil, fmt.Errorf("-H: expected 'name: value', got %q", f)
		}
		head += f + "\r\n"
	}
	head += "\r\n"
	parsed := new(http1.Request)
	if _, err := parsed.Parse([]byte(head), nil); err != nil {
		return nil, fmt.Errorf("the gateway would refuse the request: %w", err)
	}
	q := &request.Request{Client: netip.MustParseAddr("192.0.2.1"), Secure: u.Scheme == "https", Port: portOf(u)}
	q.Begin(parsed, []byte(head))
	return q, nil
}

func portOf(u *url.URL) uint16 {
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		return uint16(n)
	}
	if u.Scheme == "https" {
		return 443
	}
	return 80
}

// errNoRoute says that the response is 404 or 405, which has been written.
var errNoRoute = errors.New("no route takes it")

// explain writes which of the routes takes a request, and returns that; nil without an error
// if the gateway responds before any route.
func explain(w io.Writer, c *config.Config, q *request.Request) (*config.Route, error) {
	path, err := request.AppendCanonical(nil, q.RawPath(), request.Keeps(c.Paths))
	if err != nil {
		fmt.Fprintf(w, "refused: 400, %v\n", err)
		return nil, errNoRoute
	}
	q.Path = path
	if raw := string(q.RawPath()); raw != string(path) {
		fmt.Fprintf(w, "%s is %s to all that follows\n", raw, path)
	}
	if c.Ready != "" && c.Ready == string(path) {
		fmt.Fprintf(w, "the gateway responds itself: it is the path of `ready`\n")
		return nil, nil
	}
	if m := c.HTTPSOf(q.Port); m != nil && !q.Secure {
		fmt.Fprintf(w, "no route is tried: %d, clients of port %d are sent to https (%s:%d)\n", m.Status, m.Port, m.At.Path, m.At.Line)
		return nil, nil
	}
	tried := tableOf(c).Explain(q)
	taken := slices.IndexFunc(tried, func(one route.Tried[config.Route]) bool { return one.Why == "" })
	before := tried
	if taken >= 0 {
		before = tried[:taken]
	}
	if slices.ContainsFunc(before, func(one route.Tried[config.Route]) bool { return one.Unclear }) {
		fmt.Fprintf(w, "refused: 400, %v\n", route.ErrUnclear)
		taken = -1
	} else if taken >= 0 {
		r := tried[taken].Value
		fmt.Fprintf(w, "%s takes it: %s (%s:%d)\n", r.Name, destination(r), r.At.Path, r.At.Line)
	} else if slices.ContainsFunc(tried, func(one route.Tried[config.Route]) bool { return one.Method }) {
		fmt.Fprintf(w, "no route takes it: 405\n")
	} else {
		fmt.Fprintf(w, "no route takes it: 404\n")
	}
	if err := printTried(w, c, q, tried, taken); err != nil {
		return nil, err
	}
	if taken >= 0 {
		return tried[taken].Value, nil
	}
	return nil, errNoRoute
}

// printTried writes a table of all routes and what becomes of each, those first that were
// held against the request.
func printTried(w io.Writer, c *config.Config, q *request.Request, tried []route.Tried[config.Route], taken int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nROUTE\tPRIORITY\tHOST\tPATH\tRESULT")
	line := func(r *config.Route, host, what string) {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\n", r.Name, r.Priority, host, r.Match.Path.Text, what)
	}
	seen := map[*config.Route]bool{}
	for i, one := range tried {
		seen[one.Value] = true
		host := one.Host
		if host == "" {
			host = "*"
		}
		switch {
		case i == taken:
			line(one.Value, host, "takes it")
		case one.Why != "":
			line(one.Value, host, "passed over: "+one.Why)
		case taken < 0:
			line(one.Value, host, "would take it")
		case one.Value != tried[taken].Value:
			line(one.Value, host, "would take it, but comes later: "+later(tried[taken], one))
		}
	}
	for _, r := range c.Routes {
		if !seen[r] {
			line(r, hosts(&r.Match), "passed over: "+elsewhere(r, q))
		}
	}
	return t.Flush()
}

func hosts(m *config.Match) string {
	if len(m.Hosts) == 0 {
		return "*"
	}
	return strings.Join(m.Hosts, ",")
}

// later says why a route is tried before another one, which is the order of [route.Table].
func later(first, second route.Tried[config.Route]) string {
	a, b := first.Value, second.Value
	switch {
	case a.Priority != b.Priority:
		return "its priority is lower"
	case first.Host != second.Host:
		return "its host is less specific"
	case a.Match.Path.Text != b.Match.Path.Text:
		return "its path is less specific"
	case a.Match.Rank != b.Match.Rank:
		return "its rank is higher"
	case conditionsOf(&a.Match) != conditionsOf(&b.Match):
		return "it has fewer conditions"
	case len(a.Match.Methods) > 0 && len(b.Match.Methods) == 0:
		return "it names no methods"
	}
	return "it stands later in the file"
}

// conditionsOf is how many conditions a match has.
func conditionsOf(m *config.Match) (n int) {
	n = len(m.Headers) + len(m.Query) + len(m.Cookies)
	for _, is := range []bool{m.Scheme != "", m.Port != 0, m.Exactly} {
		if is {
			n++
		}
	}
	return n
}

// elsewhere says whether it is the host or the path of a route that a request hasn't.
func elsewhere(r *config.Route, q *request.Request) string {
	anywhere := config.Match{Hosts: r.Match.Hosts, Path: config.Pattern{Text: "/*"}}
	e := new(route.Table[config.Route]).Edit(func(*config.Route) int { return 0 })
	e.Add(&anywhere, 0, r)
	if e.Table().Find(q, new(route.Found)) == nil {
		return fmt.Sprintf("the host is %s", q.Host())
	}
	return fmt.Sprintf("the path is %s", q.Path)
}
