'use strict';

// Tables sort by a click on a column's head, keep the rows that have a text, and are saved as CSV.
const fewestSorted = 3, fewestFiltered = 12; // rows

function connectTables() {
  for (const table of document.querySelectorAll('table.cells, table.claims')) {
    const heads = [...table.tHead.rows[0].cells], rows = [...table.tBodies[0].rows];
    if (rows.length < fewestSorted || heads.length < 2) continue;
    heads.forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'sort';
      button.textContent = head.textContent;
      button.title = 'Sort by this column';
      head.replaceChildren(button);
      button.addEventListener('click', () => sortBy(table, heads, column));
    });
    const tools = document.createElement('div');
    tools.className = 'tools of-table';
    if (rows.length >= fewestFiltered) tools.append(filterOf(rows));
    const csv = addButton(tools, 'CSV', () => saveText(titleOf(table) + '.csv', csvOf(table)));
    csv.title = 'Save the rows that are shown';
    table.parentNode.before(tools);
  }
}

const titleOf = (table) => table.closest('section')?.querySelector('h2, h3')?.textContent || document.title;

// cellText is the text of a cell without its note.
const cellText = (cell) => (cell ? [...cell.childNodes].filter((n) => n.nodeName !== 'SMALL' && n.nodeName !== 'BR').map((n) => n.textContent).join(' ').replace(/\u00a0/g, ' ').trim() : '');

const scales = {
  ps: 1e-12, ns: 1e-9, 'µs': 1e-6, us: 1e-6, ms: 1e-3, s: 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4, PiB: 1024 ** 5,
  kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12,
};

// amountOf reads a number with a unit, as tables write it; NaN: it is a text.
function amountOf(text) {
  const found = text.replace(/−/g, '-').replace(/(\d),(?=\d{3})/g, '$1').match(/^[+]?(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*([^\s,;/(]*)/i);
  if (!found) return NaN;
  const unit = found[2];
  return found[1] * (unit in scales ? scales[unit] : /^[kMGT]/.test(unit) && unit.length > 1 ? scales[unit[0]] : 1);
}

// sortBy sorts the rows by a column, numbers by value; again, the other way round. What is no number is last among numbers.
function sortBy(table, heads, column) {
  const up = heads[column].ariaSort !== 'ascending', rows = [...table.tBodies[0].rows];
  const keys = new Map(rows.map((row) => { const text = cellText(row.cells[column]); return [row, { text, amount: amountOf(text) }]; }));
  const numbers = [...keys.values()].filter((k) => !isNaN(k.amount)).length * 2 > rows.length, sign = up ? 1 : -1;
  rows.sort((a, b) => {
    const x = keys.get(a), y = keys.get(b);
    if (!numbers) return sign * x.text.localeCompare(y.text, undefined, { numeric: true });
    if (isNaN(x.amount) || isNaN(y.amount)) return isNaN(x.amount) - isNaN(y.amount);
    return sign * (x.amount - y.amount);
  });
  heads.forEach((head) => head.removeAttribute('aria-sort'));
  heads[column].ariaSort = up ? 'ascending' : 'descending';
  table.tBodies[0].append(...rows);
}

// filterOf makes a field that keeps the rows that have all of its words.
function filterOf(rows) {
  const label = document.createElement('label'), field = document.createElement('input'), said = document.createElement('span');
  field.type = 'search';
  label.append('Only rows with ', field, ' ', said);
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    const left = rows.filter((row) => !row.hidden).length;
    said.textContent = words.length ? `${left} of ${rows.length}` : '';
  });
  return label;
}

// csvOf writes the head and the rows that are shown, as RFC 4180 says.
function csvOf(table) {
  const line = (row) => [...row.cells].map((cell) => { const text = cellText(cell); return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text; }).join(',');
  return [table.tHead.rows[0], ...[...table.tBodies[0].rows].filter((row) => !row.hidden)].map(line).join('\r\n') + '\r\n';
}

// saveText offers a text for download.
function saveText(name, text) {
  const link = document.createElement('a');
  link.download = name.toLowerCase().replace(/[^a-z0-9.]+/g, '-').replace(/^-|-$/g, '');
  link.setAttribute('href', 'data:text/csv;charset=utf-8,' + encodeURIComponent(text));
  overlapsim.saved = { name: link.download, text };
  link.click();
}
