package kubernetestest

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
)

var quiet = log.New(io.Discard, "", 0)

// kinds are the kinds of resources by their names in paths.
var kinds = map[string]string{
	"endpointslices": "EndpointSlice", "services": "Service", "namespaces": "Namespace", "secrets": "Secret",
	"gatewayclasses": "GatewayClass", "gateways": "Gateway", "httproutes": "HTTPRoute", "grpcroutes": "GRPCRoute", "referencegrants": "ReferenceGrant",
}

func respond(w http.ResponseWriter, status int, o Object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(o)
}

// failure is what is said of an error.
func failure(code int, reason, message string) Object {
	return Object{"kind": "Status", "apiVersion": "v1", "metadata": Object{}, "status": "Failure", "message": message, "reason": reason, "code": code}
}

func fail(w http.ResponseWriter, code int, reason, message string) {
	respond(w, code, failure(code, reason, message))
}

// clone copies an object.
func clone(o Object) Object {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	var made Object
	if err := json.Unmarshal(b, &made); err != nil {
		panic(err)
	}
	if n, ok := meta(made)["generation"].(float64); ok {
		meta(made)["generation"] = int(n)
	}
	return made
}
