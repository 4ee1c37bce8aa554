// Package bucket puts a token bucket before a fabric: what shapers of traffic do (tbf of
// Linux), and how clouds limit the networks of their instances.
//
// # Rules
//
// A bucket holds at most depth bytes, and is full at the beginning. It gets rate bytes per
// second. A transfer takes what it has on the wire: its bytes, and a header for each packet
// that they fill, one at least. Transfers take their bytes in the order in which they
// start, and the last byte of one has left when all its bytes are taken:
//
//	again = max(again, t) + wire/rate
//	sent  = max(sent by the fabric behind it, again - depth/rate)
//
// where t is the start and again the moment at which the bucket will be full again (the
// generic cell rate algorithm by virtual scheduling: ITU-T I.371, annex A). So in any time
// T at most depth + rate T bytes leave.
//
// Each node has a bucket for what it sends, or one for what it sends and receives, or all
// nodes have one: a loopback device, which both ways of a pair of processes pass.
//
// # Limits
//
// The bucket and the fabric behind it work side by side on the same bytes, as in
// cut-through: the fabric does not know that bytes come late, so a message that the bucket
// holds back does not free links for others. Messages to the own node pass no bucket.
package bucket
