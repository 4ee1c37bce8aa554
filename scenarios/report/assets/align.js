'use strict';

// Several timelines share a view. Each has a shift: what it shows at an instant of the
// view is its own time, shift later. Aligned, the instants that belong together stand
// below each other.

// phaseStarts returns when a phase begins, again and again, on the first process that
// has it.
function phaseStarts(t, name) {
  const phase = (t.phases || []).indexOf(name);
  for (let l = 0; l < t.lanes.length && phase >= 0; l++) {
    if (t.lanes[l].kind !== 0) continue;
    const starts = [];
    for (let i = t.first[l]; i < t.first[l + 1]; i++) {
      if (t.phase[i] === phase && (i === t.first[l] || t.phase[i - 1] !== phase)) starts.push(t.start[i]);
    }
    if (starts.length) return starts;
  }
  return [];
}

// anchor returns the instant of a run that is aligned: its start, its end, or where a
// phase begins for the n-th time, counted from 1; for the last time if that is before.
function anchor(t, on, n) {
  if (on === 'start') return 0;
  if (on === 'end') return t.makespan;
  const starts = phaseStarts(t, on.slice('phase '.length));
  return starts[Math.min(n, starts.length) - 1];
}

// align shifts the timelines so that their anchors stand below each other.
function align(gantts, view, on, n) {
  const at = gantts.map((g) => anchor(g.timeline, on, n)), latest = Math.max(...at);
  gantts.forEach((g, i) => { g.shift = at[i] - latest; });
  view.resize(Math.max(1, ...gantts.map((g) => g.timeline.makespan - g.shift)) * 1.005);
}

// commonPhases are those that every timeline has.
function commonPhases(gantts) {
  const [first, ...rest] = gantts.map((g) => (g.timeline.phases || []).filter((name) => phaseStarts(g.timeline, name).length));
  return first.filter((name) => rest.every((other) => other.includes(name)));
}

// connectAlign fills the choice of what is aligned, and the number of a phase that comes
// again.
function connectAlign(view, options) {
  const choice = document.querySelector('[data-do="align"]'), number = document.querySelector('[data-do="occurrence"]');
  if (!choice) return;
  const gantts = overlapsim.gantts;
  for (const name of commonPhases(gantts)) choice.add(new Option('phase ' + name, 'phase ' + name));
  const often = () => (choice.value.startsWith('phase ') ? Math.max(...gantts.map((g) => phaseStarts(g.timeline, choice.value.slice(6)).length)) : 1);
  const change = () => {
    number.max = often();
    number.parentNode.hidden = often() < 2;
    number.value = Math.max(1, Math.min(often(), Math.round(+number.value) || 1));
    align(gantts, view, choice.value, +number.value);
    for (const g of gantts) g.profile = null;
    options.redraw();
  };
  choice.addEventListener('change', change);
  number.addEventListener('change', change);
  change();
}
