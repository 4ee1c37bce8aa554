'use strict';

// Raster is a block of pixels that lanes are painted into.
class Raster {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint32Array(width * height);
    this.image = new ImageData(new Uint8ClampedArray(this.pixels.buffer), width, height);
  }

  fill(x0, x1, y0, y1, color) {
    x0 = Math.max(0, x0); x1 = Math.min(this.width, x1);
    y0 = Math.max(0, y0); y1 = Math.min(this.height, y1);
    if (x1 === x0 + 1) {
      for (let at = y0 * this.width + x0, end = y1 * this.width; at < end; at += this.width) this.pixels[at] = color;
    } else {
      for (let y = y0; y < y1; y++) this.pixels.fill(color, y * this.width + x0, y * this.width + x1);
    }
  }

  // fade mixes pixels with the paper, three parts of four.
  fade(x0, x1, y0, y1) {
    x0 = Math.max(0, x0); x1 = Math.min(this.width, x1);
    y0 = Math.max(0, y0); y1 = Math.min(this.height, y1);
    const quarter = (rgb(theme.paper) & 0xfcfcfcfc) >>> 2, paper = 3 * (quarter & 0xffffff);
    for (let y = y0; y < y1; y++) {
      for (let at = y * this.width + x0, end = y * this.width + x1; at < end; at++) {
        this.pixels[at] = ((this.pixels[at] & 0xfcfcfcfc) >>> 2 & 0xffffff) + paper | 0xff000000;
      }
    }
  }
}

// rgb returns a colour, mixed with another one, as a little-endian pixel.
function rgb(hex, toward = hex, amount = 0) {
  const mix = (at) => Math.round(parseInt(hex.slice(at, at + 2), 16) * (1 - amount) + parseInt(toward.slice(at, at + 2), 16) * amount);
  return (255 << 24 | mix(5) << 16 | mix(3) << 8 | mix(1)) >>> 0;
}

// paintLane paints a lane into the rows [top, top+height): time t0 is at
// column 0 and a column lasts perPixel. A column that one span fills, or that
// two share, gets one colour; one with more shows each term's share as a
// height, bottom up in the order of the terms. Any zoom costs at most a few
// searches per column. wide(span, x0, x1) is told of spans with room for a
// label.
function paintLane(raster, timeline, lane, top, height, t0, perPixel, palette, wide) {
  const { start, end, term } = timeline;
  const low = timeline.first[lane], high = timeline.first[lane + 1], W = raster.width;
  const share = new Float64Array(timeline.terms);

  const run = (i, x) => { // fills columns from x to where span i ends
    const to = Math.min(W, Math.max(x + 1, Math.floor((end[i] - t0) / perPixel)));
    raster.fill(x, to, top, top + height, palette.fill[term[i]]);
    if (to - x >= 5 && start[i] >= t0 + (x - 1) * perPixel) raster.fill(x, x + 1, top, top + height, palette.edge[term[i]]);
    if (to - x >= palette.room) wide(i, x, to);
    return to;
  };
  const mix = (i, j, x, a, b) => { // several spans in one column
    share.fill(0);
    if (i >= low && end[i] > a) share[term[i]] += Math.min(end[i], b) - a;
    timeline.sums(i + 1, j, share);
    if (j > i) share[term[j]] += Math.min(end[j], b) - start[j];
    let sum = 0, y = top + height, only = -1;
    for (let k = 0; k < share.length; k++) {
      if (share[k] === 0) continue;
      sum += share[k];
      const to = Math.max(top, top + height - Math.round(height * sum / perPixel));
      raster.fill(x, x + 1, to, y, palette.fill[k]);
      y = to;
      only = only === -1 ? k : -2;
    }
    if (only >= 0 && y === top + height) raster.fill(x, x + 1, y - 1, y, palette.fill[only]); // however short
  };

  let i = timeline.last(low, high, t0);
  for (let x = 0; x < W;) {
    const a = t0 + x * perPixel, b = a + perPixel;
    i = timeline.last(Math.max(low, i), high, a);
    const inside = i >= low && end[i] > a;
    if (inside && end[i] >= b) { x = run(i, x); continue; }
    const next = i + 1 < high ? start[i + 1] : Infinity;
    if (next >= b) { // span i ends here, or nothing is here
      if (inside && end[i] - a >= perPixel / 2) raster.fill(x, x + 1, top, top + height, palette.fill[term[i]]);
      else if (inside && end[i] - start[i] < perPixel) mix(i, i, x, a, b);
      x = next === Infinity ? W : Math.max(x + 1, Math.floor((next - t0) / perPixel));
      continue;
    }
    if (end[i + 1] >= b && (!inside || end[i] === next)) { // two pieces: the longer one gets the column
      if (next - a < perPixel / 2) { x = run(i + 1, x); continue; }
      if (inside) raster.fill(x, x + 1, top, top + height, palette.fill[term[i]]);
      x++;
      continue;
    }
    const j = timeline.last(i + 1, high, b);
    mix(i, j, x, a, b);
    i = j;
    x++;
  }
}
