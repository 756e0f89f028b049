// Package contract holds a service to what it has to answer: [Verifier.Verify] asks
// for every route of a contract, [Verifier.VerifyRequests] for what a load asks for,
// over HTTP/1.1 or HTTP/2, before any load is sent. A [Refusal] shows what was
// expected and what was got.
package contract
