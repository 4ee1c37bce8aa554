'use strict';

// describe says what happens in a span: a sentence, when, and the life of its
// message as rows.
function describe(timeline, legend, lane, span) {
  const t = timeline, m = t.message[span], l = t.lanes[lane];
  if (l.kind === pathKind) return describePath(t, span);
  const phase = l.kind === 0 && t.phases ? t.phases[t.phase[span]] : '';
  return {
    said: sentence(t, legend, l, span),
    when: duration(t.end[span] - t.start[span]) + ', from ' + duration(t.start[span], 7) + (phase ? ', phase ' + phase : ''),
    rows: [...onPathRows(t, lane, t.start[span], t.end[span]), ...(m >= 0 ? life(t, m) : l.kind === 0 ? meanwhile(t, l.index, span) : [])],
  };
}

function sentence(t, legend, lane, span) {
  const m = t.message[span];
  if (lane.kind !== 0) {
    const what = m < 0 ? 'a message' : `the message from rank ${t.from[m]} to rank ${t.to[m]}`;
    if (lane.kind === 3) return `The thread of rank ${lane.index} works for ${what}`;
    return lane.kind === 1 ? `The NIC of node ${lane.index} takes ${what} into its queue` : `The NIC of node ${lane.index} sends the bytes of ${what}`;
  }
  let what = 'a message';
  if (m >= 0) what = t.from[m] === lane.index ? `its message to rank ${t.to[m]}` : `the message from rank ${t.from[m]}`;
  return capital(lane.name) + ' ' + doing(t, legend[t.term[span]], span).replace('{message}', what);
}

// doing chooses the words for a term by how far the message of the span is.
function doing(t, look, span) {
  const m = t.message[span];
  if (m < 0) return look.alone || look.doing;
  if (look.early && t.end[span] <= t.begin[m]) return look.early;
  const there = t.delivered[m] > 0 && t.end[span] > t.delivered[m];
  if (look.late && there && t.start[span] >= t.delivered[m]) return look.late;
  if (look.across && there) return look.across;
  return look.doing;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// life tells how a message came from one rank to the other.
function life(t, m) {
  const rows = [[`Message ${m}: rank ${t.from[m]} → rank ${t.to[m]}`, byteSize(t.bytes[m])]];
  rows.push(['posted at', duration(t.posted[m], 7)]);
  const step = (what, from, to) => { if (to > from) rows.push([what, duration(to - from)]); };
  step('waits for the NIC', t.posted[m], t.insert[m]);
  step('inserted and queued', t.insert[m], t.begin[m]);
  step('bytes leave', t.begin[m], t.sent[m]);
  step('travels and is taken in', t.sent[m], t.delivered[m]);
  if (t.delivered[m] > 0) rows.push(['delivered at', duration(t.delivered[m], 7)]);
  return rows;
}

// meanwhile tells how much communication goes on beside a span.
function meanwhile(t, rank, span) {
  const under = t.meanwhile(rank, span);
  if (!under.length) return [];
  const sent = under.filter((m) => t.from[m] === rank).length;
  return [['Messages under way meanwhile', count(under.length)], ['of them sent by this rank', count(sent)]];
}

// describeMany says what a column that holds many spans is made of.
function describeMany(timeline, legend, lane, i, j) {
  const share = new Float64Array(timeline.terms);
  timeline.sums(i, j + 1, share);
  const whole = timeline.end[j] - timeline.start[i];
  const rows = [...share].map((time, k) => [time, k]).filter(([time]) => time > 0).sort((a, b) => b[0] - a[0])
    .map(([time, k]) => [legend[k].title, percent(time / whole)]);
  const path = timeline.lanes[lane].kind === pathKind;
  return {
    said: `${capital(timeline.lanes[lane].name)}: ${count(j - i + 1)} ${path ? 'pieces' : 'spans'} under the pointer`,
    when: duration(whole) + ', from ' + duration(timeline.start[i], 7) + '; zoom in to see them one by one',
    rows: path ? rows : [...onPathRows(timeline, lane, timeline.start[i], timeline.end[j]), ...rows],
  };
}

// describeGap says what it means that a lane has no span.
function describeGap(timeline, lane, t) {
  const l = timeline.lanes[lane], end = timeline.first[lane + 1];
  const over = end === timeline.first[lane] || t >= timeline.end[end - 1];
  if (l.kind === 0) return { said: capital(l.name) + (over ? ' has ended' : ': nothing recorded'), when: '', rows: [] };
  if (l.kind === pathKind) return { said: 'The run has ended', when: '', rows: [] };
  if (l.kind === 3) return { said: `The thread of rank ${l.index} has nothing to do`, when: '', rows: [] };
  const doing = l.kind === 1 ? 'takes nothing in' : 'sends nothing';
  return { said: `The NIC of node ${l.index} ${doing}`, when: '', rows: [] };
}

// labelOf is what stands inside a wide span, longest first.
function labelOf(timeline, legend, lane, span) {
  if (lane === timeline.path) return [timeline.parts[timeline.phase[span]].name];
  const m = timeline.message[span], title = legend[timeline.term[span]].title.toLowerCase();
  if (m < 0) return [title];
  if (timeline.lanes[lane].kind !== 0) return [`${timeline.from[m]} → ${timeline.to[m]}`];
  const other = timeline.from[m] === timeline.lanes[lane].index ? `→ ${timeline.to[m]}` : `← ${timeline.from[m]}`;
  return [`${title} ${other}`, other];
}
