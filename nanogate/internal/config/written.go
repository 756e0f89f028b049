package config

import (
	"reflect"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Routes and upstreams that aren't the file's are shown, and told from each other, by the text that
// they would have in it.

// written are fields as a file would have them.
type written map[string]any

// put puts a field in that says something.
func (w written) put(name string, value any) {
	if v := reflect.ValueOf(value); !v.IsZero() && (v.Kind() != reflect.Map && v.Kind() != reflect.Slice || v.Len() > 0) {
		w[name] = value
	}
}

// text is all of it as YAML on one line.
func (w written) text() string {
	var n yaml.Node
	if err := n.Encode(w); err != nil { // there is nothing in it that YAML can't hold
		panic(err)
	}
	return string(appendText(nil, &n))
}

func writeRoute(r *Route) string {
	w := written{"match": writeMatch(&r.Match)}
	w.put("name", r.Name)
	w.put("priority", r.Priority)
	to := written{}
	for i := range r.To {
		to[r.To[i].Upstream] = r.To[i].Weight
	}
	w.put("to", to)
	if r.Redirect != nil {
		w["redirect"] = written{"to": r.Redirect.To.String(), "status": r.Redirect.Status}
	}
	if r.Respond != nil {
		w["respond"] = written{"status": r.Respond.Status}
	}
	if r.Rewrite != nil {
		w["rewrite"] = r.Rewrite.String()
	}
	w.put("host", r.Host)
	w.put("request-headers", writeHeaders(&r.Request))
	w.put("response-headers", writeHeaders(&r.Response))
	if r.Timeout != 0 {
		w["timeout"] = r.Timeout.String()
	}
	if r.Retry.Timeout != 0 {
		w["retry"] = written{"timeout": r.Retry.Timeout.String()}
	}
	if r.Mirror != nil {
		w["mirror"] = writeMirror(r.Mirror)
	}
	if f := r.Fault; f != nil {
		w["fault"] = written{"abort": written{"status": f.Abort, "share": writeShare(f.AbortShare)}}
	}
	return w.text()
}

func writeMirror(m *Mirror) written {
	return written{"to": m.To.Upstream, "share": writeShare(m.Share), "methods": m.Methods}
}

func writeMatch(m *Match) written {
	w := written{"path": m.Path.Text}
	w.put("host", m.Hosts)
	if m.Exactly {
		w["methods"] = written{"is": m.Methods[0]}
	} else {
		w.put("methods", m.Methods)
	}
	w.put("headers", writeConditions(m.Headers))
	w.put("query", writeConditions(m.Query))
	w.put("cookies", writeConditions(m.Cookies))
	w.put("scheme", m.Scheme)
	w.put("port", m.Port)
	w.put("rank", m.Rank)
	return w
}

func writeConditions(all []Condition) written {
	w := written{}
	for i := range all {
		if c := &all[i]; c.Kind == Equals {
			w[c.Name] = written{"is": c.Value}
		} else {
			w[c.Name] = c.Text()
		}
	}
	return w
}

func writeHeaders(h *Headers) written {
	w := written{}
	w.put("remove", h.Remove)
	w.put("set", writeFields(h.Set))
	w.put("add", writeFields(h.Add))
	return w
}

func writeFields(all []Field) written {
	w := written{}
	for _, f := range all {
		w[f.Name] = f.Value
	}
	return w
}

// writeShare writes a part of all.
func writeShare(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func writeUpstream(u *Upstream) string {
	w := written{}
	if k := u.Kubernetes; k != nil {
		of := written{"timeout": k.Cluster.Timeout.String()}
		of.put("service", k.Service)
		of.put("namespace", k.Namespace)
		of.put("port", k.Port)
		if k.Protocol != TalkAsTold {
			of["protocol"] = kubernetesTalks[k.Protocol]
		}
		of.put("kubeconfig", k.Cluster.Kubeconfig)
		of.put("context", k.Cluster.Context)
		w["kubernetes"] = of
	}
	return w.text()
}
