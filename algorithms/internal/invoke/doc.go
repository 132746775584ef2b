// Package invoke holds what the plans of every family do alike: choosing an algorithm by name, the call contract of a
// Spec, and the check of a call's regions against it before anything reaches a scope.
package invoke
