package config

// What is planned, documented elsewhere, or expected by who knows other gateways, and
// isn't built: it is refused by name, as a file that asks for a guard must never be
// served without. Whoever builds a part takes its name from here and puts a reader
// into the table of its level.

var unbuiltTop = unbuilt[Config]()

var unbuiltRoute = unbuilt[Route]()

var unbuiltUpstream = unbuilt[Upstream]()

// unbuilt makes readers that refuse.
func unbuilt[T any](names ...string) []known[T] {
	var all []known[T]
	for _, name := range names {
		all = append(all, known[T]{name, func(_ *T, p place) {
			p.problem("remove it, and see docs/gateway.md for what there is", "%s is not built in this version, and nothing is served as if it were", name)
		}})
	}
	return all
}
