// Package contract verifies a service's responses: [Verifier.Verify] requests every
// route of a contract, [Verifier.VerifyRequests] sends the requests of a load, over
// HTTP/1.1 or HTTP/2, before any load is sent. A [Refusal] shows what was expected and
// what was received.
package contract
