// Package programs defines what ranks do: operations, and programs that return them step by step.
// The effect of an operation is defined by the engine (docs/contributing/rules.md).
package programs
