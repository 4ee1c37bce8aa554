'use strict';

// A program that does the same again and again has iterations: from one begin of a phase to the next one, on the first
// process that has it. The phase is the first one that comes at least fewestTimes.
const fewestTimes = 4;

// iterationsOf returns the phase, when each iteration begins, and when the last one ends; null: there are none.
function iterationsOf(t) {
  for (const name of t.phases || []) {
    const starts = phaseStarts(t, name);
    if (starts.length >= fewestTimes) return { name, starts: [...starts, t.makespan] };
  }
  return null;
}

// typical is the number, from 1 on, of the iteration of median length among those in the middle of the run: the first and the last one
// may begin and end otherwise.
function typical({ starts }) {
  const lengths = starts.slice(2, -1).map((to, i) => [to - starts[i + 1], i + 2]).sort((a, b) => a[0] - b[0]);
  return lengths[lengths.length - 1 >> 1][1];
}

// connectIterations lets a number choose the iteration that is shown, and opens at a typical one unless the address says what is seen.
function connectIterations(view) {
  const field = document.querySelector('[data-do="iteration"]'), all = overlapsim.gantts.map((g) => iterationsOf(g.timeline));
  if (overlapsim.gantts.some((g) => g.strips[0].name !== 'all ranks')) return; // phases of GPUs are kinds of operations
  if (!all.every((i) => i && i.name === all[0].name)) return;
  overlapsim.gantts.forEach((g, i) => { g.iterations = all[i]; });
  const most = Math.max(...all.map((i) => i.starts.length - 1)), of = (i, n) => Math.min(n, i.starts.length - 1);
  const go = (n) => {
    field.value = n = Math.max(1, Math.min(most, Math.round(n) || 1));
    const choice = document.querySelector('[data-do="align"]');
    if (choice) {
      choice.value = 'phase ' + all[0].name;
      document.querySelector('[data-do="occurrence"]').value = n;
      choice.dispatchEvent(new Event('change'));
    }
    const long = Math.max(...all.map((i) => i.starts[of(i, n)] - i.starts[of(i, n) - 1]));
    const begin = all[0].starts[of(all[0], n) - 1] - overlapsim.gantts[0].shift;
    view.set(begin - 0.04 * long, begin + 1.04 * long);
    overlapsim.gantts.forEach((g) => g.seek());
  };
  field.closest('label').hidden = false;
  axisHeight = 42;
  field.max = most;
  field.nextElementSibling.textContent = 'of ' + count(most);
  field.addEventListener('change', () => go(+field.value));
  overlapsim.gantts.forEach((g) => g.layout());
  if (!location.hash.includes('=')) go(typical(all[0]));
}

// drawIterations writes the number of each iteration where it begins, if there is room.
Gantt.prototype.drawIterations = function (g) {
  const { starts } = this.iterations, first = Math.max(0, starts.findIndex((t) => t >= this.t0) - 1);
  g.strokeStyle = theme.fine;
  g.lineWidth = 1;
  let free = this.gutter;
  for (let i = first; i < starts.length - 1 && starts[i] < this.t1; i++) {
    const x0 = Math.max(this.gutter, this.x(starts[i])), x1 = Math.min(this.gutter + this.plot, this.x(starts[i + 1]));
    const label = [`iteration ${i + 1} of ${starts.length - 1}`, `iteration ${i + 1}`, String(i + 1)].find((s) => this.options.measure(s) < x1 - x0 - 10);
    if (!label || x0 < free) continue;
    free = x0 + this.options.measure(label) + 12;
    if (starts[i] >= this.t0) {
      g.beginPath();
      g.moveTo(Math.round(x0) + 0.5, 19);
      g.lineTo(Math.round(x0) + 0.5, axisHeight);
      g.stroke();
    }
    text(g, `11px ${this.options.font}`, theme.soft, 'left', label, x0 + 5, 27);
  }
};
