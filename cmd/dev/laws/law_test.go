package laws

import "slices"

// Law is something that every run obeys.
type Law struct {
	Name  string
	Says  string
	every int // it is checked on one case out of this many
	holds func(t *trial) error
}

// Laws are all laws. A panic breaks the first one, regardless of which law was checked.
var Laws = []Law{
	{"status", "a command ends with a documented status: 0 and nothing on the standard error, 1 for a deadlock, " +
		"2 with file:line:column: key of every mistake; it never panics, and tells a terminal nothing", 6, status},
	{"strange", "a key or group that is none, x0, {}, [], ~ or the like is taken, or refused with its place, as the law of status says", 3,
		strange},
	{"json", "JSON parses, and has a number where one is due", 8, jsonNumbers},
	{"surfaces", "text, JSON and page say the same numbers", 60, surfaces},
	{"per-rank", "what is printed by rank has the means that are printed", 60, perRank},
	{"gradient-command", "gradient ends as run does, and its numbers mean something", 100, gradientCommand},
	{"export", "what export writes, replay runs, with as many ranks and messages", 30, exportReplay},
	{"schema", "what runs is right by the JSON Schema", 10, schemaAccepts},
	{"again", "the same scenario gives the same bytes, on one core and on two", 40, again},
	{"ledger", "the ledger of each rank sums to its finish, no term is negative, and what is hidden is hidden behind computation",
		1, ledgerSums},
	{"written-out", "a machine and a workload spelled out key by key run as by their names and changes", 10, writtenOut},
	{"factor", "a factor such as x2 is as good as the number it makes", 25, factors},
	{"difference", "from a run to another the terms, the phases and the terms of each rank add up to the difference of the makespans, " +
		"in picoseconds, also of saved results", 8, differencesAddUp},
	{"watching", "a critical path, a timeline and a record of links change nothing that a run says", 6, watching},
	{"symmetry", "a run in which a few ranks tell the time of all gives what a run of all ranks gives", 1, symmetry},
	{"cores", "a run on two cores gives what a run on one gives", 1, onCores},
	{"seed", "without anything random another seed changes nothing", 20, seedless},
	{"bytes", "how many bytes are sent depends on the program alone", 12, sameBytes},
	{"no-latency", "where every latency is 0, no time is latency: in the ledger, on the critical path, in the gradient", 5, noLatency},
	{"bound", "no run is shorter than its bound", 1, boundHolds},
	{"bound-alone", "the bound is the same for every library and fabric", 8, boundAlone},
	{"bound-monotone", "nothing that is made faster makes the bound longer", 5, boundMonotone},
	{"slow-motion", "when every time is twice as long, every time of the result is", 8, slowMotion},
	{"totals", "means over the ranks are right however long they run", 25, totals},
	{"nodes-permuted", "on a crossbar it makes no difference which node is which", 12, nodesPermuted},
	{"fabrics-agree", "fabrics agree where nothing contends", 3, fabricsAgree},
	{"path", "the pieces of the critical path follow each other from 0 to the makespan, and their shares sum to it", 6, pathWhole},
	{"path-alone", "the critical path is the same without derivatives along it", 3, pathAlone},
	{"path-streams", "on GPUs a stream spends at least as much on each part as the critical path has of it", 6, pathOfStreams},
	{"path-gradient", "the time that the gradient gives a parameter is the time of its parts on the path", 6, pathGradient},
	{"euler", "where all times are parameters, their elasticities add up to 1", 6, elasticities},
	{"one-at-a-time", "where one rank acts at a time, some rank's ledger says of every moment of the critical path what the path says",
		1, oneAtATime},
	{"messages", "a message is posted, inserted, sent and delivered in this order, between ranks that there are; " +
		"a timeline has no more messages than were sent", 10, messageLives},
	{"moves", "a program whose communication is moved ends, and sends and computes the same", 4, moved},
	{"without", "a run without causes sends the same, and computes the same where that is not the cause; taking them away twice, or in " +
		"another order, is the same; without communication no time is spent on messages", 4, lacks},
	{"without-gpus", "on GPUs causes that are taken away twice, or in another order, are the same; without communication and computation " +
		"a run takes no time, and none of both alone takes longer than the run", 2, lacksOnGPUs},
	{"effect", "every line of the answer is what its settings give, to the picosecond, and its numbers follow from such runs", 6, effect},
	{"answer-shown", "text, JSON and page have the same sentence, and the same numbers of causes and changes", 30, answerShown},
	{"monotone", "nothing that is made better makes a run longer than by its noise", 2, monotone},
	{"cause-bounds", "no improvement of a resource saves more than the absence of its cause, beyond the noise", 2, bounded},
	{"share", "where nothing contends, the absence of a cause saves no more than its share of the critical path", 2, shares},
	{"share-gpus", "as share, for operations on the streams of GPUs", 1, sharesOnGPUs},
	{"osu", "what hides is what OSU's benchmark of non-blocking collectives reports, where both must be the same", 8, osu},
	{"no-progress", "where only calls move messages on, and each waits for its receive, no more than the requests hides", 8, noProgress},
	{"no-effect", "a key that is said to have no effect has none", 4, withoutEffect},
	{"traffic", "what a link carries over time adds up to what it carries, to the byte, and the time of transfers at NICs " +
		"is at least that in which NICs send", 2, trafficAddsUp},
	{"no-effect-shown", "text, JSON and page say the same of keys without effect", 30, effectsShown},
	{"files", "a run from files of any name ends as it does by an ordinary one; what it writes keeps the permissions of the file before it, " +
		"and links; JSON is JSON; no other file comes, goes or changes", 8, inFiles},
	{"studies", "gradient, potential and optimize end as the law of status says, with strange values too, and print JSON in which no time " +
		"is negative", 40, studies},
}

// seedOf is the seed of the random choices of a law for a case, so that they do not
// depend on which other laws were checked.
func (l Law) seedOf(number uint64) uint64 {
	i := slices.IndexFunc(Laws, func(other Law) bool { return other.Name == l.Name })
	return number + uint64(i+1)<<48
}
