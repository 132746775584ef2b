// Package rows holds what operators on rows share: the fields and operands of their descriptions and the checks of a Spec
// that involve more than one field.
package rows
