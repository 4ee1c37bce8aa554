'use strict';

// A page with a simulator: its controls change the run, and what they change is drawn again: the sentence, the bar, the
// numbers, the causes, what would help and the timeline, with the original run faint beside it.

const patience = 400; // ms after which a run is dropped for the next one; a shorter one ends
const rest = 300; // ms without a change after which re-runs say why

// Simulator is the program in a worker, and after the first run a second worker that is ready to take its place.
class Simulator {
  constructor(module, script, start) {
    Object.assign(this, { module, script, start, count: 0, memory: 0, dropped: 0, running: null, waiting: null, spare: null, told: () => {}, begins: () => {} });
    this.worker = this.make();
  }

  make() {
    const worker = new Worker(this.script);
    worker.ready = new Promise((ready, failed) => {
      worker.onerror = (e) => failed(new Error(e.message));
      worker.onmessage = ({ data }) => {
        if (data.started) { if (data.error) failed(new Error(data.error)); else ready(worker); return; }
        if (worker !== this.worker) return;
        if (data.seconds !== undefined) this.begins(data.seconds);
        else if (data.ended) this.ended(data.error || 'the program ended');
        else this.replied(data);
      };
    });
    worker.ready.catch(() => {});
    worker.postMessage({ module: this.module, start: this.start });
    return worker;
  }

  // ask asks for a run. What is under way gives way to it.
  ask(request) {
    this.waiting = request;
    clearTimeout(this.timer);
    const run = this.running;
    if (!run) return this.next();
    const left = run.request.answer ? 0 : (run.request.first ? 10 : 1) * patience - (performance.now() - run.began);
    this.timer = setTimeout(() => { if (this.running === run && this.waiting) { this.drop(); this.next(); } }, Math.max(0, left));
  }

  // drop ends the run under way.
  drop() {
    clearTimeout(this.timer);
    if (!this.running) return;
    this.dropped++;
    this.replace();
  }

  replace() {
    this.worker.terminate();
    this.running = null;
    this.worker = this.spare || this.make();
    this.spare = null;
  }

  async next() {
    const request = this.waiting;
    if (!request || this.running) return;
    this.waiting = null;
    const run = this.running = { request, id: ++this.count, began: performance.now() };
    try {
      const worker = await this.worker.ready;
      if (this.running === run) worker.postMessage({ id: run.id, request: JSON.stringify(request) });
    } catch (error) {
      this.running = null;
      this.told(request, { error: String(error) }, null);
    }
  }

  replied({ id, reply, timeline, memory }) {
    const run = this.running;
    if (!run || run.id !== id) return;
    this.running = null;
    this.memory = memory;
    this.spare ||= this.make();
    this.ms = performance.now() - run.began;
    this.told(run.request, JSON.parse(reply), timeline.length ? timeline : null);
    this.next();
  }

  // ended says that the program has ended, such as for want of memory, and begins it again.
  ended(error) {
    const run = this.running;
    this.replace();
    if (run) this.told(run.request, { error: 'the run ended the simulator: ' + error }, null);
    this.next();
  }
}

// readCoded reads bytes written as Ascii85, with v in place of <.
function readCoded(text) {
  const out = new Uint8Array(Math.ceil(text.length / 5) * 4 + 4 * (text.length - text.replaceAll('z', '').length));
  let at = 0, value = 0, digits = 0;
  const put = (bytes) => { for (let i = 0; i < bytes; i++) out[at++] = value / 2 ** (24 - 8 * i) & 255; value = digits = 0; };
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 122) { put(4); continue; }
    if (c < 33) continue;
    value = value * 85 + (c === 118 ? 27 : c - 33);
    if (++digits === 5) put(4);
  }
  if (digits) {
    const bytes = digits - 1;
    for (; digits < 5; digits++) value = value * 85 + 84;
    put(bytes);
  }
  return out.subarray(0, at);
}

const live = (name) => document.getElementById('live-' + name);

// make returns an element with attributes and contents.
function make(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value === true) element.setAttribute(name, ''); else if (value !== false) element.setAttribute(name, value);
  element.append(...inside);
  return element;
}

async function startLive() {
  const start = live('start').textContent, program = live('simulator');
  const packed = readCoded(program.textContent);
  program.remove();
  const bytes = new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  const module = await WebAssembly.compile(await bytes);
  const script = URL.createObjectURL(new Blob(['support', 'worker'].map((id) => live(id).textContent + '\n'), { type: 'text/javascript' }));
  const simulator = new Simulator(module, script, start);
  await simulator.worker.ready;
  overlapsim.live = new Controls(JSON.parse(start), simulator);
}

// Controls are those of the page, and what they change.
class Controls {
  constructor(start, simulator) {
    Object.assign(this, { start, simulator, replies: 0, reply: null });
    this.gantt = overlapsim.gantts[0];
    this.shown = new Shown(this.gantt);
    this.knobs = this.make(start.controls);
    this.pattern = this.knobs.find((k) => k.control.path === 'workload.name');
    this.own = this.knobs.filter(ofProgram);
    this.fitted = this.pattern?.at;
    this.switches = start.causes.map((cause) => {
      const box = make('input', { type: 'checkbox', value: cause });
      box.addEventListener('change', () => this.changed());
      live('without').append(make('label', {}, box, ' ' + cause));
      return box;
    });
    live('without').hidden = !start.causes.length;
    this.complete(start.paths);
    live('set').addEventListener('change', () => this.changed());
    live('back').addEventListener('click', () => this.back());
    live('copy').addEventListener('click', () => copyText(live('copy')));
    simulator.told = (request, reply, timeline) => this.told(request, reply, timeline);
    simulator.begins = (seconds) => this.say(`Runs for about ${duration(seconds * 1e12)} …`);
    live('form').hidden = false;
    this.command(start.command);
    this.say('');
    simulator.ask({ settings: [], first: true }); // the browser compiles what it runs: later runs are faster
  }

  say(text) { live('said').textContent = text; }

  make(controls) {
    const knobs = controls.map((c) => new Knob(c, () => this.changed()));
    live('knobs').append(...knobs.map((k) => k.box));
    return knobs;
  }

  complete(paths) { live('paths').replaceChildren(...paths.map((path) => make('option', { value: path + '=' }))); }

  // fit has the controls of the pattern that was chosen, from its reply; null: those of the original.
  fit(reply) {
    if (!this.pattern || this.fitted === this.pattern.at || reply && !reply.controls && this.pattern.changed) return;
    this.fitted = this.pattern.at;
    const others = this.knobs.filter((k) => !ofProgram(k));
    for (const k of this.knobs) if (ofProgram(k)) k.box.remove();
    if (reply?.controls) this.knobs = others.concat(this.make(reply.controls));
    else {
      this.knobs = others.concat(this.own);
      live('knobs').append(...this.own.map((k) => k.box));
    }
    this.complete(reply?.paths || this.start.paths);
  }

  command(text) {
    live('command').textContent = text;
    live('copy').dataset.copy = text;
  }

  // settings are the changes, as --set takes them.
  settings() {
    const all = this.knobs.filter((k) => k.changed).map((k) => k.setting), off = this.switches.filter((s) => s.checked).map((s) => s.value);
    if (off.length) all.push(off.length > 1 ? `without=[${off.join(', ')}]` : 'without=' + off[0]);
    const typed = live('set').value.replace(/(^|\s)--set\s+/g, '$1').trim();
    return typed ? all.concat(typed.split(/\s+(?=[a-z][\w.[\]-]*=)/)) : all;
  }

  // changed runs what the controls say.
  changed() {
    clearTimeout(this.timer);
    if (this.pattern && this.pattern.at !== this.fitted) for (const k of this.knobs) if (ofProgram(k)) k.reset();
    const settings = this.settings();
    if (!settings.length) return this.back();
    this.say('Runs …');
    this.simulator.ask({ settings, answer: false, controls: !!this.pattern && this.pattern.at !== this.fitted, pattern: this.pattern?.at });
  }

  // told shows a reply; after a while without a change, it asks why.
  told(request, reply, timeline) {
    if (request.first) return this.check(reply);
    this.replies++;
    this.reply = reply;
    live('error').hidden = !reply.error;
    live('error').textContent = reply.error || '';
    if (reply.error) return this.say('This setting does not run. What is shown is the last one that did.');
    this.command(reply.command);
    if (request.pattern === this.pattern?.at) this.fit(reply);
    this.shown.change(reply, timeline, this.start);
    for (const k of this.knobs) k.note(request.settings, reply.makespan / 1e12, this.start.makespan / 1e12);
    if (this.simulator.waiting) return;
    const notes = (reply.notes || []).join('. ');
    if (request.answer || !document.getElementById('what-would-help')) return this.say(notes);
    this.say(`${notes ? notes + '. ' : ''}Why, and what would help, are computed …`);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.simulator.ask({ settings: request.settings, answer: true, pattern: request.pattern }), rest);
  }

  // check says if the simulator is not of the version that wrote the page.
  check(reply) {
    this.checked = true;
    this.say('');
    if (reply.makespan === this.start.makespan) return;
    live('error').hidden = false;
    live('error').textContent = `The simulator says otherwise than the page of the original run: ${reply.error || duration(+reply.makespan)}. It is of another version.`;
  }

  // back shows the original run.
  back() {
    clearTimeout(this.timer);
    this.simulator.waiting = null;
    this.simulator.drop();
    for (const k of this.knobs) k.reset();
    this.fit(null);
    for (const k of this.own) k.reset();
    for (const s of this.switches) s.checked = false;
    live('set').value = '';
    live('error').hidden = true;
    this.shown.original();
    this.command(this.start.command);
    this.say('');
    this.reply = null;
  }
}

// ofProgram tells whether a control is of the pattern that runs.
const ofProgram = (k) => /^(workload\.(?!name$)|ranks$|processes_per_node$)/.test(k.control.path);

// Knob is a control, with the makespans that were seen along it.
class Knob {
  constructor(control, changed) {
    this.control = control;
    const { path, stops, at, doc, words } = control, id = 'knob-' + path.replace(/\W/g, '-');
    this.output = make('output', { for: id });
    if (words) {
      this.input = make('select', { id }, ...stops.map((stop, i) => make('option', { value: i }, stop.shown)));
    } else this.input = make('input', { id, type: 'range', min: 0, max: stops.length - 1, step: 1 });
    this.curve = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    this.curve.setAttribute('viewBox', '0 0 100 24');
    this.curve.setAttribute('preserveAspectRatio', 'none');
    this.curve.setAttribute('aria-hidden', 'true');
    const mark = make('i', { class: 'mark', style: `left:calc(8px + (100% - 16px) * ${at / Math.max(1, stops.length - 1)})`, title: 'the original: ' + stops[at].shown });
    this.box = make('div', { class: 'knob' }, make('label', { for: id, title: doc || path }, path), this.output,
      make('span', { class: 'track' }, this.input, ...(words ? [] : [mark])), ...(words ? [] : [this.curve]));
    this.input.addEventListener('input', () => { this.tell(); changed(); });
    this.reset();
  }

  get at() { return +this.input.value; }
  get changed() { return this.at !== this.control.at; }
  get setting() { return `${this.control.path}=${this.control.stops[this.at].value}`; }

  tell() {
    const { stops, at, words } = this.control;
    this.output.textContent = this.changed ? `${words ? '' : stops[this.at].shown + ', '}original ${stops[at].shown}` : words ? '' : stops[at].shown;
    this.input.setAttribute('aria-valuetext', stops[this.at].shown);
  }

  reset() {
    this.input.value = this.control.at;
    this.seen = new Map();
    this.rest = '[]';
    this.tell();
    this.curve.replaceChildren();
  }

  // note remembers a makespan, as long as nothing else changes, and draws the curve.
  note(settings, makespan, original) {
    if (this.control.words) return;
    const { path, stops, at } = this.control, others = JSON.stringify(settings.filter((s) => !s.startsWith(path + '=')));
    const mine = settings.find((s) => s.startsWith(path + '=')), stop = mine ? stops.findIndex((s) => `${path}=${s.value}` === mine) : at;
    if (others !== this.rest) this.seen = new Map();
    this.rest = others;
    if (others === '[]') this.seen.set(at, original);
    if (stop >= 0) this.seen.set(stop, makespan);
    this.draw();
  }

  draw() {
    this.curve.replaceChildren();
    if (this.seen.size < 2) return;
    const points = [...this.seen].sort((a, b) => a[0] - b[0]), values = points.map((p) => p[1]);
    const low = Math.min(...values), high = Math.max(...values), last = this.control.stops.length - 1;
    const place = ([stop, value]) => `${(100 * stop / last).toFixed(2)},${(22 - 20 * (high > low ? (value - low) / (high - low) : 0.5)).toFixed(2)}`;
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
    line.setAttribute('points', points.map(place).join(' '));
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = `makespan ${duration(low * 1e12)} to ${duration(high * 1e12)}`;
    this.curve.append(title, line);
  }
}

// Shown is what moves on the page: each part is covered by that of the changed run, and uncovered again.
class Shown {
  constructor(gantt) {
    this.gantt = gantt;
    this.timeline = gantt?.timeline;
    this.iterations = gantt?.iterations;
    this.covers = [];
    for (const id of ['makespan', 'why', 'what-would-help', 'timeline', 'change-it']) document.getElementById(id)?.classList.add('moves');
  }

  // cover hides elements and shows others in front of the first one.
  cover(hidden, ...shown) {
    if (!hidden.length) return;
    hidden[0].before(...shown);
    for (const e of hidden) e.hidden = true;
    this.covers.push(() => { for (const e of shown) e.remove(); for (const e of hidden) e.hidden = false; });
  }

  uncover() {
    for (const undo of this.covers.splice(0).reverse()) undo();
  }

  original() {
    this.uncover();
    document.body.classList.remove('changed');
    if (this.gantt && this.gantt.timeline !== this.timeline) this.gantt.swap(this.timeline, null, this.iterations);
  }

  change(reply, timeline, start) {
    const { moving } = reply, ratio = reply.makespan / start.makespan;
    this.uncover();
    document.body.classList.add('changed');
    const lead = document.querySelector('.lead');
    if (lead) this.cover([lead], make('p', { class: 'lead' }, moving.lead || `${moving.makespan}: ${compared(ratio)}.`));
    this.bars(moving, ratio);
    const facts = document.querySelector('dl.facts');
    if (facts) this.cover([facts], make('dl', { class: 'facts' }, ...(moving.facts || []).map((f) => make('div', {}, make('dt', {}, f.Name), make('dd', {}, f.Value, make('small', {}, f.Note))))));
    if (moving.tried) this.answer(moving);
    if (this.gantt && timeline) {
      this.gantt.swap(new Timeline(timeline, this.gantt.legend.length), this.timeline, this.iterations);
    }
  }

  // bars draws the makespan above the original one, both on one scale.
  bars(moving, ratio) {
    const spans = document.querySelector('#makespan .spans'), bar = moving.bars?.Bars?.[0];
    if (!spans || !bar) return;
    const own = spans.querySelector('.bar'), longest = Math.max(1, ratio);
    const pieces = bar.Pieces.map((p) => make('i', { style: `width:${p.Width}%;background:${p.Color}`, title: `${p.Name}: ${p.Value}` }));
    const tick = bar.Tick ? [make('em', { class: 'bound', style: `left:${bar.Tick}%`, title: bar.Bound })] : [];
    const now = make('div', { class: 'spans now' }, make('div', { class: 'span' },
      make('span', { class: 'bar', style: `width:${100 * ratio / longest}%` }, ...pieces, ...tick),
      make('span', { class: 'value' }, `${bar.Value}, ${compared(ratio)}`)));
    spans.before(now);
    spans.classList.add('faint');
    own.style.width = 100 / longest + '%';
    this.covers.push(() => { now.remove(); spans.classList.remove('faint'); own.style.width = ''; });
  }

  answer(moving) {
    const part = (id, ...shown) => {
      const section = document.getElementById(id);
      if (section) this.cover([...section.children].filter((e) => e.tagName !== 'H2'), ...shown);
    };
    const effects = (all) => make('div', { class: 'effects' }, ...all.map(effect));
    part('why', ...(moving.why?.length ? [effects(moving.why)] : [make('p', { class: 'note' }, 'The absence of no cause makes the run noticeably shorter.')]));
    part('what-would-help', ...(moving.help?.length ? moving.help.flatMap((g) => [make('h3', {}, g.Title), effects(g.Changes)])
      : [make('p', { class: 'note' }, moving.unhelped)]));
  }
}

// compared says how a makespan compares with the original one.
function compared(ratio) {
  if (ratio === 1) return 'as long as the original';
  if (ratio >= 2) return `${ratio.toPrecision(3)} times the original`;
  return `${percent(Math.abs(ratio - 1))} ${ratio < 1 ? 'less' : 'more'} than the original`;
}

// effect is a row of the causes, or of what would help.
function effect(change) {
  const copy = make('button', { type: 'button', class: 'copy', 'data-copy': change.Command, title: change.Command }, 'Copy command');
  copy.addEventListener('click', () => copyText(copy));
  return make('div', { class: 'effect' },
    make('span', { class: 'name' }, change.Waits ? 'without ' + change.Name : change.Name, ...(change.Price ? [make('small', {}, change.Price)] : [])),
    make('span', { class: 'saves' }, change.Saves, make('small', {}, change.Makespan)),
    make('span', { class: 'bar' }, make('i', { style: `width:${change.Width}%` })), copy);
}

// swap shows another timeline, with a second one faint beside it; null: none.
Gantt.prototype.swap = function (timeline, ghost, iterations) {
  if (overlapsim.pinned) pin(null);
  const first = ghost && !this.ghost;
  Object.assign(this, { timeline, ghost, strips: strips(timeline), iterations: iterations && iterationsOf(timeline), hover: null, under: null });
  this.kept.clear();
  this.keptRows = [];
  if (ghost) this.ghostLane = new Map(ghost.lanes.map((lane, l) => [lane.kind + ' ' + lane.index + ' ' + lane.name, l]));
  this.layout();
  this.view.resize(Math.max(timeline.makespan, ghost ? ghost.makespan : 0) * 1.005);
  if (first) this.view.reset();
};

// ghostPalette has the pixels of each term in the original run.
Gantt.prototype.ghostPalette = function () {
  const fill = this.legend.map((look) => rgb(look.color, theme.paper, 0.62));
  return { fill, edge: fill, room: Infinity };
};

// paintGhost paints what the lanes of a row do in the original run, paler.
Gantt.prototype.paintGhost = function (row, top, height, palette) {
  const t = this.timeline, names = row.lanes.map((l) => `${t.lanes[l].kind} ${t.lanes[l].index} ${t.lanes[l].name}`);
  const lanes = names.map((name) => this.ghostLane.get(name)).filter((l) => l !== undefined);
  if (!lanes.length) return;
  const perPixel = this.view.width / this.raster.width;
  if (lanes.length > 1 && row.mixed) paintMixed(this.raster, this.ghost, lanes, top, height, this.t0, perPixel, palette);
  else paintLane(this.raster, this.ghost, lanes[0], top, height, this.t0, perPixel, palette, () => {});
};

// The simulator starts when the page is drawn.
function whenReady() {
  if (overlapsim.error) return;
  if (!overlapsim.ready) return setTimeout(whenReady, 20);
  startLive().catch((error) => {
    overlapsim.liveError = String(error);
    live('said').textContent = 'The simulator did not start: ' + error + '. A browser from 2023 or later is needed.';
  });
}
whenReady();
