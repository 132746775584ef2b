// Package command holds the subcommands of oxidegen, one file each. [Run] is the whole program.
package command
