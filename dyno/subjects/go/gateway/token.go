package gateway

import (
	"errors"
	"net/http"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

// secret is what the tokens of the contract are signed with. It is no secret.
var secret = []byte("dyno-gateway-subjects-share-this-secret")

var parser = jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithIssuer("dyno"), jwt.WithAudience("gateway"), jwt.WithExpirationRequired())

var errNoToken = errors.New("no token")

// Authorize verifies the request's token, each time in full, as the library is used.
func Authorize(r *http.Request) error {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return errNoToken
	}
	_, err := parser.ParseWithClaims(token, &jwt.RegisteredClaims{}, func(*jwt.Token) (any, error) { return secret, nil })
	return err
}
