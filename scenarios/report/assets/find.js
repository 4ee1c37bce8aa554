'use strict';

// search goes to what a text names: "rank 12" or "12", "node 3", "message 345", "iteration 7", or a phase,
// whose next occurrence after the left edge of the view, or the first, it shows. It holds what it finds, and scrolls there. It
// returns what is wrong, or ''.
function search(text) {
  const words = text.trim().toLowerCase().match(/^(rank|node|message|phase|iteration)?\s*(.+)$/);
  if (!words) return '';
  const [, kind, what] = words, number = /^\d+$/.test(what) ? +what : -1;
  if (kind === 'message') return findMessage(number, what);
  if (kind === 'iteration') return findIteration(number, what);
  if (kind === 'node' && number >= 0) return findLane((lane) => lane.node === number, 'node ' + what);
  if ((kind === 'rank' || !kind) && number >= 0) return findLane((lane) => lane.kind === 0 && lane.index === number, 'rank ' + what);
  return findPhase(kind === 'phase' ? what : text.trim().toLowerCase());
}

function findIteration(number, what) {
  const field = document.querySelector('[data-do="iteration"]');
  if (!(number >= 1 && number <= +field.max) || field.closest('label').hidden) return `there is no iteration ${what}`;
  field.value = number;
  field.dispatchEvent(new Event('change'));
  return '';
}

function findLane(is, name) {
  for (const [gantt, g] of overlapsim.gantts.entries()) {
    const lane = g.timeline.lanes.findIndex(is);
    if (lane < 0) continue;
    if (!g.rowOf.has(lane)) return `${name} is not shown: its lanes are folded`;
    g.reveal(lane);
    const span = Math.max(g.timeline.first[lane], g.timeline.last(g.timeline.first[lane], g.timeline.first[lane + 1], (g.t0 + g.t1) / 2));
    if (g.timeline.first[lane + 1] > g.timeline.first[lane]) pin(gantt, lane, span);
    return standsIn(g, lane);
  }
  return `there is no ${name}`;
}

function findMessage(number, what) {
  for (const [gantt, g] of overlapsim.gantts.entries()) {
    const t = g.timeline;
    if (number < 0 || number >= t.messageCount) continue;
    const lane = [t.cpu.get(t.from[number]), t.cpu.get(t.to[number])].find((l) => l !== undefined && spanOf(t, l, number) >= 0);
    const margin = 0.2 * Math.max(1, t.delivered[number] - t.posted[number]);
    overlapsim.view.set(t.posted[number] - margin - g.shift, Math.max(t.delivered[number], t.sent[number]) + margin - g.shift);
    if (lane === undefined) return `message ${what} has no span of its own`;
    g.reveal(lane);
    pin(gantt, lane, spanOf(t, lane, number));
    return '';
  }
  return `there is no message ${what}`;
}

// spanOf returns the first span of a lane that is of a message, or -1.
function spanOf(t, lane, message) {
  for (let i = t.first[lane]; i < t.first[lane + 1]; i++) if (t.message[i] === message) return i;
  return -1;
}

function findPhase(name) {
  for (const [gantt, g] of overlapsim.gantts.entries()) {
    const t = g.timeline, known = (t.phases || []).find((p) => p.toLowerCase() === name) || (t.phases || []).find((p) => p.toLowerCase().startsWith(name));
    const starts = known === undefined ? [] : phaseStarts(t, known);
    if (!starts.length) continue;
    const next = starts.find((at) => at > g.t0 + g.view.width * 0.02);
    const at = next === undefined ? starts[0] : next, width = Math.min(g.view.width, g.view.length / 10);
    overlapsim.view.set(at - 0.01 * width - g.shift, at + 0.99 * width - g.shift);
    const lane = t.lanes.findIndex((l, i) => l.kind === 0 && t.phases[t.phase[t.spanAt(i, at)]] === known);
    if (lane >= 0 && g.rowOf.has(lane)) { g.reveal(lane); pin(gantt, lane, t.spanAt(lane, at)); }
    return '';
  }
  return `there is no phase ${name}`;
}

// The address of the page says what is seen: link writes it, follow goes where it says.
let linking = 0;

function link() {
  clearTimeout(linking);
  linking = setTimeout(() => history.replaceState(null, '', '#' + here()), 150);
}

// here writes what is seen: the window in picoseconds, what is aligned, how lanes are grouped,
// the highlighted term, the held span.
function here() {
  const { view, options, pinned: p } = overlapsim, parts = [];
  if (!view.whole) parts.push('t=' + Math.round(view.t0) + ',' + Math.round(view.t1));
  const on = document.querySelector('[data-do="align"]')?.value, number = document.querySelector('[data-do="occurrence"]')?.value;
  if (on && on !== 'start') parts.push('align=' + encodeURIComponent(on) + ',' + number);
  if (options.lanes !== options.easiest) parts.push('lanes=' + options.lanes);
  if (options.only >= 0) parts.push('term=' + options.only);
  if (p) parts.push('span=' + [p.gantt, p.lane, p.span - overlapsim.gantts[p.gantt].timeline.first[p.lane]].join(','));
  return parts.join('&');
}

function follow() {
  const said = new Map(location.hash.slice(1).split('&').map((part) => part.split('=')));
  const numbers = (name) => (said.get(name) || '').split(',').map(Number);
  const choice = document.querySelector('[data-do="align"]');
  if (choice && said.has('align')) {
    const [on, number] = said.get('align').split(',');
    choice.value = decodeURIComponent(on);
    document.querySelector('[data-do="occurrence"]').value = number;
    choice.dispatchEvent(new Event('change'));
  }
  if (ways.includes(said.get('lanes'))) chooseLanes(said.get('lanes'));
  const [t0, t1] = numbers('t');
  if (t1 > t0) overlapsim.view.set(t0, t1);
  if (said.has('term') && +said.get('term') !== overlapsim.options.only) document.querySelector(`[data-term="${+said.get('term')}"]`)?.click();
  const [gantt, lane, span] = numbers('span'), g = overlapsim.gantts[gantt];
  if (g && g.timeline.first[lane] + span < g.timeline.first[lane + 1]) {
    g.reveal(lane);
    pin(gantt, lane, g.timeline.first[lane] + span);
  }
}

// connectFind makes the search, the list of waits and the address work.
function connectFind(options) {
  const box = document.getElementById('find'), answer = document.getElementById('found');
  box.addEventListener('keydown', (e) => {
    if (e.key === 'Enter') {
      answer.textContent = search(box.value);
      if (!answer.textContent) overlapsim.gantts[overlapsim.pinned?.gantt || 0].box.scrollIntoView({ block: 'nearest' });
    }
    if (e.key === 'Escape') box.blur();
  });
  document.getElementById('waits').addEventListener('toggle', () => listWaits(options));
  addEventListener('keydown', (e) => {
    if (e.key === '/' && !e.target.closest?.('input, select')) { e.preventDefault(); box.focus(); }
    if (e.key === 'Escape') pin(null);
  });
  follow();
  addEventListener('hashchange', follow);
}
