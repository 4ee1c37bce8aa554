// Package programs says what ranks do: operations, and programs that are asked for them
// step by step. What an operation does is the engine's to say (docs/rules.md).
package programs
