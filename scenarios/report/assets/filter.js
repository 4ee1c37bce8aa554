'use strict';

// An area of the timeline filters the charts of its run: they show what its ranks do in it.

// filterCharts shows in the charts of a run only some lanes between two instants; null shows all again.
function filterCharts(gantt, lanes, t0, t1) {
  const run = +gantt.box.closest('.gantt').dataset.run, t = gantt.timeline;
  if (lanes && t.lanes.filter((lane) => lane.kind === 0).length !== t.ranks) return; // lanes that stand for several
  for (const one of overlapsim.drawn.filter((d) => d.data.of && d.data.run === run)) {
    one.only = lanes && (one.data.of === 'ranks' ? byRank(t, lanes, t0, t1) : byPhase(t, lanes, t0, t1));
    one.chart.setOption(one.finished(), { notMerge: true });
    const caption = one.figure.querySelector('figcaption');
    caption.querySelector('.filtered')?.remove();
    if (!lanes) continue;
    const note = document.createElement('small');
    note.className = 'filtered';
    note.textContent = ` only from ${duration(t0)} to ${duration(t1)}, ${count(lanes.length)} ${lanes.length === 1 ? 'rank' : 'ranks'}`;
    caption.querySelector('.save').before(note);
  }
}

// byRank returns what a chart over ranks shows: of a group of ranks, such as "3" or "4–7", the mean time of a term in seconds.
function byRank(t, lanes, t0, t1) {
  return (group, term) => {
    const [first, last = first] = group.split('–').map(Number);
    const mine = lanes.filter((l) => t.lanes[l].index >= first && t.lanes[l].index <= last);
    return areaSums(t, mine, t0, t1)[term] / (last - first + 1) / 1e12;
  };
}

// byPhase returns what a chart over phases shows: the mean over the ranks.
function byPhase(t, lanes, t0, t1) {
  const sums = new Map();
  for (const l of lanes) {
    const low = t.first[l], high = t.first[l + 1];
    for (let i = Math.max(low, t.last(low, high, t0)); i < high && t.start[i] < t1; i++) {
      const time = Math.min(t1, t.end[i]) - Math.max(t0, t.start[i]), key = t.phases[t.phase[i]] + ' ' + t.term[i];
      if (time > 0) sums.set(key, (sums.get(key) || 0) + time);
    }
  }
  return (group, term) => (sums.get(group + ' ' + term) || 0) / lanes.length / 1e12;
}

// filtered puts the values of a filter into the data of a chart of bars.
function filtered(data, only) {
  if (!only) return data;
  const { series, xAxis: [x], yAxis: [y] } = data.option, groups = x.data || y.data;
  const terms = new Map(JSON.parse(document.getElementById('legend').textContent).map((look, k) => [look.title, k]));
  for (const s of series) s.data.forEach((item, i) => { item.value = only(groups[i], terms.get(s.name)); });
  return data;
}
