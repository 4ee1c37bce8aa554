package answer

// Changes of the machine.

func copies(s *subject) bool { return s.Machine.Copying != nil }

func linked(s *subject) bool { return s.Contended() && widerLinks(s) != nil }

// widerLinks doubles the bandwidth of links, and of the ends of the network at receivers, where the machine states them.
func widerLinks(s *subject) []change {
	var set []string
	for _, key := range []string{"links.bandwidth", "links.ejection"} {
		if s.states(key) {
			set = append(set, "machine."+key+"=x2")
		}
	}
	if set == nil {
		return nil
	}
	return only("links of twice the bandwidth", set...)
}

func sharesMemory(s *subject) bool {
	return s.Machine.Sharing != nil && s.Machine.Sharing.Bandwidth > 0
}

func disturbed(s *subject) bool { return s.Machine.Noise != nil }

// overheads halves the CPU cost of each message, where the machine states it.
func overheads(s *subject) []change {
	var set []string
	for _, key := range []string{"send_overhead", "receive_overhead"} {
		if group := s.group(key); s.states(group + key) {
			set = append(set, "machine."+group+key+"=x0.5")
		}
	}
	return only("half the CPU time of each message", set...)
}

// group is where a cost of the processor is stated that the library may state in place of the network.
func (s *subject) group(key string) string {
	if s.states("runtime." + key) {
		return "runtime."
	}
	return "network."
}
