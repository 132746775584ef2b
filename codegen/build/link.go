package build

// The driver program imports this package from a user's module. Importing it here puts it, and all it needs, into the
// module graph of everyone who has oxidegen as a tool, and into what `go mod vendor` copies.
import _ "github.com/oxideinfer/oxide/codegen/build/driver"
