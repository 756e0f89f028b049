package translate

import "dyno.example/nano/wire/http1"

// Unvouched reports whether a field claims to come from a proxy, about the client or the
// address that it requested, and doesn't come from a trusted one: any client can send such a
// field, and upstreams believe it. proxy says that it comes from a trusted proxy, vouches
// that its claims about certificates are trusted too.
func Unvouched(name []byte, proxy, vouches bool) bool {
	if proxy && vouches {
		return false
	}
	if ofCertificate(name) {
		return true
	}
	return !proxy && ofProxy(name)
}

// original are fields by which proxies pass on the original request, in addition to
// X-Forwarded-Host and the like; senders those that identify the client. By length.
var (
	original = byLength("x-host", "x-original-host", "x-original-uri", "x-original-method", "x-url-scheme", "front-end-https")
	senders  = byLength("x-original-forwarded-for", "x-client-ip", "x-remote-ip", "x-remote-addr", "x-originating-ip", "x-cluster-client-ip",
		"true-client-ip", "fly-client-ip", "cf-connecting-ip", "cf-connecting-ipv6", "fastly-client-ip", "x-azure-clientip", "x-azure-socketip", "x-envoy-external-address",
		"client-ip", "proxy-client-ip", "wl-proxy-client-ip", "x-proxyuser-ip", // what PHP, WebLogic and much of Java look for
		"akamai-client-ip", "incap-client-ip", "x-sucuri-clientip", "do-connecting-ip", "x-appengine-user-ip", "x-nf-client-connection-ip", "x-vercel-forwarded-for")
)

// certificates are prefixes of the fields in which proxies that terminate TLS pass on a
// client's certificate: Envoy, Traefik, Nginx, HAProxy, Apache, the balancers of AWS and Azure.
var certificates = [...]string{
	"client-cert", "x-client-cert", "x-client-verify", "x-forwarded-client-cert", "x-forwarded-tls-client-cert",
	"ssl-client-", "x-ssl-client-", "x-ssl-cert", "x-amzn-mtls-", "x-arr-clientcert",
}

type names [len("x-nf-client-connection-ip") + 1][]string

func byLength(all ...string) (n names) {
	for _, name := range all {
		n[len(name)] = append(n[len(name)], name)
	}
	return n
}

func (n *names) has(name []byte) bool {
	return len(name) < len(n) && len(n[len(name)]) > 0 && Dropped(name, n[len(name)])
}

func ofProxy(name []byte) bool {
	return begins(name, "x-forwarded") || original.has(name) || senders.has(name)
}

// AskedBefore reports whether a field describes the original request to a proxy before the
// gateway, which may change the response of an upstream that believes it. Fields about the
// client aren't among them.
func AskedBefore(name []byte) bool {
	return original.has(name) || begins(name, "x-forwarded") && !begins(name, "x-forwarded-for") && !begins(name, "x-forwarded-proto") && !ofCertificate(name)
}

func ofCertificate(name []byte) bool {
	if len(name) == 0 {
		return false
	}
	switch name[0] | 0x20 {
	case 'c', 's', 'x':
		for _, lower := range certificates {
			if begins(name, lower) {
				return true
			}
		}
	}
	return false
}

// begins reports whether a name begins with a text in lower case.
func begins(name []byte, lower string) bool {
	return len(name) >= len(lower) && http1.EqualFold(name[:len(lower)], lower)
}
