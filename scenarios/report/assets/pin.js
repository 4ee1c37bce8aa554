'use strict';

// What a click holds: a span with its message, or statistics of an area. It is told
// below the timelines and drawn over them until Escape, or a click beside it.

const pinned = () => document.getElementById('pinned');

// pin holds a span; null lets go.
function pin(gantt, lane, span) {
  overlapsim.gantts.forEach((g) => filterCharts(g, null));
  overlapsim.pinned = gantt === null ? null : { gantt, lane, span };
  if (gantt !== null) {
    const g = overlapsim.gantts[gantt], t = g.timeline;
    const said = describe(t, g.legend, lane, span);
    tellPinned({ ...said, rows: [...alikeRows(t, g.rows[g.rowOf.get(lane)]), ...said.rows] }, () => {
      const margin = 2 * Math.max(1, t.end[span] - t.start[span]);
      overlapsim.view.set(t.start[span] - margin - g.shift, t.end[span] + margin - g.shift);
      g.reveal(lane);
    });
    const button = addButton(pinned(), g.kept.has(lane) ? 'Let the lane go' : 'Keep the lane on top', () => { g.keep(lane); pin(gantt, lane, span); });
    button.dataset.keep = '';
  } else tellPinned(null);
  overlapsim.gantts.forEach((g) => g.drawOver());
  link();
}

// tellPinned writes a description below the timelines, with a way to go there.
function tellPinned(what, go) {
  const box = pinned();
  box.replaceChildren();
  box.hidden = !what;
  if (!what) return;
  fillTip(box, what);
  if (go) addButton(box, 'Go there', go);
  addButton(box, 'Close', () => pin(null));
}

function addButton(parent, text, click) {
  const button = parent.appendChild(document.createElement('button'));
  button.type = 'button';
  button.textContent = text;
  button.addEventListener('click', click);
  return button;
}

// drawPinned outlines the held span and draws the life of its message.
Gantt.prototype.drawPinned = function (g, scroll) {
  const p = overlapsim.pinned;
  if (!p || overlapsim.gantts[p.gantt] !== this || p.lane === this.timeline.path) return;
  const row = this.rows[this.rowOf.get(p.lane)];
  if (!row || row.mixed) return;
  this.clip(g, () => {
    this.drawHover(g, { row, span: p.span }, scroll);
    const x0 = this.x(this.timeline.start[p.span]), x1 = this.x(this.timeline.end[p.span]);
    g.strokeStyle = theme.ink;
    g.lineWidth = 3;
    g.strokeRect(x0, row.top - scroll, Math.max(2, x1 - x0), row.height);
  });
};

// reveal scrolls to a lane.
Gantt.prototype.reveal = function (lane) {
  const row = this.rows[this.rowOf.get(lane)];
  if (row) this.box.scrollTop = Math.max(0, row.top - this.height / 2);
};

// areaSums returns the time per term of the processes among some lanes between two
// instants of the run.
function areaSums(t, lanes, t0, t1) {
  const out = new Float64Array(t.terms);
  for (const l of lanes) {
    if (t.lanes[l].kind !== 0) continue;
    const low = t.first[l], high = t.first[l + 1];
    let i = Math.max(low, t.last(low, high, t0));
    const j = t.last(low, high, t1);
    if (j < low) continue;
    for (const k of i === j ? [i] : [i, j]) out[t.term[k]] += Math.max(0, Math.min(t1, t.end[k]) - Math.max(t0, t.start[k]));
    if (j > i + 1) t.sums(i + 1, j, out);
  }
  return out;
}

// tellArea says what the processes of an area do between two instants.
Gantt.prototype.tellArea = function (rows, t0, t1) {
  const t = this.timeline, lanes = rows.flatMap((r) => r.lanes).filter((l) => t.lanes[l].kind === 0);
  if (!lanes.length || !(t1 > t0)) return;
  const sums = areaSums(t, lanes, t0, t1), whole = lanes.length * (t1 - t0), under = t.during(t0, t1, 100000);
  const table = [...sums].map((time, k) => [time, k]).filter(([time]) => time > 0).sort((a, b) => b[0] - a[0])
    .map(([time, k]) => [this.legend[k].title, duration(time / lanes.length) + ' a rank, ' + percent(time / whole)]);
  if (under) table.push(['Messages under way', count(under.length)]);
  overlapsim.pinned = null;
  filterCharts(this, lanes, t0, t1);
  tellPinned({
    said: `${count(lanes.length)} ${lanes.length === 1 ? 'rank' : 'ranks'}, ${t.lanes[lanes[0]].name}${lanes.length > 1 ? ' to ' + t.lanes[lanes[lanes.length - 1]].name : ''}`,
    when: duration(t1 - t0) + ', from ' + duration(t0, 7), rows: table,
  }, () => overlapsim.view.set(t0 - this.shift, t1 - this.shift));
};

// waitsOf tells whether a term is the one that is highlighted, or, if none is, time that something costs.
const waitsOf = (only) => (term, look) => (only < 0 ? !look.noWait : term === only);

// longestWaits lists the longest spans of processes whose terms count: which gantt, lane and
// span. Of processes that are alike it lists the first.
function longestWaits(counts, most) {
  const found = [];
  overlapsim.gantts.forEach((g, gantt) => {
    const t = g.timeline;
    t.lanes.forEach((lane, l) => {
      if (lane.kind !== 0 || lane.alike !== l) return;
      for (let i = t.first[l]; i < t.first[l + 1]; i++) {
        const time = t.end[i] - t.start[i];
        if (time === 0 || !counts(t.term[i], g.legend[t.term[i]])) continue;
        if (found.length === most && time <= found[most - 1].time) continue;
        let at = found.findIndex((f) => f.time < time);
        if (at < 0) at = found.length;
        found.splice(at, 0, { gantt, lane: l, span: i, time });
        if (found.length > most) found.pop();
      }
    });
  });
  return found;
}

const mostWaits = 8;

// listWaits fills the list of the longest waits.
function listWaits(options) {
  const box = document.getElementById('waits');
  if (!box || !box.open) return;
  const list = box.querySelector('ol');
  list.replaceChildren();
  for (const w of longestWaits(waitsOf(options.only), mostWaits)) {
    const g = overlapsim.gantts[w.gantt], t = g.timeline, m = t.message[w.span];
    const name = (overlapsim.gantts.length > 1 ? String.fromCharCode(65 + w.gantt) + ' ' : '') + t.lanes[w.lane].name + (t.alike[w.lane] > 1 ? ` and ${count(t.alike[w.lane] - 1)} alike` : '');
    const text = `${name}: ${g.legend[t.term[w.span]].title.toLowerCase()} ${duration(w.time)} from ${duration(t.start[w.span], 7)}${m >= 0 ? `, message ${m}` : ''}`;
    addButton(list.appendChild(document.createElement('li')), text, () => show(w.gantt, w.lane, w.span));
  }
  if (!list.children.length) list.textContent = 'There is none.';
}

// show goes to a span and holds it.
function show(gantt, lane, span) {
  const g = overlapsim.gantts[gantt], t = g.timeline, margin = 2 * Math.max(1, t.end[span] - t.start[span]);
  overlapsim.view.set(t.start[span] - margin - g.shift, t.end[span] + margin - g.shift);
  g.reveal(lane);
  g.box.scrollIntoView({ block: 'center' });
  pin(gantt, lane, span);
}
