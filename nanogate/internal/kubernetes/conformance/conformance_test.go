//go:build linux

package conformance

import (
	"os"
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
	confv1 "sigs.k8s.io/gateway-api/conformance/apis/v1"
	"sigs.k8s.io/gateway-api/conformance/utils/suite"
	"sigs.k8s.io/gateway-api/pkg/features"

	"dyno.example/nanogate/internal/kubernetes/kubernetestest"
)

// supported are the features beyond the core that nanogate carries out.
var supported = []features.FeatureName{
	features.SupportGatewayAddressEmpty, features.SupportGatewayHTTPListenerIsolation, features.SupportGatewayPort8080, features.SupportHTTPRouteParentRefPort, features.SupportHTTPRouteDestinationPortMatching,
	features.SupportHTTPRouteMethodMatching, features.SupportHTTPRouteQueryParamMatching,
	features.SupportHTTPRouteResponseHeaderModification, features.SupportHTTPRouteHostRewrite, features.SupportHTTPRoutePathRewrite,
	features.SupportHTTPRoutePathRedirect, features.SupportHTTPRoutePortRedirect, features.SupportHTTPRouteSchemeRedirect,
	features.SupportHTTPRoute303RedirectStatusCode, features.SupportHTTPRoute307RedirectStatusCode, features.SupportHTTPRoute308RedirectStatusCode,
	features.SupportHTTPRouteRequestMirror, features.SupportHTTPRouteRequestPercentageMirror,
	features.SupportHTTPRouteRequestTimeout, features.SupportHTTPRouteBackendTimeout,
	features.SupportHTTPRouteBackendProtocolH2C, features.SupportHTTPRouteBackendProtocolWebSocket,
	features.SupportHTTPRouteNamedRouteRule, features.SupportGRPCRouteNamedRouteRule,
}

// class is the name of the suite's GatewayClass.
const class = "nanogate"

func TestConformance(t *testing.T) {
	admin, _ := kubernetestest.Real(t)
	admin.Install(t, "gatewayclasses", "gateways", "httproutes", "grpcroutes", "referencegrants")
	kubeconfig := admin.Kubeconfig(t, "default")
	t.Setenv("KUBECONFIG", kubeconfig)
	opts := conformance.DefaultOptions(t)
	admin.Apply(t, `{"apiVersion":"gateway.networking.k8s.io/v1","kind":"GatewayClass","metadata":{"name":"`+class+`"},"spec":{"controllerName":"nanogate/gateway"}}`)
	startCluster(t, opts.Clientset)
	startProvider(t, opts.Client, kubeconfig)
	opts.GatewayClassName = class
	opts.CleanupBaseResources, opts.CleanupTestResources = false, true
	opts.ConformanceProfiles = []suite.ConformanceProfileName{suite.GatewayHTTPConformanceProfileName, suite.GatewayGRPCConformanceProfileName}
	opts.SupportedFeatures = supported
	opts.RunTest = os.Getenv("RUN")
	opts.Implementation = confv1.Implementation{Organization: "nanogate", Project: "nanogate", URL: "https://example.com/nanogate", Version: "devel", Contact: []string{"https://example.com/nanogate"}}
	opts.ReportOutputPath = os.Getenv("REPORT")
	conformance.RunConformanceWithOptions(t, opts)
}
