// Package bucket puts a token bucket before a fabric, as traffic shapers do (tbf of Linux), and
// as clouds do to limit the networks of their instances.
//
// # Rules
//
// A bucket holds at most depth bytes, and is full at the beginning. It gets rate bytes per
// second. A transfer takes its size on the wire: its bytes, and a header for each packet that
// they fill (at least one packet). Transfers take their bytes in the order in which they start.
// The last byte of a transfer has left when all its bytes are taken:
//
//	again = max(again, t) + wire/rate
//	sent  = max(sent by the inner fabric, again - depth/rate)
//
// where t is the start and again the moment at which the bucket will be full again (the
// generic cell rate algorithm by virtual scheduling: ITU-T I.371, annex A). Therefore in any time
// T at most depth + rate T bytes leave.
//
// There is a bucket for what each node sends, or one for what each node sends and receives, or
// one for all nodes. The last is a loopback device, which carries both directions between a pair
// of processes.
//
// # Limits
//
// The bucket and the inner fabric work at the same time on the same bytes, as in cut-through. The
// fabric does not know that bytes come late, so a message that the bucket holds back does not
// free links for others. Messages from a node to itself use no bucket.
package bucket
