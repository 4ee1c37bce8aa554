// Package transforms changes when a program communicates, and leaves what it sends and
// computes as it is: receives that are posted earlier, sends that begin earlier, waits that
// come later, messages in pieces. It answers what overlap could make of a program.
//
// # What a program does not say
//
// Operations do not name the data that they use. Therefore each move has bounds: at worst, the
// computation alongside a message uses the message, and nothing moves past it; at best, it does
// not, and the message moves past all of it. Spread is between the two: a piece of n is
// needed, or ready, when its n-th of the computation begins, or ends. These are the patterns
// of Subotic, Sancho, Labarta, Valero: Simulation environment for studying overlap of
// communication and computation (ISPASS 2010), who measure them in programs.
//
// # The rules
//
// Pieces come first, then collectives, then waits, then sends, then receives; each works on what
// the one before made. Only two-sided messages are touched whose post and wait are in one window: all of a
// program, or parts of it of some thousand operations. A channel is the other rank and the tag.
//
//  1. Pieces. A message of b bytes becomes min(Pieces, ceil(b/Least)) messages of nearly equal
//     size on its channel, one behind the other, and a wait becomes as many waits.
//
//  2. A wait of a receive moves back until the next send, put, get or signal (which may carry
//     what came), the next receive of its channel (whose buffer it may be), or a computation
//     that is known to use what came.
//
//  3. A wait of a send moves back until the next send of its channel.
//
//  4. A send moves forward until the wait of a receive or a computation that is known to use
//     what came (it may carry that), a receive, an earlier send of its channel, and the wait of
//     an earlier one.
//
//  5. A receive moves forward until an earlier receive, and the wait of an earlier one of its
//     channel.
//
//  6. At worst, moves also stop at every computation, and receives at every wait.
//
//  7. Nothing moves past a barrier, the beginning of a communication pattern, or the end of a
//     window. A receive moves past the first two, except a barrier of two threads.
//
//  8. A blocking collective becomes a non-blocking one, by the algorithm that the program has for it.
//     Its first round begins behind the last wait of a receive, or anything other than a
//     computation, test, phase or wait of a send, and not before the place at which the
//     collective before it is waited for. It is waited for before the next operation that is no
//     computation, test or phase. A computation that is
//     known to use what came, or to make what is sent, stops both. Round i of n ends, and the
//     next one begins, when i/n of the computation in between is done: the program tests often
//     enough. Spread: the first round begins where the collective was called. Barriers, and what
//     makes a communicator, stay as they are.
//
//  9. Exchange, for waits only: what is sent between two computations carries nothing that came
//     between them, and a computation alongside a message does not use it. A wait moves back past the
//     computation behind it until the next post, if rules 3 and 7 and computation that is known to use
//     what came allow that. Computations of at most a hundredth of the longest one do not count.
//
// So, except by rule 9, a send follows every receive that it followed, messages of a channel keep their order, and
// the computation of a rank is the same. A phase keeps its place among the operations that do
// not move.
package transforms
