package acmetest

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"
)

// What updates are signed with.
const (
	KeyName   = "gateway."
	KeySecret = "c2VjcmV0IG9mIHRoZSBnYXRld2F5IGZvciB0ZXN0cyE="
)

// Zone is the one that takes updates.
const Zone = "shop.example."

// Names is a name server by which all names are of this machine. One zone takes updates (RFC
// 2136) that are signed with the key (RFC 8945).
type Names struct {
	Address string
	Key     string // file of the key

	mu      sync.Mutex
	texts   map[string][]string // of TXT records, by name
	made    []string            // names of all that there have been, in turn
	refuses bool                // updates
}

// NewNames starts one. It ends with the test.
func NewNames(t testing.TB) *Names {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &Names{Address: ln.Addr().String(), Key: WriteKey(t, "hmac-sha256", KeySecret), texts: map[string][]string{}}
	server := &dns.Server{
		Listener: ln, Handler: n, TsigSecret: map[string]string{KeyName: KeySecret},
		MsgAcceptFunc: func(dns.Header) dns.MsgAcceptAction { return dns.MsgAccept }, // updates too
	}
	go func() { _ = server.ActivateAndServe() }()
	t.Cleanup(func() { _ = server.Shutdown() })
	return n
}

// WriteKey writes the file of a key as tsig-keygen does.
func WriteKey(t testing.TB, algorithm, secret string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tsig.key")
	text := "key \"" + strings.TrimSuffix(KeyName, ".") + "\" {\n\talgorithm " + algorithm + ";\n\tsecret \"" + secret + "\";\n};\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ServeDNS responds to a query, or applies an update.
func (n *Names) ServeDNS(w dns.ResponseWriter, r *dns.Msg) {
	answer := new(dns.Msg).SetReply(r)
	if r.Opcode == dns.OpcodeUpdate {
		answer.Rcode = n.update(w, r)
	} else {
		n.answer(answer, r.Question[0])
	}
	if sig := r.IsTsig(); sig != nil && w.TsigStatus() == nil {
		answer.SetTsig(sig.Hdr.Name, sig.Algorithm, 300, int64(sig.TimeSigned))
	}
	_ = w.WriteMsg(answer)
}

func (n *Names) answer(m *dns.Msg, q dns.Question) {
	name := strings.ToLower(q.Name)
	header := dns.RR_Header{Name: q.Name, Rrtype: q.Qtype, Class: dns.ClassINET}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch q.Qtype {
	case dns.TypeA:
		m.Answer = append(m.Answer, &dns.A{Hdr: header, A: net.IPv4(127, 0, 0, 1)})
	case dns.TypeTXT:
		for _, text := range n.texts[name] {
			m.Answer = append(m.Answer, &dns.TXT{Hdr: header, Txt: []string{text}})
		}
	case dns.TypeSOA:
		if !dns.IsSubDomain(Zone, name) {
			m.Rcode = dns.RcodeRefused
			return
		}
		header.Name = Zone
		soa := &dns.SOA{Hdr: header, Ns: "ns." + Zone, Mbox: "root." + Zone, Serial: 1, Refresh: 1, Retry: 1, Expire: 1, Minttl: 1}
		if name == Zone {
			m.Answer = append(m.Answer, soa)
		} else {
			m.Ns = append(m.Ns, soa)
		}
	}
}

// update returns what becomes of an update (RFC 2136 3).
func (n *Names) update(w dns.ResponseWriter, r *dns.Msg) (code int) {
	if r.IsTsig() == nil || w.TsigStatus() != nil {
		return dns.RcodeNotAuth
	}
	if len(r.Question) != 1 || r.Question[0].Name != Zone {
		return dns.RcodeNotZone
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, rr := range r.Ns {
		txt, ok := rr.(*dns.TXT)
		if !ok || !dns.IsSubDomain(Zone, txt.Hdr.Name) || n.refuses {
			return dns.RcodeRefused
		}
		name, text := strings.ToLower(txt.Hdr.Name), strings.Join(txt.Txt, "")
		n.texts[name] = slices.DeleteFunc(n.texts[name], func(one string) bool { return one == text })
		if txt.Hdr.Class == dns.ClassINET {
			n.texts[name] = append(n.texts[name], text)
			n.made = append(n.made, name)
		}
	}
	return dns.RcodeSuccess
}

// Refuse has it refuse updates, or take them again.
func (n *Names) Refuse(yes bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refuses = yes
}

// Records are how many TXT records there are, and the names of all that there have been.
func (n *Names) Records() (now int, made []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, texts := range n.texts {
		now += len(texts)
	}
	return now, slices.Clone(n.made)
}
