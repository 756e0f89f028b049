package load

import (
	"fmt"
	"net/url"
	"strings"
)

// parseTarget splits a target into what is dialled and what is sent as Host.
func parseTarget(target string) (u *url.URL, dial string, err error) {
	u, err = url.Parse(target)
	if err != nil {
		return nil, "", fmt.Errorf("target %q is not a URL: %w", target, err)
	}
	port := u.Port()
	switch {
	case u.Hostname() == "":
		return nil, "", fmt.Errorf("target %q names no host; write it as http://host:port/path", target)
	case u.Scheme == "http" && port == "":
		port = "80"
	case u.Scheme == "https" && port == "":
		port = "443"
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, "", fmt.Errorf("target %q: scheme %q can't be loaded, only http and https", target, u.Scheme)
	}
	return u, joinHostPort(u.Hostname(), port), nil
}

func joinHostPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}
