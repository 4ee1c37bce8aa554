'use strict';

// startCharts draws every chart of the page with the embedded echarts, those
// in a folded part when it is opened.
function startCharts() {
  const all = [];
  const figures = document.querySelectorAll('figure.chart');
  for (const figure of figures) {
    const plot = figure.querySelector('.plot');
    let chart = null;
    const fit = () => {
      if (chart) chart.resize();
      else if (plot.checkVisibility()) {
        const data = JSON.parse(figure.querySelector('script').textContent), parts = unpackParts(data);
        const one = { chart: null, data, parts, figure, only: null, finished: () => finish(filtered(partOf(figure, structuredClone(data), parts), one.only), plot.clientWidth) };
        one.chart = chart = startChart(plot, one);
        all.push(one);
      }
    };
    addSave(figure, () => { fit(); return chart && chart.getDataURL({ pixelRatio: 4, backgroundColor: theme.paper }); });
    fit();
    new ResizeObserver(fit).observe(plot);
    figure.closest('details')?.addEventListener('toggle', fit);
  }
  const redraw = ({ chart, finished }) => chart.setOption(finished(), { notMerge: true });
  followTheme(() => all.forEach(redraw));
  for (const tools of document.querySelectorAll('.parts')) connectParts(tools, () => all.filter((one) => one.parts && one.figure.parentNode === tools.nextElementSibling).forEach(redraw));
  addEventListener('beforeprint', () => all.forEach(putOnPaper));
  addEventListener('afterprint', () => all.forEach(takeOffPaper));
  overlapsim.drawn = all;
  return figures.length;
}

// putOnPaper puts a picture of a chart, as wide as paper, in its place: one canvas, as printers give
// each of those above each other a white ground.
function putOnPaper(one) {
  takeOffPaper(one);
  one.chart.resize({ width: Math.min(one.chart.getWidth(), 640) });
  one.picture = one.chart.renderToCanvas({ pixelRatio: 3, backgroundColor: theme.paper });
  one.picture.className = 'picture';
  one.chart.getDom().append(one.picture);
  one.chart.resize({ width: 'auto' });
}

function takeOffPaper(one) {
  one.picture?.remove();
}

const narrow = 620; // px of a plot that has no room for labels at the ends of bars

function startChart(plot, { data, finished }) {
  const chart = echarts.init(plot, null, { renderer: 'canvas' });
  chart.setOption(finished());
  if (!data.option.visualMap && !data.small && !data.bare) addLegend(plot, chart, data.option.series, data.groups);
  return chart;
}

// unpackParts takes the values of the parts of a run out of the data of a heat map.
function unpackParts(data) {
  if (!data.parts) return null;
  const bytes = Uint8Array.from(atob(data.parts), (c) => c.charCodeAt(0));
  delete data.parts;
  return new Uint16Array(bytes.buffer);
}

// partOf puts the values of the chosen part of the run into a heat map, if one is chosen.
function partOf(figure, data, parts) {
  const part = parts && +(figure.parentNode.previousElementSibling?.querySelector('input[type=range]')?.value || 0);
  if (!part) return data;
  const { series: [map], visualMap: [{ max }] } = data.option, known = map.data.filter(({ value }) => value[2] !== '-');
  known.forEach(({ value }, i) => { value[2] = value[3] = +(max * parts[(part - 1) * known.length + i] / 65535).toPrecision(3); });
  return data;
}

const partTime = 300; // ms that a part is shown while they play

// connectParts lets a slider, or time, choose the part of the run that maps show.
function connectParts(tools, redraw) {
  const slider = tools.querySelector('input'), said = tools.querySelector('output'), play = tools.querySelector('button');
  const names = ['the whole run', ...JSON.parse(tools.dataset.parts)];
  let timer = 0;
  const show = () => {
    said.textContent = names[slider.value];
    slider.setAttribute('aria-valuetext', names[slider.value]);
    redraw();
  };
  const stop = () => { clearInterval(timer); timer = 0; play.setAttribute('aria-pressed', 'false'); };
  slider.addEventListener('input', () => { stop(); show(); });
  play.addEventListener('click', () => {
    if (timer) { stop(); return; }
    play.setAttribute('aria-pressed', 'true');
    timer = setInterval(() => {
      slider.value = +slider.value % +slider.max + 1;
      show();
      if (slider.value === slider.max) stop();
    }, partTime);
  });
}

// addSave puts a button into the caption of a figure; it saves the picture that draw returns.
function addSave(figure, draw) {
  const caption = figure.querySelector('figcaption'), name = caption.firstChild.textContent.trim();
  const button = caption.appendChild(document.createElement('button'));
  button.type = 'button';
  button.className = 'save';
  button.textContent = 'PNG';
  button.title = 'Save this picture; --figure of the command draws it for a paper';
  button.addEventListener('click', () => save(name, draw()));
}

// save offers a picture for download.
function save(name, data) {
  const link = document.createElement('a');
  link.download = (name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'chart') + '.png';
  link.setAttribute('href', data);
  link.click();
}

// addLegend puts a button per name, or group, of series above the plot; it hides
// and shows them. A single one that the caption names needs no legend.
function addLegend(plot, chart, series, groups) {
  const legend = document.createElement('div'), names = new Map();
  legend.className = 'legend';
  series.forEach((s, i) => {
    const name = groups ? groups[i] : s.name;
    if (!name) return;
    if (!names.has(name)) names.set(name, { color: s.itemStyle.color, members: new Set() });
    names.get(name).members.add(s.name);
  });
  const caption = plot.parentNode.querySelector('figcaption').firstChild.textContent.toLowerCase();
  if (names.size === 1 && caption.includes(names.keys().next().value.toLowerCase())) return;
  for (const [name, { color, members }] of names) {
    const button = legend.appendChild(document.createElement('button'));
    button.type = 'button';
    swatch(button, color);
    button.append(name);
    button.setAttribute('aria-pressed', 'true');
    button.addEventListener('click', () => {
      for (const member of members) chart.dispatchAction({ type: 'legendToggleSelect', name: member });
      button.setAttribute('aria-pressed', button.getAttribute('aria-pressed') !== 'true');
    });
  }
  plot.before(legend);
}

function swatch(parent, color) {
  const box = parent.appendChild(document.createElement('i'));
  box.className = 'swatch';
  box.style.background = inked(color);
}

// finish adds to an option what JSON cannot carry: how numbers are written.
function finish(data, width) {
  const { option, xUnit, yUnit, members, small, details, ends, says } = data, { soft, line } = theme;
  // Long names of lying bars leave half of the width to the bars.
  const room = Math.max(120, 0.46 * width);
  const names = (axis) => (axis.type === 'category' && axis.inverse ? { ...(widest(axis.data) > room && { width: room, overflow: 'break' }), interval: 0, lineHeight: 14 } : {});
  const items = option.series.flatMap((s) => s.data || []);
  const beside = ends ? roomAtEnds(option, items, width) : null;
  const whole = items.every((item) => Array.isArray(item.value) && Number.isInteger(item.value[0]));
  const axes = (list, unit) => list.map((axis) => ({
    ...axis,
    ...(whole && list === option.xAxis && { minInterval: 1 }),
    logBase: unit === 'B' ? 4 : 10,
    nameTextStyle: { color: soft, ...(axis.nameLocation !== 'middle' && { align: 'left' }) },
    ...(beside && axis.type !== 'category' && { boundaryGap: beside }),
    axisLine: { lineStyle: { color: ends ? soft : theme.edge } },
    splitLine: { show: axis.type !== 'category', lineStyle: { color: line } },
    axisLabel: { ...axis.axisLabel, hideOverlap: true, ...names(axis), ...labelled(axis, list === option.xAxis ? data.xTicks : data.yTicks, list === option.xAxis ? width - 160 - widest(option.yAxis[0].data || []) : 0), color: soft, formatter: axis.type === 'category' ? undefined : (v) => quantity(v, unit) },
    ...(small && option.visualMap && fewLabels(axis, soft, list === option.xAxis ? data.xTicks : data.yTicks)),
  }));
  const say = option.series.length && option.series[0].type === 'heatmap'
    ? (p) => sayCell(option, p, yUnit, details || []) : (list) => sayColumn(list, xUnit, yUnit, members, option.series.length, says);
  if (ends && width < narrow) for (const s of option.series) for (const item of s.data) delete item.label;
  const heat = option.visualMap ? heatMap(option, data, width) : {};
  return {
    ...option,
    series: option.series.map(inTheme),
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: theme.ink },
    xAxis: axes(option.xAxis, xUnit),
    yAxis: axes(option.yAxis, yUnit),
    ...heat,
    ...(heat.xAxis ? { xAxis: [...axes(option.xAxis, xUnit), ...heat.xAxis], yAxis: [...axes(option.yAxis, yUnit), ...heat.yAxis] } : {}),
    tooltip: { ...option.tooltip, confine: true, transitionDuration: 0, formatter: say, backgroundColor: theme.paper, borderColor: theme.edge, textStyle: { color: theme.ink } },
  };
}

// roomAtEnds is what an axis of lying bars has beyond them for the labels at their ends, on the sides
// of zero that have bars.
function roomAtEnds({ yAxis: [names] }, items, width) {
  const sides = [-1, 1].map((sign) => items.some((item) => sign * item.value > 0)), count = sides.filter(Boolean).length;
  const label = widest(items.map((item) => item.label?.formatter || '')) + 10, bars = width - 40 - widest(names.data) - count * label;
  return sides.map((has) => (!has ? 0 : width < narrow ? '2%' : Math.round(100 * label / Math.max(bars, width / 5)) + '%'));
}

// inTheme gives a series the ink of the theme, for itself and its labels.
function inTheme(series) {
  const label = (own) => own && { ...own, color: own.color && theme.ink };
  return {
    ...series, label: label(series.label),
    ...(series.itemStyle && { itemStyle: { ...series.itemStyle, color: inked(series.itemStyle.color), ...(series.itemStyle.borderColor && { borderColor: theme.paper }) } }),
    ...(series.data && { data: series.data.map((item) => (item?.label ? { ...item, label: label(item.label) } : item)) }),
  };
}

// labelled chooses the labels of an axis among its ticks: every one, or every second, third, ... until they have room.
function labelled(axis, ticks, room) {
  if (!ticks) return {};
  const wide = widest(ticks.map((i) => axis.data[i])) + 12, each = room / axis.data.length;
  let step = 1;
  while (room > 0 && step < ticks.length && ticks.some((tick, k) => k >= step && k % step === 0 && (tick - ticks[k - step]) * each < wide)) step++;
  const shown = new Set(ticks.filter((tick, k) => k % step === 0));
  return { interval: (i) => shown.has(i), hideOverlap: false };
}

// fewLabels labels the ends and the middle of an axis of a small heat map, at ticks if it has some.
function fewLabels(axis, color, ticks = axis.data.map((name, i) => i)) {
  const shown = [ticks[0], ticks[ticks.length - 1], ticks[ticks.length - 1 >> 1]];
  return {
    name: '', axisTick: { show: false }, axisLine: { show: false },
    axisLabel: { color, fontSize: 9, margin: 4, interval: (i) => shown.includes(i) },
  };
}

// widest returns the width of the longest of some names on an axis, in px.
function widest(names, points = 12) {
  const ruler = document.createElement('canvas').getContext('2d');
  ruler.font = points + 'px ' + getComputedStyle(document.body).fontFamily;
  return Math.max(0, ...names.map((name) => ruler.measureText(name).width));
}

// sayColumn lists the series under the pointer; the parts of stacked bars are
// added up, bar by bar.
function sayColumn(list, xUnit, yUnit, members, series, says) {
  const box = document.createElement('div');
  const known = list.filter((p) => typeof valueOf(p) === 'number');
  row(box, members ? list[0].name : quantity(list[0].axisValue, xUnit), '', '', true);
  if (says) {
    for (const line of says[list[0].dataIndex]) row(box, line, '');
    return box;
  }
  const parts = members ? series / members.length : series;
  for (let at = 0; at < series; at += parts) {
    const mine = known.filter((p) => p.seriesIndex >= at && p.seriesIndex < at + parts && !(members && valueOf(p) === 0));
    if (members && (mine.length > 1 || (mine.length && members[at / parts]))) row(box, members[at / parts] || 'total', quantity(mine.reduce((s, p) => s + valueOf(p), 0), yUnit), '', true);
    for (const p of members ? mine.reverse() : mine) row(box, p.seriesName, quantity(valueOf(p), yUnit), p.color);
  }
  return box;
}

const valueOf = (p) => (Array.isArray(p.value) ? p.value[p.value.length - 1] : p.value);

// heatMap adds to an option of a heat map the scale of its colours, right of it, the values of
// cells that have room, and lines over the cells, on axes of their own that count them.
function heatMap(option, { log, small, line: curve, contours, levels, yUnit: unit }, width) {
  const main = inTheme(option.series[0]), [map] = option.visualMap, [x] = option.xAxis, [y] = option.yAxis, [grid] = option.grid;
  const cells = (axis) => ({ type: 'value', min: -0.5, max: axis.data.length - 0.5, show: false });
  const more = {
    grid: [{ ...grid, ...(small && { containLabel: false, left: 52, right: 14, top: 4, bottom: 18 }) }],
    xAxis: [cells(x)], yAxis: [cells(y)], series: [{ ...main, progressive: 0, ...valuesIn(option, unit, small, width) }],
  };
  // Behind the seams between cells without borders.
  if (!main.itemStyle) Object.assign(more.grid[0], { show: true, borderWidth: 0, backgroundColor: map.inRange.color[0] });
  if (!small) addScale(more, map, log, levels, unit);
  more.visualMap = [{ ...map, dimension: 2, seriesIndex: small ? [0] : [0, 1], show: false }];
  for (const [data, style] of [[curve, { width: small ? 1 : 2 }], [more.series[0].label ? null : contours, { width: 1, opacity: 0.8 }]]) {
    if (!data) continue;
    more.series.push({
      type: 'line', data, xAxisIndex: 1, yAxisIndex: 1, symbol: 'none', silent: true, clip: true, z: 5, connectNulls: false,
      lineStyle: { color: '#fff', ...style }, tooltip: { show: false },
    });
  }
  return more;
}

// valuesIn writes the values into cells that have room for them.
function valuesIn(option, unit, small, width) {
  const columns = option.xAxis[0].data.length, rows = option.yAxis[0].data.length, [main] = option.series;
  const texts = (main.data || []).map(({ value: v }) => (v[3] === '-' ? '' : quantity(v[3], unit)));
  const room = (width - 160 - widest(option.yAxis[0].data)) / columns - 8;
  if (small || rows > 24 || widest(texts, 11) > room) return {};
  const data = (main.data || []).map((item) => ({ ...item, label: { color: item.value[2] === '-' ? theme.ink : inkOn(shadeOf(option.visualMap[0], item.value[2])) } }));
  return { data, label: { show: true, fontSize: 11, formatter: (p) => texts[p.dataIndex] } };
}

// shadeOf is the colour of a value in a heat map.
function shadeOf({ min = 0, max, inRange: { color: colors } }, value) {
  const at = (colors.length - 1) * Math.min(1, Math.max(0, (value - min) / (max - min || 1))), k = Math.min(Math.floor(at), colors.length - 2);
  const mixed = (from) => Math.round(parseInt(colors[k].slice(from, from + 2), 16) * (k + 1 - at) + parseInt(colors[k + 1].slice(from, from + 2), 16) * (at - k));
  return '#' + [1, 3, 5].map((from) => mixed(from).toString(16).padStart(2, '0')).join('');
}

const scaleSteps = 64;

// addScale draws the colours as a column of cells, and beside it the levels.
function addScale(more, map, log, levels, unit) {
  const { min = 0, max } = map, shade = (i) => min + (max - min) * (i + 0.5) / scaleSteps;
  const at = (levels || []).map((v) => (log ? Math.log10(v) : v));
  const place = { gridIndex: 1, show: false, type: 'category' };
  more.grid.push({ right: 84, width: 14, top: 28, bottom: 54 });
  more.xAxis.push({ ...place, data: [''] });
  more.yAxis.push({ ...place, data: [...Array(scaleSteps).keys()].map(String) }, {
    gridIndex: 1, type: 'value', min, max, position: 'right', axisLine: { show: false }, splitLine: { show: false },
    axisTick: { show: true, customValues: at },
    axisLabel: { color: theme.soft, customValues: at, formatter: (v) => quantity(+(log ? 10 ** v : v).toPrecision(6), unit) },
  });
  more.series.push({
    type: 'heatmap', xAxisIndex: 2, yAxisIndex: 2, silent: true, tooltip: { show: false }, data: [...Array(scaleSteps).keys()].map((i) => [0, i, shade(i)]),
  });
}

// sayCell says where a cell is, its value, and what it is made of.
function sayCell(option, p, unit, details) {
  const box = document.createElement('div');
  const name = (axis, i) => (axis[0].name ? axis[0].name + ' ' : '') + axis[0].data[i];
  row(box, name(option.xAxis, p.value[0]), '', '', true);
  row(box, name(option.yAxis, p.value[1]), quantity(p.value[3], unit), '', true);
  details.forEach((d, i) => { if (p.value[4 + i]) row(box, d.name, quantity(p.value[4 + i], d.unit), d.color); });
  return box;
}

function row(box, name, value, color, strong) {
  const line = document.createElement('div');
  line.style.cssText = 'display:flex;justify-content:space-between;gap:18px;line-height:1.5;font-weight:' + (strong ? 600 : 400);
  const left = line.appendChild(document.createElement('span')), right = line.appendChild(document.createElement('span'));
  if (color) swatch(left, color);
  left.append(name);
  right.textContent = value;
  box.append(line);
}
