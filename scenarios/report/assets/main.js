'use strict';

// overlapsim is what tests and curious readers may look at and call.
const overlapsim = window.overlapsim = {
  ready: false, readyMs: 0, drawMs: 0, draws: 0, charts: 0, spans: 0, messages: 0, error: '', gantts: [], view: null, options: null, pinned: null,
};

// start unpacks what the page carries and draws it.
async function start() {
  readTheme();
  const legend = JSON.parse(document.getElementById('legend').textContent);
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(await unpack('echarts'));
  document.head.append(script);
  overlapsim.charts = startCharts();
  addEventListener('beforeprint', fitWide);
  await startGantts(legend);
  connectAnswer();
  connectTables();
  overlapsim.readyMs = performance.now();
  overlapsim.ready = true;
}

const mostUnfolded = 300; // lanes; among more a critical path is lost

async function startGantts(legend) {
  const figures = [...document.querySelectorAll('figure.gantt')];
  const timelines = [];
  for (const figure of figures) timelines.push(new Timeline(await unpack('timeline-' + figure.dataset.run), legend.length));
  if (!figures.length) return;
  const view = overlapsim.view = new View(Math.max(1, ...timelines.map((t) => t.makespan)) * 1.005);
  const options = sharedOptions(figures.length);
  options.fold = timelines.some((t) => t.path >= 0 && t.lanes.length > mostUnfolded);
  options.lanes = options.easiest = easiestWay(timelines, options.fold);
  overlapsim.options = options;
  view.changed = () => { options.redraw(); link(); };
  overlapsim.gantts = figures.map((figure, i) => new Gantt(figure, timelines[i], legend, view, options));
  overlapsim.spans = timelines.reduce((sum, t) => sum + t.spanCount, 0);
  overlapsim.messages = timelines.reduce((sum, t) => sum + t.messageCount, 0);
  connectToolbar(view, options);
  connectAlign(view, options);
  connectLanes(options);
  connectIterations(view);
  connectFind(options);
  fitPaper();
  followTheme(drawAll);
  drawAll();
}

// fitWide finds how much smaller what is too wide for a sheet of paper must be.
function fitWide() {
  const paper = 680; // px
  for (const wide of document.querySelectorAll('.wide')) {
    wide.style.width = paper + 'px';
    wide.style.setProperty('--fit', Math.min(1, paper / wide.scrollWidth));
    wide.style.width = '';
  }
}

// fitPaper redraws for a sheet of paper, which is narrower than a window.
function fitPaper() {
  const draw = (width) => { for (const gantt of overlapsim.gantts) gantt.layout(width && Math.min(width, gantt.laidOut)); drawAll(); };
  addEventListener('beforeprint', () => draw(680));
  addEventListener('afterprint', () => draw());
}

// drawAll redraws now and takes the time; what only leaves out is drawn when
// it comes into sight.
function drawAll(only = () => true) {
  const begin = performance.now();
  for (const gantt of overlapsim.gantts) if (only(gantt)) gantt.draw(); else gantt.stale = true;
  overlapsim.drawMs = performance.now() - begin;
  overlapsim.draws++;
}

// sharedOptions are the settings that all Gantt charts have in common.
function sharedOptions(charts) {
  const font = getComputedStyle(document.body).fontFamily;
  const ruler = document.createElement('canvas').getContext('2d'), widths = new Map();
  let asked = false, elsewhere = -1e9;
  addEventListener('wheel', (e) => { if (!e.target.closest?.('.lanes')) elsewhere = performance.now(); }, { capture: true, passive: true });
  return {
    font, nic: true, arrows: true, path: true, fold: false, lanes: 'all', easiest: 'all', scale: 1, only: -1, pointer: null,
    tallest: Math.max(charts > 1 ? 260 : 360, Math.round(innerHeight * (charts > 1 ? 0.45 : 0.74))),
    measure: (s, style = '11px') => {
      const key = style + s;
      if (!widths.has(key)) { ruler.font = `${style} ${font}`; widths.set(key, ruler.measureText(s).width); }
      return widths.get(key);
    },
    redraw: () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; drawAll((gantt) => gantt.seen); });
    },
    redrawOver: () => overlapsim.gantts.forEach((gantt) => gantt.drawOver()),
    // scrolling tells that the wheel is still moving the page: a chart that
    // slides under the pointer must not catch it.
    scrolling: () => { const still = performance.now() - elsewhere < 300; if (still) elsewhere = performance.now(); return still; },
  };
}

// connectToolbar makes the buttons and the keys of the page work.
function connectToolbar(view, options) {
  const relayout = () => { overlapsim.gantts.forEach((gantt) => gantt.layout()); options.redraw(); };
  const middle = () => (view.t0 + view.t1) / 2;
  const show = (name) => document.querySelector(`[data-do="${name}"]`)?.setAttribute('aria-pressed', options[name]);
  const flip = (name) => {
    options[name] = !options[name];
    show(name);
    relayout();
  };
  show('fold');
  const actions = {
    in: () => view.zoom(0.5, middle()), out: () => view.zoom(2, middle()), reset: () => view.reset(),
    nic: () => flip('nic'), arrows: () => flip('arrows'), path: () => flip('path'), fold: () => flip('fold'),
    save: () => {
      const gantt = overlapsim.gantts.find((g) => g.seen) || overlapsim.gantts[0];
      save('timeline', gantt.base.toDataURL());
    },
    taller: () => { options.scale = Math.min(12, options.scale * 1.4); relayout(); },
    flatter: () => { options.scale = Math.max(0.2, options.scale / 1.4); relayout(); },
  };
  for (const button of document.querySelectorAll('button[data-do]')) button.addEventListener('click', () => actions[button.dataset.do]());
  const terms = [...document.querySelectorAll('[data-term]')];
  for (const button of terms) {
    button.addEventListener('click', () => {
      options.only = options.only === +button.dataset.term ? -1 : +button.dataset.term;
      for (const b of terms) b.setAttribute('aria-pressed', +b.dataset.term === options.only);
      options.redraw();
      listWaits(options);
      link();
    });
  }
  actions.lanes = () => { const at = ways.indexOf(options.lanes); chooseLanes(ways[(at + 1) % ways.length]); };
  const at = () => options.pointer ?? middle();
  Object.assign(actions, {
    nearer: () => view.zoom(0.7, at()), farther: () => view.zoom(1 / 0.7, at()), left: () => view.move(-view.width / 8), right: () => view.move(view.width / 8),
  });
  const keys = { w: 'nearer', s: 'farther', a: 'left', d: 'right', 0: 'reset', g: 'lanes', n: 'nic', m: 'arrows', p: 'path', l: 'fold', ']': 'taller', '[': 'flatter' };
  addEventListener('keydown', (e) => {
    if (e.target.closest?.('input, select, textarea')) return;
    if (!e.ctrlKey && !e.metaKey && !e.altKey && keys[e.key]) actions[keys[e.key]]();
  });
}

start().catch((error) => {
  overlapsim.error = String(error);
  console.error(error);
  const note = document.createElement('p');
  note.className = 'missing';
  note.textContent = 'The charts could not be drawn: ' + error + '. A browser from 2023 or later is needed.';
  document.querySelector('main').prepend(note);
});
