// Package sqlite reads tables of SQLite databases: all rows of a table, one after the other, and of these the columns that are asked
// for. It follows the description of the file format at sqlite.org/fileformat2.html: pages, trees of tables, records, overflow
// pages. It does not read indexes, tables without row numbers, texts in UTF-16, and what is only in a write-ahead log next to the
// file. It writes nothing.
package sqlite
