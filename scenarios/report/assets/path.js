'use strict';

// The critical path in a Gantt chart: a row of its own above the lanes, which stays
// when they scroll; the lanes fade where the path is not on them; and a line goes
// along it from lane to lane.

const pathHeight = 24, mostHeads = 80;

// pathed tells whether the critical path is shown.
Gantt.prototype.pathed = function () { return this.options.path && this.timeline.path >= 0; };

// folded tells whether a lane is left out because the path is never on it.
Gantt.prototype.folded = function (lane) { return this.options.fold && this.pathed() && !this.timeline.touched.has(lane); };

// stick puts the path's row where the lanes begin to be seen.
Gantt.prototype.stick = function (scroll) {
  this.pathRow.top = scroll + axisHeight + 4;
  return this.pathRow;
};

// lit tells whether a span is as bright as without a path.
Gantt.prototype.lit = function (lane, i) {
  const t = this.timeline;
  return !this.pathed() || lane === t.path || t.onPath(lane, t.start[i], t.end[i]) > 0;
};

// seek scrolls to the lane on which the path is longest.
Gantt.prototype.seek = function () {
  if (!this.pathed()) return;
  const t = this.timeline, times = new Float64Array(t.lanes.length);
  this.inView((i, lane) => { if (lane >= 0) times[lane] += t.end[i] - t.start[i]; });
  const row = this.rows[this.rowOf.get(times.reduce((best, time, l) => (time > times[best] ? l : best), 0))];
  if (row && row.top + row.height > this.height) this.box.scrollTop = row.top - this.height / 2;
};

// inView calls back for the spans of the path that are in the view.
Gantt.prototype.inView = function (call) {
  const t = this.timeline, low = t.pathFirst, high = t.first[t.path + 1];
  for (let i = Math.max(low, t.last(low, high, this.t0)); i < high && t.start[i] < this.t1; i++) call(i, t.pathLane(i));
};

// spotlight fades the visible lanes where the path is not on them.
Gantt.prototype.spotlight = function (visible, scroll) {
  const t = this.timeline, { raster, ratio } = this, perPixel = this.view.width / raster.width;
  const lit = new Array(t.lanes.length), rows = [];
  for (const row of visible) {
    const top = Math.round((row.top - scroll - axisHeight) * ratio);
    const seen = { top, bottom: top + Math.round(row.height * ratio), to: 0 };
    rows.push(seen);
    for (const l of row.lanes) lit[l] = seen;
  }
  this.inView((i, lane) => {
    const row = lane < 0 ? undefined : lit[lane];
    if (!row) return;
    const x0 = Math.floor((t.start[i] - this.t0) / perPixel), x1 = Math.max(x0 + 1, Math.round((t.end[i] - this.t0) / perPixel));
    if (x0 > row.to) raster.fade(row.to, x0, row.top, row.bottom);
    row.to = Math.max(row.to, x1);
  });
  for (const row of rows) raster.fade(row.to, raster.width, row.top, row.bottom);
};

// paintPath paints the path's row over what scrolled below it.
Gantt.prototype.paintPath = function (scroll, palette, wide) {
  const { raster, ratio } = this, row = this.stick(scroll), top = Math.round(4 * ratio);
  raster.fill(0, raster.width, 0, Math.round(pathHeight * ratio), rgb(theme.paper));
  paintLane(raster, this.timeline, row.lane, top, Math.round(row.height * ratio), this.t0, this.view.width / raster.width, palette, (i, x0, x1) => wide(row, i, x0, x1));
};

// trail returns the path as pieces of a line: along the lanes, and from one to
// the next. What is on no lane that is shown is part of the way between two.
Gantt.prototype.trail = function (scroll) {
  const t = this.timeline, along = [], jumps = [];
  let last = null;
  this.inView((i, lane) => {
    const row = lane < 0 ? undefined : this.rows[this.rowOf.get(lane)];
    if (!row) return;
    const y = row.top - scroll + (row.height < 6 ? row.height / 2 : row.height - 0.5), x0 = this.x(t.start[i]), x1 = this.x(t.end[i]);
    if (last && last.y === y && x0 - last.x1 < 1) {
      last.x1 = x1;
      return;
    }
    if (last && last.y !== y) jumps.push([last.x1, last.y, x0, y]);
    along.push(last = { x0, x1, y });
  });
  return { along, jumps };
};

// drawTrail draws the line along the path. Where it jumps more often than can be
// seen, a column only shows between which lanes.
Gantt.prototype.drawTrail = function (g, scroll) {
  const { along, jumps } = this.trail(scroll), dense = jumps.length > this.plot / 3;
  const lines = () => {
    g.beginPath();
    for (const { x0, x1, y } of along) { g.moveTo(x0, y); g.lineTo(Math.max(x0 + 1, x1), y); }
    if (!dense) for (const [x0, y0, x1, y1] of jumps) { g.moveTo(x0, y0); g.lineTo(x1, y1); }
    g.stroke();
  };
  g.lineCap = 'butt';
  if (dense) this.drawDense(g, jumps);
  if (!dense && jumps.length < 400) { g.strokeStyle = theme.paper + 'd9'; g.lineWidth = 4.5; lines(); }
  g.strokeStyle = g.fillStyle = theme.ink;
  g.lineWidth = jumps.length < 120 ? 2 : jumps.length < 400 ? 1.4 : 1;
  lines();
  if (jumps.length <= mostHeads) for (const [x0, y0, x1, y1] of jumps) head(g, x0, y0, x1, y1, 7);
};

// drawDense shows for each column between which lanes the path jumps in it.
Gantt.prototype.drawDense = function (g, jumps) {
  const columns = new Map();
  for (const [x0, y0, x1, y1] of jumps) {
    for (const x of [Math.round(x0), Math.round(x1)]) {
      const c = columns.get(x) || [y0, y0];
      columns.set(x, [Math.min(c[0], y0, y1), Math.max(c[1], y0, y1)]);
    }
  }
  g.fillStyle = theme.ink + '59';
  for (const [x, [top, bottom]] of columns) g.fillRect(x, top, 1, bottom - top);
};

// jumpAt returns the span of the path whose way between two lanes goes by a point,
// or -1.
Gantt.prototype.jumpAt = function (x, y) {
  const t = this.timeline, low = t.pathFirst, high = t.first[t.path + 1], scroll = this.box.scrollTop;
  const middle = t.last(low, high, this.time(x));
  const rowOf = (i) => this.rows[this.rowOf.get(t.pathLane(i))];
  if (middle < low || rowOf(middle)) return -1;
  let before = middle, after = middle;
  while (before >= low && !rowOf(before)) before--;
  while (after < high && !rowOf(after)) after++;
  if (before < low || after === high) return -1;
  const edge = (i) => rowOf(i).top - scroll + rowOf(i).height, x0 = this.x(t.end[before]), x1 = this.x(t.start[after]);
  const part = x1 > x0 ? (x - x0) / (x1 - x0) : 0;
  return Math.abs(edge(before) + part * (edge(after) - edge(before)) - y) < 8 ? middle : -1;
};

// drawPathHover outlines a piece in the path's row and on its lane.
Gantt.prototype.drawPathHover = function (g, { span, many }, scroll) {
  if (span < 0) return;
  const t = this.timeline, row = this.stick(scroll), x0 = this.x(t.start[span]), x1 = this.x(t.end[many || span]);
  const lane = many ? undefined : this.rows[this.rowOf.get(t.pathLane(span))];
  g.save();
  g.beginPath();
  g.rect(this.gutter, axisHeight, this.plot, this.height - axisHeight);
  g.clip();
  g.strokeStyle = theme.ink;
  g.lineWidth = 1.5;
  g.strokeRect(x0, row.top - scroll, Math.max(1, x1 - x0), row.height);
  g.restore();
  if (!lane) return;
  this.clip(g, () => {
    g.fillStyle = theme.ink + '59';
    g.fillRect(x0, this.top, 1, lane.top - scroll - this.top);
    g.strokeRect(x0, lane.top - scroll, Math.max(1, x1 - x0), lane.height);
  });
};

// describePath says what a piece of the critical path is.
function describePath(t, span) {
  const part = t.parts[t.phase[span]], lane = t.pathLane(span), m = t.message[span];
  const where = lane >= 0 ? t.lanes[lane].name : part.on === 'barrier' ? 'all ranks' : part.on;
  return {
    said: `Critical path: ${part.name}, ${where}`,
    when: `${duration(t.end[span] - t.start[span])}, from ${duration(t.start[span], 7)}, piece ${count(span - t.pathFirst + 1)} of ${count(t.where.length)}`,
    rows: m >= 0 ? life(t, m) : [],
  };
}

// onPathRows says how much of a stretch of a lane is on the critical path.
function onPathRows(t, lane, t0, t1) {
  const time = t.path < 0 ? 0 : t.onPath(lane, t0, t1);
  return time > 0 ? [['on the critical path', time >= (t1 - t0) * 0.99999 ? 'all of it' : duration(time)]] : [];
}
