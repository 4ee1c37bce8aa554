'use strict';

// View is the stretch of time that all Gantt charts of the page show.
class View {
  constructor(length) {
    this.length = length;
    this.shortest = Math.min(length, 100); // ps
    this.t0 = 0;
    this.t1 = length;
    this.changed = () => {};
  }

  get width() { return this.t1 - this.t0; }
  get whole() { return this.width >= this.length * 0.9999; }

  set(t0, t1) {
    const width = Math.min(this.length, Math.max(this.shortest, t1 - t0));
    this.t0 = Math.max(0, Math.min(this.length - width, t0));
    this.t1 = this.t0 + width;
    this.changed();
  }

  // zoom makes the view wider (factor > 1) or narrower around an instant.
  zoom(factor, around) {
    const width = Math.min(this.length, Math.max(this.shortest, this.width * factor));
    const t0 = around - (around - this.t0) * width / this.width;
    this.set(t0, t0 + width);
  }

  // resize changes how long all charts together are; a view of everything stays one.
  resize(length) {
    const whole = this.whole;
    this.length = length;
    if (whole) this.reset(); else this.set(this.t0, this.t1);
  }

  move(by) { this.set(this.t0 + by, this.t1 + by); }
  reset() { this.set(0, this.length); }
}

let axisHeight = 26; // px; more with the numbers of iterations
const stripHeight = 38, thinStrip = 20, mostLabels = 4000, mostArrows = 160;

// Gantt draws the timeline of one run: the lanes below each other in one
// canvas, hints for the pointer in a second one above it.
class Gantt {
  constructor(figure, timeline, legend, view, options) {
    Object.assign(this, { timeline, legend, view, options });
    this.box = figure.querySelector('.lanes');
    this.spacer = figure.querySelector('.spacer');
    this.base = figure.querySelector('.base');
    this.over = figure.querySelector('.over');
    this.overview = figure.querySelector('.overview');
    this.strips = strips(timeline);
    this.kept = new Set(); // lanes
    this.keptRows = [];
    this.hover = null;
    this.shift = 0; // own time minus that of the view
    this.seen = true;
    this.listen();
    this.layout();
    this.seek();
    new ResizeObserver(() => this.resized()).observe(this.box);
    addEventListener('resize', () => this.resized());
    new IntersectionObserver((entries) => this.sight(entries[entries.length - 1].isIntersecting)).observe(figure);
  }

  // sight notes whether the chart is in the window.
  sight(seen) {
    this.seen = seen;
    if (seen && this.stale) this.draw();
  }

  // resized draws at once: a printer does not wait for the next frame.
  resized() {
    if (this.box.clientWidth === this.laidOut && this.ratio === pixelRatio()) return;
    this.layout();
    this.draw();
  }

  // layout places the rows and sizes the canvases.
  layout(width = this.box.clientWidth || 800) {
    this.laidOut = width;
    const lanes = this.timeline.lanes;
    const groups = grouped(this.timeline, this.candidates(), this.options.lanes);
    this.gutter = this.roomForNames(width, groups);
    this.plot = Math.max(40, width - this.gutter - 10);
    this.top = axisHeight + (this.pathed() ? pathHeight : 0);
    this.pathRow = { lane: this.timeline.path, lanes: [this.timeline.path], top: 0, height: 16, band: 0, first: false, between: 0 };
    const units = groups.reduce((sum, group) => sum + (lanes[group.lane].kind === 0 ? 1 : 0.6), 0);
    const fit = Math.min(26, Math.max(5, Math.floor((this.options.tallest - this.top) / (1.2 * units))));
    const tall = Math.min(60, Math.max(2, Math.round(fit * this.options.scale)));
    this.place(this.placeKept(groups, tall), tall);
    for (const row of this.keptRows) for (const l of row.lanes) this.rowOf.set(l, this.rows.push(row) - 1);
    this.height = Math.min(this.total, this.options.tallest);
    this.box.style.height = this.height + 2 + 'px';
    this.spacer.style.height = this.total + 'px';
    this.ratio = pixelRatio();
    for (const canvas of [this.base, this.over]) size(canvas, width, this.height, this.ratio);
    this.stripHeight = this.strips.length > 1 ? thinStrip : stripHeight;
    this.overviewHeight = (this.stripHeight + 2) * this.strips.length - 2;
    size(this.overview, width, this.overviewHeight + 8, this.ratio);
    this.raster = new Raster(Math.round(this.plot * this.ratio), Math.round((this.height - axisHeight) * this.ratio));
    this.profile = null;
  }

  // candidates are the lanes that rows may show.
  candidates() {
    const lanes = this.timeline.lanes;
    return lanes.map((lane, l) => l).filter((l) => lanes[l].kind !== pathKind && (this.options.nic || lanes[l].kind === 0) && !this.folded(l));
  }

  // roomForNames is the width of the names of nodes and lanes beside each other; a narrow window has no names of nodes.
  roomForNames(width, groups) {
    const widest = (names, style) => { // of the hundred longest ones, as there may be very many
      const longest = names.sort((a, b) => b.length - a.length).slice(0, 100);
      return Math.max(0, ...longest.map((name) => this.options.measure(name, style)));
    };
    const lanes = widest(groups.map((group) => (this.timeline.lanes[group.lane].kind === 0 ? group.name : '')), laneStyle);
    if (this.narrow = width < 560) return Math.max(76, Math.ceil(Math.min(8 + lanes + 8, width / 3)));
    const nodes = widest(groups.map((group) => group.title), nodeStyle);
    return Math.max(128, Math.ceil(8 + nodes + (nodes ? 10 : 0) + Math.min(lanes, width / 4) + 8));
  }

  // fitted cuts the name of a lane to a width.
  fitted(name, room) {
    if (this.options.measure(name, laneStyle) <= room) return name;
    let end = name.length - 1;
    while (end > 1 && this.options.measure(name.slice(0, end) + '…', laneStyle) > room) end--;
    return name.slice(0, end) + '…';
  }

  place(groups, tall) {
    const gap = tall >= 14 ? 3 : tall >= 8 ? 2 : tall >= 5 ? 1 : 0, between = tall >= 8 ? 8 : tall >= 5 ? 3 : 1;
    let y = this.top + 4, node = null, band = 1;
    this.rows = [];
    this.rowOf = new Map();
    for (const group of groups) {
      const lane = this.timeline.lanes[group.lane], first = group.node !== node || group.node < 0;
      if (first && group.node !== node) { if (node !== null) y += between; band = 1 - band; }
      const height = lane.kind === 0 ? tall : Math.max(2, Math.round(tall * 0.6));
      for (const l of group.lanes) this.rowOf.set(l, this.rows.length);
      this.rows.push({ ...group, top: y, height, band, first: first && group.node >= 0, between });
      node = group.node;
      y += height + gap;
    }
    this.total = y + 5;
  }

  // What is shown, in the run's own time.
  get t0() { return this.view.t0 + this.shift; }
  get t1() { return this.view.t1 + this.shift; }

  x(t) { return this.gutter + (t - this.t0) / this.view.width * this.plot; }
  time(x) { return this.t0 + (x - this.gutter) / this.plot * this.view.width; }

  draw() {
    this.stale = false;
    const { raster, view, ratio } = this, scroll = Math.round(this.box.scrollTop), g = this.base.getContext('2d');
    const perPixel = view.width / raster.width, palette = this.palette(), ghostPalette = this.ghost && this.ghostPalette();
    const ticks = niceTicks(this.t0, this.t1, this.plot / 110);
    const labels = [];
    raster.pixels.fill(rgb(theme.paper));
    const visible = this.visible(scroll);
    const paint = (row) => {
      const top = Math.round((row.top - scroll - axisHeight) * ratio), all = Math.round(row.height * ratio), height = this.ghost ? Math.ceil(all * 0.65) : all;
      if (ghostPalette) this.paintGhost(row, top + height, all - height, ghostPalette);
      if (row.mixed) paintMixed(raster, this.timeline, row.lanes, top, height, this.t0, perPixel, palette);
      else paintLane(raster, this.timeline, row.lane, top, height, this.t0, perPixel, palette, (i, x0, x1) => {
        if (labels.length < mostLabels) labels.push({ row, i, x0: x0 / ratio, x1: x1 / ratio });
      });
    };
    this.bands(visible, scroll);
    for (const t of ticks.at) { const x = Math.round((t - this.t0) / perPixel); raster.fill(x, x + 1, 0, raster.height, rgb(theme.grid)); }
    visible.forEach(paint);
    const ofPath = [];
    if (this.pathed()) {
      this.spotlight(visible, scroll);
      this.paintKept(scroll, paint);
      this.paintPath(scroll, palette, (row, i, x0, x1) => ofPath.push({ row, i, x0: x0 / ratio, x1: x1 / ratio }));
    } else this.paintKept(scroll, paint);
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.fillStyle = theme.paper;
    g.fillRect(0, 0, this.base.width, this.base.height);
    g.putImageData(raster.image, Math.round(this.gutter * ratio), Math.round(axisHeight * ratio));
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.clip(g, () => this.drawLabels(g, labels.filter(({ row }) => !this.keptRows.includes(row)), scroll));
    this.drawLabels(g, labels.filter(({ row }) => this.keptRows.includes(row)), scroll);
    this.drawLabels(g, ofPath, scroll);
    this.drawArrows(g, scroll);
    if (this.pathed()) this.clip(g, () => this.drawTrail(g, scroll));
    this.drawGutter(g, visible, scroll);
    this.drawAxis(g, ticks);
    this.drawOverview();
    this.drawOver();
    if (this.under) this.point(...this.under);
  }

  visible(scroll) {
    return this.rows.filter((row) => !this.keptRows.includes(row) && row.top + row.height > scroll + this.top && row.top < scroll + this.height);
  }

  // bands tints every second node.
  bands(visible, scroll) {
    for (const row of visible) {
      if (!row.band) continue;
      const top = (row.top - scroll - axisHeight - row.between / 2) * this.ratio;
      this.raster.fill(0, this.raster.width, Math.round(top), Math.round(top + (row.height + row.between) * this.ratio), rgb(theme.pale));
    }
  }

  // palette holds the pixels of each term; all but the highlighted one fade.
  palette() {
    const fade = (k) => (this.options.only < 0 || this.options.only === k ? 0 : 0.82);
    return {
      fill: this.legend.map((look, k) => rgb(look.color, theme.paper, fade(k))),
      edge: this.legend.map((look, k) => (fade(k) ? rgb(look.color, theme.paper, 0.7) : rgb(look.color, '#000000', 0.28))),
      room: 22 * this.ratio,
    };
  }

  drawLabels(g, labels, scroll) {
    g.font = `11px ${this.options.font}`;
    g.textBaseline = 'middle';
    g.textAlign = 'center';
    for (const { row, i, x0, x1 } of labels) {
      if (row.height < 13) continue;
      const text = labelOf(this.timeline, this.legend, row.lane, i).find((s) => this.options.measure(s) < x1 - x0 - 8);
      if (!text) continue;
      const term = this.timeline.term[i], bright = (this.options.only < 0 || this.options.only === term) && this.lit(row.lane, i);
      g.fillStyle = bright ? inkOn(this.legend[term].color) : theme.fine;
      g.fillText(text, this.gutter + (x0 + x1) / 2, row.top - scroll + row.height / 2 + 0.5);
    }
  }

  drawArrows(g, scroll) {
    if (!this.options.arrows) return;
    const found = this.timeline.during(this.t0, this.t1, mostArrows);
    if (!found) return;
    const own = found.filter((m) => { const l = this.timeline.cpu.get(this.timeline.from[m]); return this.rows[this.rowOf.get(l)]?.lane === l; });
    this.clip(g, () => own.forEach((m) => this.arrow(g, m, scroll, this.pathed() ? theme.fine : theme.soft, 1, false)));
  }

  clip(g, draw, top = this.top) {
    g.save();
    g.beginPath();
    g.rect(this.gutter, top, this.plot, this.height - top);
    g.clip();
    draw();
    g.restore();
  }

  // arrow draws a message from where its bytes leave to where they arrive;
  // its whole life also has the way through the sender's NIC.
  arrow(g, m, scroll, color, width, whole) {
    const t = this.timeline, lanes = t.lanesOf(m);
    const row = (l) => this.rows[this.rowOf.get(l)];
    const from = row(lanes.from), to = row(lanes.to), send = row(lanes.send), insert = row(lanes.insert);
    const source = send || from;
    if (!source || !to || source === to || source.mixed || t.delivered[m] < t.sent[m]) return;
    const middle = (r) => r.top - scroll + r.height / 2;
    const down = to.top > source.top, x0 = this.x(t.sent[m]), x1 = this.x(t.delivered[m]);
    const y0 = source.top - scroll + (down ? source.height : 0), y1 = to.top - scroll + (down ? 0 : to.height);
    g.strokeStyle = g.fillStyle = color;
    g.lineWidth = width;
    if (whole && from && send) {
      g.setLineDash([3, 3]);
      g.beginPath();
      g.moveTo(this.x(t.posted[m]), middle(from));
      if (insert) g.lineTo(this.x(t.insert[m]), middle(insert));
      g.lineTo(this.x(t.begin[m]), middle(send));
      g.stroke();
      g.setLineDash([]);
      g.strokeRect(this.x(t.begin[m]), send.top - scroll, Math.max(1, x0 - this.x(t.begin[m])), send.height);
    }
    g.beginPath();
    g.moveTo(x0, y0);
    g.lineTo(x1, y1);
    g.stroke();
    head(g, x0, y0, x1, y1, 5 + width);
  }

  drawGutter(g, visible, scroll) {
    if (this.pathed()) text(g, `600 11px ${this.options.font}`, theme.ink, 'right', this.narrow ? 'path' : 'critical path', this.gutter - 8, axisHeight + 12);
    this.drawNames(g, this.keptRows, scroll);
    g.save();
    g.beginPath();
    g.rect(0, this.top, this.gutter, this.height - this.top);
    g.clip();
    this.drawNames(g, visible, scroll);
    g.restore();
  }

  drawNames(g, rows, scroll) {
    let node = -99, lane = -99;
    const room = this.narrow ? this.gutter - 16 : this.laidOut / 4;
    for (const row of rows) {
      const y = row.top - scroll + row.height / 2 + 0.5, l = this.timeline.lanes[row.lane];
      if (row.first && y - node >= 13 && !this.narrow) {
        text(g, `${nodeStyle} ${this.options.font}`, theme.ink, 'left', row.title, 8, y);
        node = y;
      }
      if (y - lane < (l.kind === 0 ? 12 : 10)) continue;
      if (l.kind === 0) text(g, `${laneStyle} ${this.options.font}`, theme.ink, 'right', this.fitted(row.name, room), this.gutter - 8, y);
      else if (row.height >= 9) text(g, `10.5px ${this.options.font}`, theme.soft, 'right', row.name, this.gutter - 8, y);
      else continue;
      lane = y;
    }
  }

  drawAxis(g, ticks) {
    g.font = `11px ${this.options.font}`;
    g.textBaseline = 'middle';
    g.fillStyle = theme.soft;
    g.strokeStyle = theme.edge;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(this.gutter, axisHeight - 0.5);
    g.lineTo(this.gutter + this.plot, axisHeight - 0.5);
    for (const t of ticks.at) { const x = Math.round(this.x(t)) + 0.5; g.moveTo(x, axisHeight - 5); g.lineTo(x, axisHeight); }
    g.stroke();
    g.textAlign = 'right';
    if (ticks.base > 0) g.fillText(duration(ticks.base, 12) + ' +', this.gutter - 8, 11);
    for (const t of ticks.at) {
      const x = this.x(t), label = instant(t - ticks.base, ticks.step, ticks.largest), half = this.options.measure(label) / 2;
      g.textAlign = x + half > this.laidOut - 4 ? 'right' : 'center';
      g.fillText(label, g.textAlign === 'right' ? this.laidOut - 4 : x, 11);
    }
    if (this.iterations) this.drawIterations(g);
  }

  // drawOverview shows the whole run: the share of the processes in each term
  // over time, and what part of it the lanes below show.
  drawOverview() {
    const g = this.overview.getContext('2d'), bins = Math.round(this.plot), T = this.timeline.terms, H = this.overviewHeight, each = this.stripHeight;
    this.profile ||= this.strips.map((s) => profile(this.timeline, s.lanes, bins, this.view.length));
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.fillStyle = theme.paper;
    g.fillRect(0, 0, this.laidOut, H + 8);
    g.fillStyle = theme.pale;
    this.strips.forEach((s, i) => g.fillRect(this.gutter, i * (each + 2), this.plot, each));
    const palette = this.legend.map((look, k) => (this.options.only < 0 || this.options.only === k ? look.color : look.color + '30'));
    this.strips.forEach((s, i) => {
      const bottom = i * (each + 2) + each;
      for (let b = 0; b < bins; b++) {
        for (let k = 0, y = bottom; k < T; k++) {
          const h = this.profile[i][b * T + k] * each;
          if (h === 0) continue;
          g.fillStyle = palette[k];
          g.fillRect(this.gutter + b, y - h, 1, h);
          y -= h;
        }
      }
      text(g, `11px ${this.options.font}`, theme.soft, 'right', this.fitted(s.name, this.gutter - 12), this.gutter - 8, bottom - each / 2);
    });
    if (this.view.whole) return;
    const at = (t) => this.gutter + Math.max(0, Math.min(this.plot, t / this.view.length * this.plot)), x0 = at(this.t0), x1 = at(this.t1);
    g.fillStyle = theme.paper + 'a8';
    g.fillRect(this.gutter, 0, x0 - this.gutter, H);
    g.fillRect(x1, 0, this.gutter + this.plot - x1, H);
    g.strokeStyle = theme.ink;
    g.lineWidth = 1.5;
    g.strokeRect(x0, 0.75, Math.max(2, x1 - x0), H - 1.5);
  }

  // drawOver draws what belongs to the pointer.
  drawOver() {
    const g = this.over.getContext('2d'), scroll = Math.round(this.box.scrollTop), hover = this.hover;
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.laidOut, this.height);
    this.drawPinned(g, scroll);
    if (this.options.pointer === null) return;
    const t = this.options.pointer + this.shift;
    const x = this.x(t);
    if (x >= this.gutter && x <= this.gutter + this.plot) {
      g.fillStyle = theme.ink + '73';
      g.fillRect(x, axisHeight, 1, this.height - axisHeight);
      const label = instant(t, this.view.width / 1000, this.t1), half = this.options.measure(label) / 2 + 6;
      const at = Math.max(this.gutter + half, Math.min(this.laidOut - half, x));
      g.fillStyle = theme.ink;
      g.fillRect(at - half, 3, 2 * half, 17);
      text(g, `11px ${this.options.font}`, theme.paper, 'center', label, at, 12);
    }
    if (hover && hover.row === this.pathRow) this.drawPathHover(g, hover, scroll);
    else if (hover) this.clip(g, () => this.drawHover(g, hover, scroll), this.keptRows.includes(hover.row) ? axisHeight : this.top);
  }

  drawHover(g, { row, span, many }, scroll) {
    if (span < 0) return;
    const t = this.timeline, lane = t.lanes[row.lane], m = t.message[span];
    if (this.options.arrows && !many) {
      if (m >= 0) this.arrow(g, m, scroll, theme.ink, 2, true);
      else if (lane.kind === 0) t.meanwhile(lane.index, span).slice(0, mostArrows).forEach((other) => this.arrow(g, other, scroll, theme.ink, 1.2, false));
    }
    const x0 = this.x(t.start[span]), x1 = this.x(t.end[many ? many : span]);
    g.strokeStyle = theme.ink;
    g.lineWidth = 1.5;
    g.strokeRect(x0, row.top - scroll, Math.max(1, x1 - x0), row.height);
  }

  // find returns what is under a point of the box: the row, the span (-1: a
  // gap), and the last of several spans that share the pixel.
  find(x, y) {
    const scroll = this.box.scrollTop;
    if (x < this.gutter || x > this.gutter + this.plot || y < axisHeight) return null;
    const jump = this.pathed() && y >= this.top ? this.jumpAt(x, y) : -1;
    if (jump >= 0) return { row: this.stick(scroll), span: jump };
    const row = this.keptAt(y) || (y < this.top ? this.stick(scroll) : this.rows.find((r) => y + scroll >= r.top - 1 && y + scroll < r.top + r.height + 1));
    if (!row || row === this.pathRow && !this.pathed()) return null;
    const t = this.timeline, low = t.first[row.lane], high = t.first[row.lane + 1], half = this.view.width / this.plot / 2;
    if (row.mixed) return { row, span: -1, at: this.time(x), half };
    const at = this.time(x), first = Math.max(low, t.last(low, high, at - half)), last = t.last(low, high, at + half);
    const from = first <= last && t.end[first] > at - half ? first : first + 1;
    if (last - from > 2) return { row, span: from, many: last };
    const span = t.spanAt(row.lane, at);
    return { row, span: span >= 0 ? span : from <= last ? from : -1, at };
  }

  tell(found) {
    const t = this.timeline, lane = found.row.lane;
    if (found.row.mixed) return describeMixed(t, this.legend, found);
    const many = found.many ? describeMany(t, this.legend, lane, found.span, found.many) : null;
    const said = many || (found.span < 0 ? describeGap(t, lane, found.at) : describe(t, this.legend, lane, found.span));
    return { ...said, rows: [...alikeRows(t, found.row), ...said.rows] };
  }

  // keepClear returns the part of the window that a tooltip should not cover,
  // and whether it should rather be above it than below: the span and, as far
  // as it goes, its message.
  keepClear({ row, span, many }) {
    const frame = this.box.getBoundingClientRect(), t = this.timeline;
    const m = span < 0 || many ? -1 : t.message[span];
    const rows = m < 0 ? [] : Object.values(t.lanesOf(m)).map((l) => this.rows[this.rowOf.get(l)]).filter(Boolean);
    const far = rows.reduce((best, r) => (Math.abs(r.top - row.top) > Math.abs(best.top - row.top) ? r : best), row);
    const above = far.top > row.top;
    const near = [row, ...rows].filter((r) => (above ? r.top <= row.top : r.top >= row.top));
    const y = frame.top + 1 - this.box.scrollTop, x = (time) => frame.left + 1 + this.x(time);
    return {
      above,
      top: y + Math.min(...near.map((r) => r.top)),
      bottom: y + Math.max(...near.map((r) => r.top + r.height)),
      left: m < 0 ? null : x(t.posted[m]),
      right: m < 0 ? null : x(t.delivered[m]),
    };
  }

  // locate returns the middle of the visible part of a span, in the window.
  locate(lane, i) {
    const row = lane === this.timeline.path ? this.stick(Math.round(this.box.scrollTop)) : this.rows[this.rowOf.get(lane)], t = this.timeline, span = t.first[lane] + i;
    if (lane !== t.path) this.box.scrollTop = Math.max(0, row.top - this.height / 2);
    const frame = this.box.getBoundingClientRect();
    const middle = (Math.max(t.start[span], this.t0) + Math.min(t.end[span], this.t1)) / 2;
    return { x: frame.left + 1 + this.x(middle), y: frame.top + 1 + row.top - this.box.scrollTop + row.height / 2 };
  }
}

const pixelRatio = () => Math.min(3, devicePixelRatio || 1);

function size(canvas, width, height, ratio) {
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
}

function text(g, font, color, align, what, x, y) {
  g.font = font;
  g.fillStyle = color;
  g.textAlign = align;
  g.textBaseline = 'middle';
  g.fillText(what, x, y);
}

const nodeStyle = '600 12px', laneStyle = '12px';
const nodeName = (lane) => (lane.node < 0 ? '' : 'node ' + lane.node);

function head(g, x0, y0, x1, y1, length) {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x1 - length * Math.cos(angle - 0.4), y1 - length * Math.sin(angle - 0.4));
  g.lineTo(x1 - length * Math.cos(angle + 0.4), y1 - length * Math.sin(angle + 0.4));
  g.fill();
}

// inkOn returns black or white, whichever reads better on a colour: at this luminance both have
// a contrast of 4.58, elsewhere one has more.
function inkOn(hex) {
  const part = (at) => { const c = parseInt(hex.slice(at, at + 2), 16) / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 0.179 ? '#000000' : '#fff';
}

// niceTicks returns round instants of an axis, their step, and a base to be
// taken off when the labels would be too long.
function niceTicks(t0, t1, most) {
  const rough = (t1 - t0) / Math.max(2, most), power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((f) => f * power >= rough * 0.9999);
  const base = t1 / step > 2e4 ? Math.floor(t0 / (100 * step)) * 100 * step : 0;
  const at = [];
  for (let i = Math.max(0, Math.ceil(t0 / step)); i * step <= t1; i++) at.push(i * step);
  return { at, step, base, largest: t1 - base };
}
