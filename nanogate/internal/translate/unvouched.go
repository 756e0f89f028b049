package translate

import "dyno.example/nano/wire/http1"

// Unvouched reports whether a field tells of the client, or of the address that it asked for,
// what only a proxy can know, and nobody who may say it does: anybody can send such a field,
// and upstreams believe it. proxy says that it comes from a proxy that is trusted, vouches
// that what this one says of certificates counts too.
func Unvouched(name []byte, proxy, vouches bool) bool {
	if proxy && vouches {
		return false
	}
	if ofCertificate(name) {
		return true
	}
	return !proxy && ofProxy(name)
}

// asked are fields by which proxies tell what a client asked them for, besides
// X-Forwarded-Host and the like; senders those by which they tell who it is. By length.
var (
	asked   = byLength("x-host", "x-original-host", "x-original-uri", "x-original-method", "x-url-scheme", "front-end-https")
	senders = byLength("x-original-forwarded-for", "x-client-ip", "x-remote-ip", "x-remote-addr", "x-originating-ip", "x-cluster-client-ip",
		"true-client-ip", "fly-client-ip", "cf-connecting-ip", "cf-connecting-ipv6", "fastly-client-ip", "x-azure-clientip", "x-azure-socketip", "x-envoy-external-address",
		"client-ip", "proxy-client-ip", "wl-proxy-client-ip", "x-proxyuser-ip", // what PHP, WebLogic and much of Java look for
		"akamai-client-ip", "incap-client-ip", "x-sucuri-clientip", "do-connecting-ip", "x-appengine-user-ip", "x-nf-client-connection-ip", "x-vercel-forwarded-for")
)

// certificates are what names of fields begin with by which proxies that end TLS tell of a
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
	return begins(name, "x-forwarded") || asked.has(name) || senders.has(name)
}

// AskedBefore reports whether a field tells what a client asked of a proxy before the gateway,
// by which an upstream that believes it may answer otherwise. That isn't said of who asked.
func AskedBefore(name []byte) bool {
	return asked.has(name) || begins(name, "x-forwarded") && !begins(name, "x-forwarded-for") && !begins(name, "x-forwarded-proto") && !ofCertificate(name)
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
