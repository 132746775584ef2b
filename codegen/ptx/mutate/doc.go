// Package mutate plants one mistake at a time into PTX, to prove that the emulator's checkers find them.
//
// Sites lists the places of a module where a mistake can be planted, each with its kind. A Subject runs a module and
// says what the checkers and the numbers showed; Judge runs every mutant of a subject under adversarial schedules and
// sorts it: found by a checker with a class that names the mistake, found by a checker otherwise, wrong numbers only,
// equivalent by a stated rule, or survivor. Table counts them by kind.
//
// A mutant counts as equivalent only if what is removed stands next to one that does the same, with nothing between
// them that touches memory, or if it is a warp barrier and no lane touches memory since the barrier before. A place that the case never comes to, or a comparison whose operands are never equal there,
// is no mutant of the case; a run with a trap in its place shows it.
package mutate
