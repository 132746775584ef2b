// Package pass holds the optimisations that run between the verifier and the lowering. They are few and simple on
// purpose: ptxas schedules, allocates registers and unrolls; what it cannot know is that two helpers computed the same
// index or that a build value made a product trivial. Every pass keeps effectful ops in program order and merges or
// deletes pure ones only.
package pass
