package guard_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"dyno.example/nanogate/internal/oidc/oidctest"
)

// Logout tokens that anybody has signed, and codes that anybody has made up, don't have the
// provider asked each time: it would limit the gateway, and nobody could log in.
func TestProviderIsSpared(t *testing.T) {
	l := newLogins(t, withBackChannel).ready()
	b := l.browser()
	b.logIn("/")
	before := l.provider.RequestCount("/keys")
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	forged := 0
	for range 50 {
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: rand.Text()}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := signer.Sign([]byte(fmt.Sprintf(`{"iss":%q,"aud":%q,"jti":"x","exp":%d,"iat":%d,"sub":"id2","events":{"http://schemas.openid.net/event/backchannel-logout":{}}}`,
			l.provider.URL, oidctest.ClientID, time.Now().Add(time.Minute).Unix(), time.Now().Unix())))
		if err != nil {
			t.Fatal(err)
		}
		text, err := signed.CompactSerialize()
		if err != nil {
			t.Fatal(err)
		}
		if l.told(text) == 400 {
			forged++
		}
	}
	if forged != 50 || before == 0 {
		t.Errorf("%d of 50 forged tokens were refused; keys were asked for %d times before", forged, before)
	}
	if n := l.provider.RequestCount("/keys") - before; n > 10 { // five, and one in ten seconds, on a machine that may be busy
		t.Errorf("the provider was asked for its keys %d times", n)
	}
	if a := b.send("GET", "/", page); a.status != 200 {
		t.Errorf("the session: %+v", a)
	}
	begun := l.browser()
	a := begun.get("/", page)
	at, err := url.Parse(a.location)
	if err != nil {
		t.Fatal(err)
	}
	tokens, refused := l.provider.RequestCount(oidctest.Token), 0
	cookies := begun.cookies
	for i := range 100 {
		begun.cookies = cookies
		a := begun.send("GET", "/oauth2/callback?code=madeup"+fmt.Sprint(i)+"&state="+url.QueryEscape(at.Query().Get("state")), page)
		if a.status == 429 {
			refused++
		} else if a.status != 403 {
			t.Errorf("a code that is made up: %+v", a)
		}
	}
	if n := l.provider.RequestCount(oidctest.Token) - tokens; n != 20 || refused != 80 {
		t.Errorf("the provider was asked about %d codes, and %d were refused here", n, refused)
	}
	if strings.Contains(l.log.String(), "madeup") {
		t.Errorf("codes are in the log: %s", l.log)
	}
}
