// Package packet carries messages as packets through routers: finite buffers per
// virtual channel with credits, virtual cut-through, static and minimal adaptive
// routing with an escape channel, injection FIFOs, puts and gets. The network is a
// torus or mesh, with a bubble on its rings, or one whose routes never wait for each
// other in a circle (topology.Acyclic), such as a fat tree.
//
// # The router
//
// Every link has, at its far end, one input FIFO per virtual channel: the escape channel
// and the adaptive ones. A packet that is sent over a link takes a slot of the FIFO
// there. Its head may leave again after a hop latency, without waiting for its tail
// (cut-through). The slot is free when its tail has left. Only the first packet of a FIFO
// can leave, and a FIFO sends one packet at a time: head-of-line blocking.
//
// A node feeds its router from injection FIFOs, which send like input FIFOs: on a switch
// they are the buffers at the end of the node's cable. On a torus a packet that has reached its
// router leaves its FIFO at the rate of a link; memory is never the bottleneck. On a switch
// it takes the cable to its node, which carries one packet at a time. All links and cables
// have the same rate.
//
// # Routing on switches
//
// Static packets follow the topology's routes on the escape channel. Because links on such
// routes never wait for each other in a circle, some packet can always go on, and a FIFO of one packet
// will do. Adaptive packets take any of the topology's choices on any adaptive channel with room,
// the emptiest first; among equals the first one from the port of the static route on. If none has room,
// they take the escape channel of the static route from where they are.
//
// # Routing on a torus
//
// Static packets stay on the escape channel and correct one dimension at a time. They may
// enter a ring - from an injection FIFO, from another dimension or from an adaptive
// channel - only if that leaves a slot free, a bubble, in the FIFO ahead; on a ring they
// need only their own slot. Therefore no ring ever fills, and the order of dimensions rules out
// cycles between rings: bubble flow control (Carrión, Beivide, Gregorio, Vallejo, "A flow
// control mechanism to avoid message deadlock in k-ary n-cube networks", HiPC 1997).
// Every packet takes a whole slot, however short: packets of two lengths could leave the
// space of a ring in pieces too small for any of them.
//
// Adaptive packets take any link that brings them closer and any adaptive channel with room, the
// emptiest first. If none has room, they take the escape channel of the static route by its rules
// (Puente et al., "The adaptive bubble router", J. Parallel and Distributed Computing 61, 2001).
// Static and adaptive packets go round a ring in the direction of the topology's routes: if both
// directions are equally short, only one of them is tried.
//
// The model is the router of the BlueGene machines: Adiga et al., "Blue Gene/L torus
// interconnection network", IBM J. Res. & Dev. 49(2/3), 2005. What is omitted, derived
// and fitted is listed in docs/validation/bluegene-packets.md.
package packet
