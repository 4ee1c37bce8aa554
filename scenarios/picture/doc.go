// Package picture draws the charts of a page, and windows of timelines, for papers: as SVG,
// PDF or PNG, in millimetres, in colour or in grey with hatching.
package picture
