package nodes

import "overlapsim/network"

// kindOfPart is all that is known about a part of the critical path.
type kindOfPart struct {
	name  string
	term  Term
	slope slope
}

// slope adds the derivatives of a piece, whose length is in ps; nil: no parameter accounts for it.
type slope func(s *slopes, amount int64, length float64)

// kindsOfParts is the one place that says what parts are.
var kindsOfParts = [NumParts]kindOfPart{
	PartCompute: {"compute", Compute, (*slopes).compute},
	PartSendOverhead: {"send overhead", Overhead, bySize(paramSendOverhead,
		func(m *Machine) network.Cost { return m.Network.SendOverhead })},
	PartReceiveOverhead: {"receive overhead", Overhead,
		bySize(paramReceiveOverhead, func(m *Machine) network.Cost { return m.Network.ReceiveOverhead })},
	PartIntraCopy:       {"copy inside the node", Overhead, by(paramIntraPerByte)},
	PartIntraLatency:    {"latency inside the node", Latency, by(paramIntraLatency)},
	PartGap:             {"gap", NICStall, by(paramGap)},
	PartTransfer:        {"transfer", Transfer, (*slopes).whole},
	PartCrowding:        {"crowding", Contention, (*slopes).crowding},
	PartCrowdedTransfer: {"calibrated transfer", Transfer, (*slopes).crowdedTransfer},
	PartCrowdedChunk:    {"calibrated chunk", Transfer, (*slopes).crowdedChunk},
	PartIntake:          {"intake", Contention, (*slopes).whole},
	PartLatency:         {"latency", Latency, by(paramLatency)},
	PartFabricQueue:     {"fabric queue", Contention, nil},
	PartBarrier:         {"barrier", BarrierTime, (*slopes).barrier},
	PartMeet:            {"thread barrier", BarrierTime, by(paramMeet)},
	PartChunk:           {"chunk", Transfer, bySize(paramTransferBase, func(m *Machine) network.Cost { return m.Network.Transfer })},
	PartCopyOut:         {"copy out", Overhead, by(paramCopyOut)},
	PartCopyIn:          {"copy in", Overhead, by(paramCopyIn)},
	PartPackedCopyOut:   {"packed copy out", Overhead, (*slopes).packedCopyOut},
	PartUnpackedCopyIn:  {"unpacked copy in", Overhead, (*slopes).unpackedCopyIn},
	PartInterrupt:       {"interrupt", Overhead, (*slopes).interrupt},
	PartDelay:           {"thread delay", Progress, by(paramDelay)},
	PartMatching:        {"matching", Overhead, by(paramMatching)},
	PartSearch:          {"search", Overhead, (*slopes).search},
	PartUnexpected: {"unexpected message", Overhead,
		bySize(paramUnexpected, func(m *Machine) network.Cost { return m.Runtime.Unexpected })},
	PartHandler:       {"handler", Overhead, by(paramHandler)},
	PartTest:          {"test", Overhead, by(paramTest)},
	PartPack:          {"pack", Overhead, by(paramPack)},
	PartUnpack:        {"unpack", Overhead, by(paramUnpack)},
	PartPipelineIn:    {"fragment in", Overhead, by(paramPipelineIn)},
	PartPipelineOut:   {"fragment out", Overhead, by(paramPipelineOut)},
	PartStridedIn:     {"strided fragment in", Overhead, by(paramStridedIn)},
	PartStridedOut:    {"strided fragment out", Overhead, by(paramStridedOut)},
	PartWakeup:        {"wake-up", Progress, by(paramWakeup)},
	PartSchedule:      {"turn", Progress, nil},
	PartNoise:         {"noise", Interference, nil},
	PartInterference:  {"interference", Interference, nil}, // mixes have its parameters
	PartStartup:       {"startup", Transfer, by(paramStartup)},
	PartFabric:        {"fabric", Transfer, nil}, // mixes have its parameters
	PartFabricLatency: {"fabric latency", Latency, (*slopes).way},
	PartTie:           {"tie", Overhead, nil},
}

func (p Part) String() string { return kindsOfParts[p].name }

// Term is the term of the ledger that a part mostly goes to.
func (p Part) Term() Term { return kindsOfParts[p].term }

// by is the slope of a part for which one parameter accounts, as often as its amount says.
func by(parameter int) slope {
	return func(s *slopes, amount int64, length float64) { s.one(parameter, float64(amount), length) }
}

// bySize is the slope of a part that is a cost by size.
func bySize(parameter int, of func(*Machine) network.Cost) slope {
	return func(s *slopes, amount int64, _ float64) { s.cost(parameter, of(s.machine), amount, 1) }
}
