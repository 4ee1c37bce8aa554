package nodes

import (
	"overlapsim/network"
	"overlapsim/nodes/machines"
)

// slope adds the derivatives of a piece, whose length is in ps; nil: no parameter accounts for it.
type slope func(s *slopes, amount int64, length float64)

// slopesOfParts says by which parameters parts change.
var slopesOfParts = [NumParts]slope{
	PartCompute: (*slopes).compute,
	PartSendOverhead: bySize(paramSendOverhead,
		func(m *machines.Machine) network.Cost { return m.Network.SendOverhead }),
	PartReceiveOverhead: bySize(paramReceiveOverhead, func(m *machines.Machine) network.Cost { return m.Network.ReceiveOverhead }),
	PartIntraCopy:       by(paramIntraPerByte),
	PartIntraLatency:    by(paramIntraLatency),
	PartGap:             by(paramGap),
	PartTransfer:        (*slopes).whole,
	PartCrowding:        (*slopes).crowding,
	PartCrowdedTransfer: (*slopes).crowdedTransfer,
	PartCrowdedChunk:    (*slopes).crowdedChunk,
	PartIntake:          (*slopes).whole,
	PartLatency:         by(paramLatency),
	PartBarrier:         (*slopes).barrier,
	PartMeet:            by(paramMeet),
	PartChunk:           bySize(paramTransferBase, func(m *machines.Machine) network.Cost { return m.Network.Transfer }),
	PartCopyOut:         by(paramCopyOut),
	PartCopyIn:          by(paramCopyIn),
	PartPackedCopyOut:   (*slopes).packedCopyOut,
	PartUnpackedCopyIn:  (*slopes).unpackedCopyIn,
	PartInterrupt:       (*slopes).interrupt,
	PartDelay:           by(paramDelay),
	PartMatching:        by(paramMatching),
	PartSearch:          (*slopes).search,
	PartUnexpected:      bySize(paramUnexpected, func(m *machines.Machine) network.Cost { return m.Runtime.Unexpected }),
	PartHandler:         by(paramHandler),
	PartTest:            by(paramTest),
	PartPack:            by(paramPack),
	PartUnpack:          by(paramUnpack),
	PartPipelineIn:      by(paramPipelineIn),
	PartPipelineOut:     by(paramPipelineOut),
	PartStridedIn:       by(paramStridedIn),
	PartStridedOut:      by(paramStridedOut),
	PartWakeup:          by(paramWakeup),
	PartInterference:    nil, // mixes have its parameters
	PartStartup:         by(paramStartup),
	PartFabric:          nil, // mixes have its parameters
	PartFabricLatency:   (*slopes).way,
}

// by is the slope of a part for which one parameter accounts, as often as its amount says.
func by(parameter int) slope {
	return func(s *slopes, amount int64, length float64) { s.one(parameter, float64(amount), length) }
}

// bySize is the slope of a part that is a cost by size.
func bySize(parameter int, of func(*machines.Machine) network.Cost) slope {
	return func(s *slopes, amount int64, _ float64) { s.cost(parameter, of(s.machine), amount, 1) }
}
