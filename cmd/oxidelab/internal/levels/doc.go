// Package levels runs single cases of the seven levels of proof. It knows what cases there are ([Library.Tasks]) and how to
// run one ([Runner.Run]); package qualify decides in which process, keeps the outcomes and makes records of them.
package levels
