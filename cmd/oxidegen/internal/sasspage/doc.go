// Package sasspage prints the page that a spill review reads: SASS beside the Go lines it came from, local memory
// traffic marked, register use and occupancy at the top, in 100 columns.
package sasspage
