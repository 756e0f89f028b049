// Package http2test holds dyno.example/nano/wire/http2 against golang.org/x/net/http2,
// which that package itself must not require: its tests are all there is here.
package http2test
