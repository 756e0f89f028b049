package gatewayapi

import (
	"fmt"
	"strings"
	"testing"

	gw "sigs.k8s.io/gateway-api/apis/v1"
)

// webStatus is what is said of the Gateway shop/web.
func webStatus(t testing.TB, s Settings, objects *Objects) *gw.GatewayStatus {
	t.Helper()
	status := translated(t, objects, s).Gateways[Name{Namespace: "shop", Name: "web"}]
	if status == nil {
		t.Fatal("nothing is said of the Gateway")
	}
	return status
}

// Listeners that can't be served, and what becomes of their Gateway.
func TestListenersNotValid(t *testing.T) {
	const (
		good = `{"name":"good","port":80,"protocol":"HTTP"}`
		odd  = `{"name":"odd","port":1111,"protocol":"INVALID","allowedRoutes":{"kinds":[{"kind":"TCPRoute"}]}}`
		bare = `{"name":"bare","port":443,"protocol":"HTTPS","tls":{"certificateRefs":[{"name":"none"}]}}`
	)
	for _, test := range []struct{ name, listeners, gateway, listener string }{
		{"of an unknown protocol", odd, "Accepted False ListenersNotValid: none of its listeners can be served\nProgrammed False Invalid: none of its listeners can be served",
			"0 kinds\nAccepted False UnsupportedProtocol: nanogate serves HTTP and HTTPS, not INVALID\nProgrammed False Invalid: nanogate serves HTTP and HTTPS, not INVALID"},
		{"one of two", odd + "," + good, "Accepted True ListenersNotValid: 1 of 2 listeners are served",
			"0 kinds\nAccepted False UnsupportedProtocol: nanogate serves HTTP and HTTPS, not INVALID\nProgrammed False Invalid: nanogate serves HTTP and HTTPS, not INVALID"},
		{"without a certificate", bare, "Accepted True ListenersNotValid: 0 of 1 listeners are served\nProgrammed False Invalid: none of its listeners can be served",
			"2 kinds\nProgrammed False Invalid: there is no certificate to show to clients\nResolvedRefs False InvalidCertificateRef: Secret shop/none: there is none"},
	} {
		o, s := objects(t, gatewayText(test.listeners)), settings()
		o.Secrets, s.Secure, s.FromSecrets = map[Name]*Secret{{Namespace: "shop", Name: "none"}: {Problem: "there is none"}}, true, true
		status := webStatus(t, s, o)
		if got := said(status.Conditions); got != test.gateway {
			t.Errorf("%s: of the Gateway is said\n%s\nwant\n%s", test.name, got, test.gateway)
		}
		l := status.Listeners[0]
		if got := fmt.Sprintf("%d kinds\n%s", len(l.SupportedKinds), said(l.Conditions)); got != test.listener {
			t.Errorf("%s: of the listener is said\n%s\nwant\n%s", test.name, got, test.listener)
		}
	}
}

// A Gateway with parameters isn't served, as there are none of nanogate's.
func TestParameters(t *testing.T) {
	text := strings.Replace(gatewayText(`{"name":"web","port":80,"protocol":"HTTP"}`), `"spec":{`, `"spec":{"infrastructure":{"parametersRef":{"group":"example.com","kind":"Size","name":"large"}},`, 1)
	o := objects(t, text, routeText("r", `{"backendRefs":[{"name":"users","port":80}]}`))
	status := webStatus(t, settings(), o)
	const want = "parameters of the kind Size of example.com aren't supported"
	if got := said(status.Conditions); got != "Accepted False InvalidParameters: "+want+"\nProgrammed False Invalid: none of its listeners can be served" {
		t.Errorf("of the Gateway is said\n%s", got)
	}
	if got := said(status.Listeners[0].Conditions); got != "Accepted False Invalid: "+want+"\nProgrammed False Invalid: "+want {
		t.Errorf("of its listener is said\n%s", got)
	}
	made := translated(t, o, settings())
	if len(made.Addition.Routes) != 0 || strings.Join(made.Missing, "") != "Gateway shop/web: "+want {
		t.Errorf("%d routes are served, and missing is %q", len(made.Addition.Routes), made.Missing)
	}
	if got := said(made.HTTP[Name{Namespace: "shop", Name: "r"}][0].Conditions); got != "Accepted False NotAllowedByListeners: listener web isn't served: "+want {
		t.Errorf("of its route is said %q", got)
	}
}

// Addresses that a Gateway asks for are those of the file, or any where it names only a type.
func TestAddresses(t *testing.T) {
	for _, test := range []struct{ wanted, said string }{
		{`{"value":"192.0.2.1"}`, ""},
		{`{"type":"IPAddress"}`, ""},
		{`{}`, ""},
		{`{"type":"Hostname","value":"web.example"}`, ""},
		{`{"type":"IPAddress","value":"192.0.2.1"},{"type":"IPAddress","value":"192.0.2.2"}`, "Programmed False AddressNotUsable: 192.0.2.2 isn't one of the addresses in the gateway's file"},
		{`{"type":"example.com/Name","value":"x"}`, "Accepted False UnsupportedAddress: an address of the type example.com/Name isn't supported\nProgrammed False AddressNotUsable: x isn't one of the addresses in the gateway's file"},
	} {
		s := settings()
		s.Addresses = []string{"192.0.2.1", "web.example"}
		text := strings.Replace(gatewayText(`{"name":"web","port":80,"protocol":"HTTP"}`), `"spec":{`, `"spec":{"addresses":[`+test.wanted+`],`, 1)
		status := webStatus(t, s, objects(t, text))
		if got := said(status.Conditions); got != test.said {
			t.Errorf("%s: of the Gateway is said %q, want %q", test.wanted, got, test.said)
		}
		if len(status.Addresses) != 2 {
			t.Errorf("%s: it has the addresses %v", test.wanted, status.Addresses)
		}
	}
	s := settings()
	s.Addresses = []string{"web.example"}
	text := strings.Replace(gatewayText(`{"name":"web","port":80,"protocol":"HTTP"}`), `"spec":{`, `"spec":{"addresses":[{"type":"IPAddress"}],`, 1)
	if got := said(webStatus(t, s, objects(t, text)).Conditions); got != "Programmed False AddressNotUsable: none of the addresses in the gateway's file is of the type IPAddress" {
		t.Errorf("without an address of its type is said %q", got)
	}
}

// A route counts once for each listener that it belongs to, if it is accepted.
func TestAttachedRoutes(t *testing.T) {
	const (
		good = `{"backendRefs":[{"name":"users","port":80}]}`
		lost = `{"backendRefs":[{"name":"none","port":80}]}`
		odd  = `{"matches":[{"path":{"value":"/x"}}],"retry":{},"backendRefs":[{"name":"users","port":80}]}`
	)
	of := func(parents, rules string) string {
		return strings.Replace(routeText("r", rules), `[{"name":"web"}]`, "["+parents+"]", 1)
	}
	for _, test := range []struct {
		name, route string
		a, b        int32
	}{
		{"all listeners", of(`{"name":"web"}`, good), 1, 1},
		{"one", of(`{"name":"web","sectionName":"b"}`, good), 0, 1},
		{"one of them again", of(`{"name":"web"},{"name":"web","sectionName":"b"}`, good), 1, 1},
		{"what isn't there", of(`{"name":"web"}`, lost), 1, 1},
		{"served in part", of(`{"name":"web"}`, good+","+odd), 1, 1},
		{"not accepted", of(`{"name":"web"}`, odd), 0, 0},
		{"no rules", of(`{"name":"web"}`, ""), 1, 1},
	} {
		status := webStatus(t, settings(), objects(t, gatewayText(`{"name":"a","port":80,"protocol":"HTTP","hostname":"a.example"}`, `{"name":"b","port":80,"protocol":"HTTP"}`), test.route))
		if a, b := status.Listeners[0].AttachedRoutes, status.Listeners[1].AttachedRoutes; a != test.a || b != test.b {
			t.Errorf("%s: %d and %d routes, want %d and %d", test.name, a, b, test.a, test.b)
		}
	}
}
