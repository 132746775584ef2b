// Package qualify runs levels of proof so that nothing is lost: every group of cases has a process of its own, a case that
// ends its process fails and the others go on in a new one, and every outcome is written to a state file as soon as it is
// there, from which an interrupted run goes on. A case ends passed, failed, or not run for a stated reason; none disappears.
package qualify
