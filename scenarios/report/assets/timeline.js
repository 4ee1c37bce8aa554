'use strict';

// unpack decodes the base64 of an element, piece by piece, and gunzips it.
async function unpack(id) {
  const element = document.getElementById(id);
  const text = element.textContent;
  element.remove();
  const inflate = new DecompressionStream('gzip');
  const bytes = new Response(inflate.readable).arrayBuffer();
  const writer = inflate.writable.getWriter();
  const piece = 1 << 20; // a multiple of 4: base64 comes apart cleanly
  for (let at = 0; at < text.length; at += piece) {
    const binary = atob(text.slice(at, at + piece));
    const raw = new Uint8Array(binary.length);
    for (let i = 0; i < raw.length; i++) raw[i] = binary.charCodeAt(i);
    await writer.write(raw);
  }
  await writer.close();
  return new Uint8Array(await bytes);
}

// Reader reads unsigned varints. Numbers beyond 2^53 lose their last bits.
class Reader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }

  uint() {
    let b = this.bytes[this.at++], x = b & 127;
    for (let scale = 128; b > 127; scale *= 128) {
      b = this.bytes[this.at++];
      x += (b & 127) * scale;
    }
    return x;
  }

  // fill reads as many numbers as the array holds.
  fill(array) {
    for (let i = 0; i < array.length; i++) array[i] = this.uint();
    return array;
  }

  // steps reads zigzag numbers and adds each to what base holds there.
  steps(base) {
    const out = new Float64Array(base.length);
    for (let i = 0; i < out.length; i++) out[i] = base[i] + unzigzag(this.uint());
    return out;
  }
}

const unzigzag = (x) => (x % 2 ? -(x + 1) / 2 : x / 2);

const pathKind = 4; // of the lane of the critical path
const blockSpans = 64; // sums per term are kept for every so many spans

// Timeline holds the spans of all lanes, one lane after the other, in typed
// arrays; lane l owns the spans first[l] to first[l+1]-1.
class Timeline {
  constructor(bytes, terms) {
    const reader = new Reader(bytes);
    const length = reader.uint();
    Object.assign(this, JSON.parse(new TextDecoder().decode(bytes.subarray(reader.at, reader.at + length))));
    reader.at += length;
    this.messageCount = this.messages;
    this.terms = terms;
    this.first = new Uint32Array(this.lanes.length + 1);
    this.lanes.forEach((lane, l) => { this.first[l + 1] = this.first[l] + lane.spans; });
    this.spanCount = this.first[this.lanes.length];
    this.readSpans(reader);
    this.readMessages(reader);
    this.readPath(reader);
    this.sumBlocks();
    this.findLanes();
  }

  readSpans(reader) {
    const n = this.spanCount;
    this.start = reader.fill(new Float64Array(n));
    this.end = reader.fill(new Float64Array(n));
    for (let l = 0; l < this.lanes.length; l++) {
      let at = 0;
      for (let i = this.first[l]; i < this.first[l + 1]; i++) {
        this.start[i] += at;
        at = this.end[i] += this.start[i];
      }
    }
    this.term = reader.fill(new Uint8Array(n));
    this.phase = reader.fill(new Uint8Array(n));
    this.message = reader.fill(new Int32Array(n));
    for (let l = 0; l < this.lanes.length; l++) {
      let last = 0;
      for (let i = this.first[l]; i < this.first[l + 1]; i++) {
        const code = this.message[i];
        this.message[i] = code === 0 ? -1 : last += unzigzag(code - 1);
      }
    }
  }

  readMessages(reader) {
    const n = this.messageCount;
    this.from = reader.fill(new Int32Array(n));
    this.to = reader.fill(new Int32Array(n));
    this.bytes = reader.fill(new Float64Array(n));
    this.posted = reader.steps(new Float64Array(n));
    for (let i = 1; i < n; i++) this.posted[i] += this.posted[i - 1];
    this.insert = reader.steps(this.posted);
    this.begin = reader.steps(this.insert);
    this.sent = reader.steps(this.begin);
    this.delivered = reader.steps(this.sent);
    this.longest = 0;
    for (let i = 0; i < n; i++) this.longest = Math.max(this.longest, this.delivered[i] - this.posted[i]);
    this.byPosted = inOrder(this.posted);
  }

  // readPath notes where the spans of the critical path are, the last lane: the
  // index of a lane, or -1.
  readPath(reader) {
    const last = this.lanes.length - 1;
    this.path = last >= 0 && this.lanes[last].kind === pathKind ? last : -1;
    if (this.path < 0) return;
    this.pathFirst = this.first[last];
    this.where = new Int32Array(this.first[last + 1] - this.pathFirst);
    for (let i = 0, lane = 0; i < this.where.length; i++) this.where[i] = lane += unzigzag(reader.uint());
    this.touched = new Set(this.where); // lanes
  }

  // pathLane returns the lane of a span of the critical path, or -1.
  pathLane(span) { return this.where[span - this.pathFirst]; }

  // onPath returns how long a lane is on the critical path between two instants.
  onPath(lane, t0, t1) {
    const low = this.pathFirst, high = this.first[this.path + 1];
    let time = 0;
    for (let i = Math.max(low, this.last(low, high, t0)); i < high && this.start[i] < t1; i++) {
      if (this.pathLane(i) === lane) time += Math.max(0, Math.min(t1, this.end[i]) - Math.max(t0, this.start[i]));
    }
    return time;
  }

  // sumBlocks prepares sums(): the time per term of all spans before block b.
  sumBlocks() {
    const T = this.terms, blocks = Math.ceil(this.spanCount / blockSpans) + 1;
    this.before = new Float64Array(blocks * T);
    for (let b = 1; b < blocks; b++) {
      const to = b * T, end = Math.min(b * blockSpans, this.spanCount);
      for (let k = 0; k < T; k++) this.before[to + k] = this.before[to - T + k];
      for (let i = (b - 1) * blockSpans; i < end; i++) this.before[to + this.term[i]] += this.end[i] - this.start[i];
    }
  }

  // sums adds the time per term of the spans i to j-1 to out.
  sums(i, j, out) {
    const T = this.terms, left = Math.ceil(i / blockSpans), right = Math.floor(j / blockSpans);
    if (right - left < 2) {
      for (; i < j; i++) out[this.term[i]] += this.end[i] - this.start[i];
      return;
    }
    this.sums(i, left * blockSpans, out);
    for (let k = 0; k < T; k++) out[k] += this.before[right * T + k] - this.before[left * T + k];
    this.sums(right * blockSpans, j, out);
  }

  // last returns the last span in [low, high) that starts at or before t;
  // low-1 if there is none. It gallops from low, where the answer often is.
  last(low, high, t) {
    const start = this.start;
    let step = 1;
    while (low + step <= high && start[low + step - 1] <= t) { low += step; step *= 2; }
    let top = Math.min(high, low + step - 1);
    while (low < top) {
      const middle = (low + top) >>> 1;
      if (start[middle] <= t) low = middle + 1; else top = middle;
    }
    return low - 1;
  }

  // spanAt returns the span of a lane at time t, or -1.
  spanAt(lane, t) {
    const i = this.last(this.first[lane], this.first[lane + 1], t);
    return i >= this.first[lane] && this.end[i] > t ? i : -1;
  }

  // findLanes notes where to draw the ends of messages.
  findLanes() {
    this.alike = new Uint32Array(this.lanes.length); // how many are like a lane, the first of them
    for (const lane of this.lanes) this.alike[lane.alike]++;
    this.cpu = new Map();
    this.nic = [null, new Map(), new Map(), new Map()]; // by kind: insert, send, a process's thread
    this.lanes.forEach((lane, l) => (lane.kind === 0 ? this.cpu : this.nic[lane.kind])?.set(lane.index, l));
  }

  // lanesOf returns the lanes that a message touches.
  lanesOf(m) {
    const from = this.cpu.get(this.from[m]), to = this.cpu.get(this.to[m]);
    const node = from === undefined ? -1 : this.lanes[from].node;
    const inside = to !== undefined && this.lanes[to].node === node;
    return {
      from, to,
      insert: inside ? undefined : this.nic[1].get(node),
      send: inside ? undefined : this.nic[2].get(node),
    };
  }

  // during lists messages under way between two instants; null: more than most.
  during(t0, t1, most) {
    const order = this.byPosted, found = [];
    for (let i = firstAtLeast(order, this.posted, t0 - this.longest); i < order.length; i++) {
      const m = order[i];
      if (this.posted[m] > t1) break;
      if (this.delivered[m] >= t0) found.push(m);
      if (found.length > most || i > 1e6) return null;
    }
    return found;
  }

  // meanwhile lists the messages of a rank that are under way during a span;
  // none when there are too many to look at.
  meanwhile(rank, span) {
    const under = this.during(this.start[span], this.end[span], 20000) || [];
    return under.filter((m) => this.from[m] === rank || this.to[m] === rank);
  }
}

// inOrder returns the indices of values in ascending order.
function inOrder(values) {
  const order = new Int32Array(values.length);
  let sorted = true;
  for (let i = 0; i < order.length; i++) {
    order[i] = i;
    sorted = sorted && (i === 0 || values[i - 1] <= values[i]);
  }
  return sorted ? order : order.sort((a, b) => values[a] - values[b]);
}

// firstAtLeast finds the first place in order whose value is at least x.
function firstAtLeast(order, values, x) {
  let low = 0, high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[order[middle]] < x) low = middle + 1; else high = middle;
  }
  return low;
}

// mostStrips is the largest number of strips of an overview.
const mostStrips = 8;

// strips are the lanes that an overview shows together: all ranks, or, of GPUs, those of each kind of stream, by the name of a lane
// without its GPU. What is beyond mostStrips shares the last one.
function strips(timeline) {
  const kinds = new Map();
  timeline.lanes.forEach((lane, l) => {
    if (lane.kind !== 0) return;
    const [, kind] = lane.name.match(/^\d+ (.+)$/) || [null, 'all ranks'];
    const name = kinds.has(kind) || kinds.size < mostStrips - 1 ? kind : 'other streams';
    if (!kinds.has(name)) kinds.set(name, []);
    kinds.get(name).push(l);
  });
  return [...kinds].map(([name, lanes]) => ({ name, lanes }));
}

// profile splits the run into bins and returns the time per term of some CPU
// lanes in each, as a share of the lanes.
function profile(timeline, lanes, bins, length) {
  const T = timeline.terms, share = new Float64Array(bins * T), width = length / bins;
  const whole = width * Math.max(1, lanes.length);
  for (const l of lanes) {
    for (let i = timeline.first[l]; i < timeline.first[l + 1]; i++) {
      let t = timeline.start[i];
      const end = timeline.end[i], k = timeline.term[i];
      for (let b = Math.floor(t / width); b < bins && t < end; b++) {
        const until = Math.min(end, (b + 1) * width);
        share[b * T + k] += (until - t) / whole;
        t = until;
      }
    }
  }
  return share;
}
