package load

// pickEngine returns the best engine for the spec: the event loop, or the
// portable one where TLS is asked for.
func pickEngine(spec *Spec, secure bool) (name string, open func(share) (engine, error)) {
	if spec.Engine == "portable" || secure {
		return "portable", openPortable
	}
	return "epoll", openEpoll
}
