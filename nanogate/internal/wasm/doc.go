// Package wasm runs plug-ins: WebAssembly modules that see and change requests and
// responses by the http-wasm HTTP handler ABI (https://http-wasm.io/http-handler-abi/).
// A guest is called with an [Exchange], which is all that it can reach: it has no files,
// no network, no environment. Its memory and its time are bounded, and whatever it does
// ends that instance of it and no more.
//
// Nothing here runs on an event loop but what copies heads: guests are called by workers.
package wasm
