'use strict';

// Times are picoseconds throughout.
const units = [[1e12, 's'], [1e9, 'ms'], [1e6, 'µs'], [1e3, 'ns'], [1, 'ps']];

// significant writes x with n significant digits and no trailing zeros.
function significant(x, digits = 4) {
  if (x === 0 || !isFinite(x)) return String(x);
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e7) return x.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
  const after = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const text = x.toFixed(after);
  return after ? text.replace(/\.?0+$/, '') : text;
}

function unitOf(ps) {
  return units.find(([size]) => Math.abs(ps) >= 0.99995 * size) || units[units.length - 1];
}

function duration(ps, digits = 4) {
  if (ps === 0) return '0 s';
  const [size, name] = unitOf(ps);
  return significant(ps / size, digits) + ' ' + name;
}

// instant writes a point of time so that steps of the given size show.
function instant(ps, step, sample = ps) {
  const [size, name] = unitOf(sample);
  return (ps / size).toFixed(Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9))) + ' ' + name;
}

function byteSize(n) {
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let i = 0;
  for (; n >= 1024 && i < names.length - 1; i++) n /= 1024;
  return significant(n) + ' ' + names[i];
}

// thousands writes a number with the prefix of a unit.
function thousands(v) {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let i = 0;
  for (; Math.abs(v) >= 1000 && i < prefixes.length - 1; i++) v /= 1000;
  return significant(v) + ' ' + prefixes[i];
}

const count = (n) => n.toLocaleString('en-US');
const percent = (share) => (100 * share).toFixed(1) + ' %';

// quantity writes a chart's value; seconds are scaled.
function quantity(v, unit) {
  if (typeof v !== 'number' || !isFinite(v)) return '–';
  if (unit === 's') return duration(v * 1e12);
  if (unit === 'B') return byteSize(v);
  if (unit === 'B/s') return thousands(v) + unit;
  return significant(v) + (unit ? ' ' + unit : '');
}
