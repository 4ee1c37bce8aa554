package advice

// Changes of the machine.

func copies(s *subject) bool { return s.Machine.Copying != nil }

func linked(s *subject) bool { return s.Contended() && s.states("links.bandwidth") }

func sharesMemory(s *subject) bool {
	return s.Machine.Sharing != nil && s.Machine.Sharing.Bandwidth > 0
}

func disturbed(s *subject) bool { return s.Machine.Noise != nil }

// overheads halves the CPU cost of each message, where the machine states it.
func overheads(s *subject) []change {
	var set []string
	for _, key := range []string{"send_overhead", "receive_overhead"} {
		for _, group := range []string{"runtime.", "network."} {
			if s.states(group + key) {
				set = append(set, "machine."+group+key+"=x0.5")
				break
			}
		}
	}
	return only("half the CPU time of each message", set...)
}
