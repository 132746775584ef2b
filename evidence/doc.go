// Package evidence defines what a record of a qualification run is, and keeps records.
//
// A [Record] says what was run, on what, with what result, and what that does not show. It is a JSON file with a versioned
// schema (record.v1.schema.json), at most [MaxBytes] long, valid by its own content: every summary in it is computed again
// from its raw samples when it is read. A [Store] writes each record once and never changes it. [Verify] tells which records
// still speak of the artifacts that are committed now.
package evidence
