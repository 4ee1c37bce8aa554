package ti

// These functions read the arguments after the name of an action.

func (l *line) nothing(*Action) {}

func (l *line) skip(*Action) { l.next = len(l.words) }

func (l *line) begin(*Action) {
	if l.standard = typeByte; l.left() > 0 {
		l.standard, l.next = typeDouble, l.next+1
	}
}

func (l *line) send(a *Action) {
	a.From, a.To = a.Rank, l.rank("destination")
	a.Tag = l.tag()
	count := l.count("count")
	a.Sends = l.bytes(count, l.element())
}

// tag reads a tag; -1 stands for any.
func (l *line) tag() int { return int(l.whole("tag", -1, 1<<31-1)) }

func (l *line) receive(a *Action) {
	a.From, a.To = l.source(), a.Rank
	a.Tag = l.tag()
	if l.left() > 0 && l.words[l.next] == "-1" {
		l.next++
		l.element()
		return
	}
	count := l.count("count")
	a.Receives = l.bytes(count, l.element())
}

// anySource is the source of a receive that takes a message of any rank.
const anySource = -1

// source reads the source of a receive.
func (l *line) source() int {
	if l.left() > 0 && l.words[l.next] == "-1" {
		l.next++
		return anySource
	}
	return l.rank("source")
}

func (l *line) exchange(a *Action) {
	out := l.count("send_count")
	a.To = l.rank("destination")
	in := l.count("receive_count")
	a.From = l.source()
	l.both(a, out, in)
}

// both reads the types of outgoing and incoming data, and sets the sizes.
func (l *line) both(a *Action, out, in int64) {
	a.Sends = l.bytes(out, l.element())
	a.Receives = l.bytes(in, l.element())
}

func (l *line) wait(a *Action) {
	a.From, a.To = l.source(), l.rank("destination")
	a.Tag = l.tag()
	if l.wrong == "" && a.From != a.Rank && a.To != a.Rank {
		l.fail(2, "and %s are both not rank %d, whose request it waits for", l.words[3], a.Rank)
	}
}

func (l *line) broadcast(a *Action) {
	count := l.count("count")
	a.Root = l.optionalRoot()
	a.Sends = l.bytes(count, l.element())
}

func (l *line) reduce(a *Action) {
	count := l.count("count")
	a.Flops = l.flops()
	a.Root = l.optionalRoot()
	a.Sends = l.bytes(count, l.element())
}

func (l *line) reduceAll(a *Action) {
	count := l.count("count")
	a.Flops = l.flops()
	a.Sends = l.bytes(count, l.element())
}

func (l *line) blocks(a *Action) {
	out := l.count("send_count")
	l.both(a, out, l.count("receive_count"))
}

func (l *line) rootedBlocks(a *Action) {
	out, in := l.count("send_count"), l.count("receive_count")
	a.Root = l.optionalRoot()
	l.both(a, out, in)
}

// counts appends a count for each rank.
func (l *line) counts(to []int64, what string) []int64 {
	for range l.ranks {
		if l.wrong != "" {
			break
		}
		to = append(to, l.count(what))
	}
	return to
}

// sized turns counts into bytes.
func (l *line) sized(counts []int64, element int64) {
	for i := range counts {
		counts[i] = l.bytes(counts[i], element)
	}
}

func (l *line) exchangeAll(a *Action) {
	l.count("send_size")
	a.Out = l.counts(a.Out, "send_counts")
	l.count("receive_size")
	a.In = l.counts(a.In, "receive_counts")
	l.sized(a.Out, l.element())
	l.sized(a.In, l.element())
}

func (l *line) gatherSizes(a *Action) {
	out := l.count("send_count")
	a.In = l.counts(a.In, "receive_counts")
	a.Root = l.optionalRoot()
	a.Sends = l.bytes(out, l.element())
	l.sized(a.In, l.element())
}

// gatherAllSizes reads a type, displacements, or both. SimGrid takes more than two words for
// displacements, and more words than ranks for a type and displacements.
func (l *line) gatherAllSizes(a *Action) {
	out := l.count("send_count")
	a.In = l.counts(a.In, "receive_counts")
	left := l.left()
	element := datatypes[l.standard].Bytes
	if left > l.ranks || left <= 2 {
		element = l.element()
	}
	if left > 2 {
		l.counts(nil, "displacements")
	} else if left == 2 {
		l.element() // the type of the receives, for which SimGrid takes the first one too
	}
	a.Sends = l.bytes(out, element)
	l.sized(a.In, element)
}

func (l *line) scatterSizes(a *Action) {
	a.Out = l.counts(a.Out, "send_counts")
	in := l.count("receive_count")
	a.Root = l.optionalRoot()
	l.sized(a.Out, l.element())
	a.Receives = l.bytes(in, l.element())
}

func (l *line) reduceSizes(a *Action) {
	a.In = l.counts(a.In, "receive_counts")
	a.Flops = l.flops()
	l.sized(a.In, l.element())
}
