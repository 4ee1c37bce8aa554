'use strict';

// Lanes that a click on their name, or a button, keeps on top: they stay when the others scroll.

// keep keeps the row of a lane on top, or lets it go.
Gantt.prototype.keep = function (lane) {
  if (!this.kept.delete(lane)) this.kept.add(lane);
  this.layout();
  this.draw();
};

// placeKept places the rows that are kept, below the critical path, and returns the other groups.
Gantt.prototype.placeKept = function (groups, tall) {
  const mine = groups.filter((group) => this.kept.has(group.lane)), { box } = this;
  this.keptRows = [];
  let y = this.top + 4;
  for (const group of mine) {
    const height = this.timeline.lanes[group.lane].kind === 0 ? tall : Math.max(2, Math.round(tall * 0.6)), at = y;
    this.keptRows.push({ ...group, height, band: 0, first: group.node >= 0, between: 0, get top() { return Math.round(box.scrollTop) + at; } });
    y += height + 3;
  }
  if (mine.length) this.top = y + 4;
  return groups.filter((group) => !mine.includes(group));
};

// paintKept paints them over what scrolled below.
Gantt.prototype.paintKept = function (scroll, paint) {
  if (!this.keptRows.length) return;
  const { raster, ratio } = this, from = Math.round((this.keptRows[0].top - scroll - 4 - axisHeight) * ratio);
  raster.fill(0, raster.width, from, Math.round((this.top - axisHeight) * ratio), rgb(theme.paper));
  this.keptRows.forEach(paint);
  const line = Math.round((this.top - 2 - axisHeight) * ratio);
  raster.fill(0, raster.width, line, line + Math.max(1, Math.round(ratio)), rgb(theme.edge));
};

// keptAt is the kept row at a height of the box; undefined: there is none.
Gantt.prototype.keptAt = function (y) {
  const scroll = Math.round(this.box.scrollTop);
  return this.keptRows.find((row) => y >= row.top - scroll - 1 && y < row.top - scroll + row.height + 1);
};

// nameAt is the row whose name is at a point of the box.
Gantt.prototype.nameAt = function (x, y) {
  if (x >= this.gutter || y < axisHeight) return undefined;
  return this.keptAt(y) || (y < this.top ? undefined : this.rows.find((r) => y + this.box.scrollTop >= r.top - 1 && y + this.box.scrollTop < r.top + r.height + 1));
};
