// Package report renders the records of a store for a person: Markdown, and one HTML page that needs nothing but itself (no
// network, no script, plots as inline SVG, light and dark by the reader's preference).
package report
