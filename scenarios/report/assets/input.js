'use strict';

// listen connects a Gantt chart with wheel, pointer and keys.
Gantt.prototype.listen = function () {
  const { box, view, options } = this;
  const place = (e) => { const frame = box.getBoundingClientRect(); return [e.clientX - frame.left - 1, e.clientY - frame.top - 1]; };
  box.addEventListener('scroll', () => options.redraw());
  box.addEventListener('wheel', (e) => {
    if (!e.ctrlKey && !e.metaKey && document.activeElement !== box) return; // the page scrolls
    if (e.shiftKey || options.scrolling() || (view.whole && e.deltaY > 0)) return;
    e.preventDefault();
    const by = e.deltaY * [1, 16, 400][e.deltaMode];
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) view.move(e.deltaX / this.plot * view.width);
    else view.zoom(Math.exp(Math.max(-120, Math.min(120, by)) * 0.0025), this.time(Math.max(this.gutter, place(e)[0])) - this.shift);
  }, { passive: false });
  this.drag();
  box.addEventListener('pointermove', (e) => {
    if (box.classList.contains('moving')) return;
    this.under = [e, ...place(e)];
    this.point(...this.under);
  });
  box.addEventListener('pointerleave', () => this.leave());
  box.addEventListener('dblclick', (e) => {
    const found = this.find(...place(e));
    if (!found || found.span < 0) return;
    const t = this.timeline, a = t.start[found.span], b = t.end[found.many || found.span], margin = 0.05 * (b - a);
    view.set(a - margin - this.shift, b + margin - this.shift);
  });
  box.addEventListener('keydown', (e) => this.key(e));
  this.brush();
};

// point shows what is under the pointer.
Gantt.prototype.point = function (e, x, y) {
  this.hover = this.find(x, y);
  this.options.pointer = x >= this.gutter && x <= this.gutter + this.plot ? this.time(x) - this.shift : null;
  if (this.hover) showTip(this.tell(this.hover), e.clientX, this.keepClear(this.hover)); else hideTip();
  this.options.redrawOver();
};

Gantt.prototype.leave = function () {
  this.under = null; // the tooltip follows what comes under the pointer until then
  this.hover = null;
  this.options.pointer = null;
  hideTip();
  this.options.redrawOver();
};

// drag moves the lanes in both directions.
Gantt.prototype.drag = function () {
  const { box, view } = this;
  let last = null, begun = null;
  const place = (e) => { const frame = box.getBoundingClientRect(); return [e.clientX - frame.left - 1, e.clientY - frame.top - 1]; };
  box.addEventListener('pointerdown', (e) => {
    if (e.button !== 0 || e.clientX - box.getBoundingClientRect().left > box.clientWidth) return;
    if (e.shiftKey) {
      begun = place(e);
      box.setPointerCapture(e.pointerId);
    } else last = e;
  });
  box.addEventListener('pointermove', (e) => { if (begun) this.mark(begun, place(e)); });
  box.addEventListener('pointerup', (e) => {
    if (begun) this.area(begun, place(e));
    else if (last && !box.classList.contains('moving')) this.click(...place(e));
    begun = null;
  });
  box.addEventListener('pointermove', (e) => {
    if (!last) return;
    if (!box.classList.contains('moving')) {
      if (Math.hypot(e.clientX - last.clientX, e.clientY - last.clientY) < 3) return;
      box.classList.add('moving');
      box.setPointerCapture(e.pointerId);
      this.leave();
    }
    box.scrollTop -= e.clientY - last.clientY;
    view.move((last.clientX - e.clientX) / this.plot * view.width);
    last = e;
  });
  for (const end of ['pointerup', 'pointercancel']) {
    box.addEventListener(end, () => { last = null; box.classList.remove('moving'); });
  }
};

// click keeps the lane whose name is under the pointer on top, holds the span under it, or lets go.
Gantt.prototype.click = function (x, y) {
  const named = this.nameAt(x, y);
  if (named) { this.keep(named.lane); return; }
  const found = this.find(x, y);
  if (found && found.span >= 0 && !found.many && found.row !== this.pathRow) pin(overlapsim.gantts.indexOf(this), found.row.lane, found.span);
  else pin(null);
};

// mark draws the area between two points.
Gantt.prototype.mark = function ([x0, y0], [x1, y1]) {
  this.leave();
  const g = this.over.getContext('2d');
  g.fillStyle = 'rgba(43,74,198,.18)';
  g.fillRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
};

// area tells the statistics of the area between two points.
Gantt.prototype.area = function ([x0, y0], [x1, y1]) {
  const scroll = this.box.scrollTop, [top, bottom] = [Math.min(y0, y1) + scroll, Math.max(y0, y1) + scroll];
  const rows = this.rows.filter((r) => r.top + r.height > top && r.top < bottom), at = (x) => this.time(Math.max(this.gutter, Math.min(this.gutter + this.plot, x)));
  this.tellArea(rows, Math.max(0, at(Math.min(x0, x1))), at(Math.max(x0, x1)));
  this.drawOver();
};

// brush lets the overview move the view, or choose a new one outside of it.
Gantt.prototype.brush = function () {
  const { overview, view } = this;
  const time = (e) => (e.clientX - overview.getBoundingClientRect().left - this.gutter) / this.plot * view.length - this.shift;
  let from = null, held = false;
  overview.addEventListener('pointerdown', (e) => {
    from = time(e);
    held = !view.whole && from > view.t0 && from < view.t1;
    overview.setPointerCapture(e.pointerId);
  });
  overview.addEventListener('pointermove', (e) => {
    if (from === null) return;
    const to = time(e);
    if (held) { view.move(to - from); from = to; } else view.set(Math.min(from, to), Math.max(from, to));
  });
  for (const end of ['pointerup', 'pointercancel']) overview.addEventListener(end, () => { from = null; });
};

Gantt.prototype.key = function (e) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const { view, box } = this, middle = (view.t0 + view.t1) / 2;
  const keys = {
    ArrowLeft: () => view.move(-view.width / 8),
    ArrowRight: () => view.move(view.width / 8),
    ArrowUp: () => { box.scrollTop -= 40; },
    ArrowDown: () => { box.scrollTop += 40; },
    '+': () => view.zoom(0.7, this.options.pointer ?? middle),
    '=': () => view.zoom(0.7, this.options.pointer ?? middle),
    '-': () => view.zoom(1 / 0.7, this.options.pointer ?? middle),
  };
  if (!keys[e.key]) return;
  e.preventDefault();
  keys[e.key]();
};

const tip = () => document.getElementById('tip');

function hideTip() { tip().hidden = true; }

// showTip shows a description beside the pointer, above or below what must be
// kept clear; all of it is plain text.
function showTip({ said, when, rows }, x, clear) {
  const box = tip();
  box.replaceChildren();
  fillTip(box, { said, when, rows });
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  const { left, top } = beside(x, clear, box.getBoundingClientRect());
  box.style.left = left + 'px';
  box.style.top = top + 'px';
}

// fillTip writes a description; all of it is plain text.
function fillTip(box, { said, when, rows }) {
  const add = (name, what) => { const p = document.createElement('p'); p.className = name; p.textContent = what; box.append(p); };
  add('said', said);
  if (when) add('when', when);
  if (!rows.length) return;
  const table = document.createElement('table');
  for (const cells of rows) {
    const line = table.insertRow();
    for (const cell of cells) line.insertCell().textContent = cell;
  }
  box.append(table);
}

// beside finds a place for a tooltip: on the wished side of what must be kept
// clear, else to its right or left, else on the other side.
function beside(x, clear, { width, height }) {
  const near = Math.max(4, x + 18 + width > innerWidth ? x - width - 14 : x + 18);
  const above = clear.top - height - 10, below = clear.bottom + 10;
  if (clear.above ? above > 4 : below + height < innerHeight) return { left: near, top: clear.above ? above : below };
  const level = Math.max(4, Math.min(innerHeight - height - 4, clear.top));
  if (clear.left !== null && clear.right + 18 + width < innerWidth) return { left: clear.right + 18, top: level };
  if (clear.left !== null && clear.left - 18 - width > 4) return { left: clear.left - 18 - width, top: level };
  return { left: near, top: Math.max(4, Math.min(innerHeight - height - 4, clear.above ? below : above)) };
}
