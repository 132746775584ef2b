// Package lib holds device helpers that several kernel families share: division by a number that is fixed for a launch,
// walking pointers, conversions between memory formats and f32, reductions over warps and blocks, activation functions.
// They are ordinary kernel code; positions of their ops name the helper and the line that called it.
package lib
