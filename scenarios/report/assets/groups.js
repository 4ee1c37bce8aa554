'use strict';

// Lanes share rows in one of these ways: none do; those that are alike; those in the same
// place of nodes that are alike; neighbours, of which a row shows the mean. The page
// computes none of the likeness: it comes with the lanes, proven from their spans.
const ways = ['all', 'nodes', 'alike', 'blocks'];
const readable = 64; // rows of processes

// grouped puts lanes into rows: the lane that a row shows, all lanes that it stands for, its
// name, and the node beside it.
function grouped(t, lanes, way) {
  if (way === 'blocks') return blocks(t, lanes);
  const key = { all: (l) => l, nodes: (l) => t.lanes[l].twin, alike: (l) => t.lanes[l].alike }[way];
  const groups = new Map();
  for (const l of lanes) {
    if (!groups.has(key(l))) groups.set(key(l), []);
    groups.get(key(l)).push(l);
  }
  return [...groups.values()].map((group) => {
    const lane = t.lanes[group[0]], times = group.length > 1 ? ' ×' + count(group.length) : '';
    const name = lane.kind === 0 ? lane.name : laneKinds[lane.kind];
    if (way === 'alike') return { lane: group[0], lanes: group, node: -1, title: '', name: name + times };
    const node = nodeName(lane);
    return { lane: group[0], lanes: group, node: lane.node, title: node && node + times, name: node ? name : name + times };
  });
}

const laneKinds = ['', 'NIC insert', 'NIC send', 'thread'];

// blocks puts neighbouring processes into as many rows as can be read, whole nodes if a row
// holds one.
function blocks(t, lanes) {
  const own = lanes.filter((l) => t.lanes[l].kind === 0), groups = [];
  const node = t.lanes[own[0]]?.node, perNode = node < 0 ? 1 : Math.max(1, own.filter((l) => t.lanes[l].node === node).length);
  let each = Math.ceil(own.length / readable);
  if (each > perNode) each = perNode * Math.ceil(each / perNode);
  for (let i = 0; i < own.length; i += each) {
    const group = own.slice(i, i + each), first = t.lanes[group[0]], last = t.lanes[group[group.length - 1]];
    const name = group.length === 1 ? first.name : first.name.endsWith(' ' + first.index) ? `${first.name}–${last.index}` : `${first.name} +${group.length - 1}`;
    groups.push({ lane: group[0], lanes: group, node: -1, title: '', name, mixed: group.length > 1 });
  }
  return groups;
}

// rowsOf counts the rows of processes that a way gives.
function rowsOf(t, lanes, way) {
  return grouped(t, lanes, way).filter((group) => t.lanes[group.lane].kind === 0).length;
}

// easiestWay is the first way that gives rows that can be read for all timelines.
function easiestWay(timelines, fold) {
  const lanes = (t) => t.lanes.map((lane, l) => l).filter((l) => t.lanes[l].kind === 0 && !(fold && t.path >= 0 && !t.touched.has(l)));
  return ways.find((way) => timelines.every((t) => rowsOf(t, lanes(t), way) <= readable)) || 'all';
}

// connectLanes fills the choice of ways, each with the rows of processes that it gives.
function connectLanes(options) {
  const choice = document.querySelector('[data-do="lanes"]'), said = { all: 'every one', nodes: 'alike nodes', alike: 'alike', blocks: 'neighbours' };
  for (const way of ways) {
    const rows = overlapsim.gantts.reduce((sum, g) => sum + rowsOf(g.timeline, g.timeline.lanes.map((lane, l) => l).filter((l) => g.timeline.lanes[l].kind === 0), way), 0);
    choice.add(new Option(`${said[way]} (${count(rows)})`, way));
  }
  choice.value = options.lanes;
  choice.addEventListener('change', () => chooseLanes(choice.value));
}

// chooseLanes shows the lanes in another way.
function chooseLanes(way) {
  overlapsim.options.lanes = way;
  document.querySelector('[data-do="lanes"]').value = way;
  for (const gantt of overlapsim.gantts) gantt.layout();
  overlapsim.options.redraw();
  link();
}

// standsIn says in which row a lane is that has none of its own; '': it has one.
function standsIn(g, lane) {
  const row = g.rows[g.rowOf.get(lane)], name = g.timeline.lanes[lane].name;
  if (row.mixed) return `${name} is in the row of ${row.name}`;
  return row.lane === lane ? '' : `${name} does what ${g.timeline.lanes[row.lane].name} does`;
}

// alikeRows say of whom a row tells.
function alikeRows(t, row) {
  if (!row || row.lanes.length < 2) return [];
  const lane = t.lanes[row.lane];
  const what = lane.kind === 0 && lane.name.startsWith('rank ') ? 'ranks' : 'lanes';
  return [[`${count(row.lanes.length)} ${what} alike`, ranges(row.lanes.map((l) => t.lanes[l].index))]];
}

// ranges writes numbers as ranges, at most eight of them.
function ranges(numbers) {
  const found = [];
  for (const n of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = found[found.length - 1];
    if (last && last[1] === n - 1) last[1] = n; else found.push([n, n]);
  }
  const text = found.slice(0, 8).map(([a, b]) => (a === b ? String(a) : `${a}–${b}`)).join(', ');
  return found.length > 8 ? text + ', …' : text;
}

// mixture splits a stretch of time into columns and returns the time per term of some lanes
// in each, column by column. A span costs the same however many columns it crosses.
function mixture(t, lanes, columns, t0, perPixel) {
  const T = t.terms, share = new Float64Array(columns * T), whole = new Float64Array((columns + 1) * T), t1 = t0 + columns * perPixel;
  for (const l of lanes) {
    const low = t.first[l], high = t.first[l + 1];
    for (let i = Math.max(low, t.last(low, high, t0)); i < high && t.start[i] < t1; i++) {
      const a = Math.max(t.start[i], t0), b = Math.min(t.end[i], t1), k = t.term[i];
      if (b <= a) continue;
      const from = Math.min(columns - 1, Math.floor((a - t0) / perPixel)), to = Math.min(columns - 1, Math.floor((b - t0) / perPixel));
      if (from === to) { share[from * T + k] += b - a; continue; }
      share[from * T + k] += t0 + (from + 1) * perPixel - a;
      share[to * T + k] += b - (t0 + to * perPixel);
      whole[(from + 1) * T + k]++;
      whole[to * T + k]--;
    }
  }
  for (let c = 0; c < columns; c++) {
    for (let k = 0; k < T; k++) {
      if (c > 0) whole[c * T + k] += whole[(c - 1) * T + k];
      share[c * T + k] += whole[c * T + k] * perPixel;
    }
  }
  return share;
}

// paintMixed paints the shares of the terms over several lanes, as heights from the bottom up
// in the order of the terms.
function paintMixed(raster, t, lanes, top, height, t0, perPixel, palette) {
  const share = mixture(t, lanes, raster.width, t0, perPixel), T = t.terms, full = lanes.length * perPixel;
  for (let x = 0; x < raster.width; x++) {
    let sum = 0, y = top + height;
    for (let k = 0; k < T; k++) {
      if (share[x * T + k] === 0) continue;
      sum += share[x * T + k];
      const to = Math.max(top, top + height - Math.round(height * sum / full));
      raster.fill(x, x + 1, to, y, palette.fill[k]);
      y = to;
    }
  }
}

// describeMixed says what the ranks of a row do in the column under the pointer.
function describeMixed(t, legend, { row, at, half }) {
  const share = areaSums(t, row.lanes, Math.max(0, at - half), at + half), sum = share.reduce((a, b) => a + b, 0);
  const rows = [...share].map((time, k) => [time, k]).filter(([time]) => time > 0).sort((a, b) => b[0] - a[0])
    .map(([time, k]) => [legend[k].title, percent(time / sum)]);
  return { said: `${capital(row.name)}: ${count(row.lanes.length)} together`, when: `at ${duration(at, 7)}`, rows };
}
