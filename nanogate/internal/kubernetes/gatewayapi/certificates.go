package gatewayapi

import (
	"cmp"
	"fmt"

	gw "sigs.k8s.io/gateway-api/apis/v1"

	"dyno.example/nanogate/internal/secure"
)

// certify finds the certificates that a listener names. What can't be resolved is told by
// its condition; a listener without any can't serve anybody.
func (l *listener) certify(t *translation) {
	if !t.FromSecrets {
		l.refs = &refused{"InvalidCertificateRef", "Secrets aren't read: no tls in the gateway's file says kubernetes: true"}
		return
	}
	bound := secure.Bound{Hostname: l.hostname()}
	for i := range l.TLS.CertificateRefs {
		name, secret, no := t.secret(l, &l.TLS.CertificateRefs[i])
		if no != nil && l.refs == nil {
			l.refs = no
		}
		if secret != nil && secret.Pair != nil {
			bound.Certificates = append(bound.Certificates, secure.Named{Name: "Secret " + name.String(), Certificate: secret.Pair})
		}
	}
	if len(bound.Certificates) == 0 {
		l.unready = "there is no certificate to show to clients"
		return
	}
	t.result.Certificates = append(t.result.Certificates, bound)
}

// secret finds the Secret of a reference, and says what is wrong with it.
func (t *translation) secret(l *listener, ref *gw.SecretObjectReference) (name Name, secret *Secret, no *refused) {
	name = Name{Namespace: l.gateway.Namespace, Name: string(ref.Name)}
	if ref.Namespace != nil {
		name.Namespace = string(*ref.Namespace)
	}
	switch {
	case ref.Group != nil && *ref.Group != "" || ref.Kind != nil && *ref.Kind != "Secret":
		return name, nil, &refused{"InvalidCertificateRef", fmt.Sprintf("certificates of %s/%s aren't supported, but those of Secrets", deref(ref.Group), cmp.Or(deref(ref.Kind), "Secret"))}
	case name.Namespace != l.gateway.Namespace && !t.granted(reference{"Gateway", l.gateway.Namespace, "Secret", name}):
		return name, nil, &refused{"RefNotPermitted", fmt.Sprintf("no ReferenceGrant in %s allows Gateways of %s to refer to the Secret %s", name.Namespace, l.gateway.Namespace, name.Name)}
	}
	if !t.wanted[name] {
		if len(t.wanted) == mostSecrets {
			return name, nil, &refused{"InvalidCertificateRef", fmt.Sprintf("more than %d Secrets aren't read", mostSecrets)}
		}
		t.wanted[name] = true
		t.result.Wanted = append(t.result.Wanted, name)
	}
	secret = t.Objects.Secrets[name]
	switch {
	case secret == nil:
		t.result.Pending = true
		return name, nil, &refused{"InvalidCertificateRef", fmt.Sprintf("the Secret %s isn't read yet", name)}
	case secret.Problem != "" && secret.Pair != nil:
		no = &refused{"InvalidCertificateRef", fmt.Sprintf("Secret %s: %s; the last certificate that could be used is shown", name, secret.Problem)}
	case secret.Problem != "":
		no = &refused{"InvalidCertificateRef", fmt.Sprintf("Secret %s: %s", name, secret.Problem)}
	}
	return name, secret, no
}
