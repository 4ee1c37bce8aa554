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
      else if (plot.checkVisibility()) all.push(chart = startChart(plot, JSON.parse(figure.querySelector('script').textContent)));
    };
    addSave(figure, () => { fit(); return chart && chart.getDataURL({ pixelRatio: 4, backgroundColor: '#fff' }); });
    fit();
    new ResizeObserver(fit).observe(plot);
    figure.closest('details')?.addEventListener('toggle', fit);
  }
  addEventListener('beforeprint', () => all.forEach((chart) => chart.resize({ width: Math.min(chart.getWidth(), 640) })));
  addEventListener('afterprint', () => all.forEach((chart) => chart.resize({ width: 'auto' })));
  return figures.length;
}

const narrow = 620; // px of a plot that has no room for labels at the ends of bars

function startChart(plot, data) {
  const chart = echarts.init(plot, null, { renderer: 'canvas' });
  chart.setOption(finish(data, plot.clientWidth));
  if (!data.option.visualMap && !data.small && !data.bare) addLegend(plot, chart, data.option.series, data.groups);
  return chart;
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
  box.style.background = color;
}

// finish adds to an option what JSON cannot carry: how numbers are written.
function finish({ option, xUnit, yUnit, members, log, small, line: curve, details, ends, says }, width) {
  const soft = '#5b6472', line = '#dfe3e8';
  // Long names of lying bars leave half of the width to the bars.
  const room = Math.max(120, 0.46 * width);
  const names = (axis) => (axis.type === 'category' && axis.inverse ? { ...(widest(axis.data) > room && { width: room, overflow: 'break' }), interval: 0, lineHeight: 14 } : {});
  const axes = (list, unit) => list.map((axis) => ({
    ...axis,
    logBase: unit === 'B' ? 4 : 10,
    nameTextStyle: { color: soft, ...(axis.nameLocation !== 'middle' && { align: 'left' }) },
    ...(ends && axis.type !== 'category' && { boundaryGap: width < narrow ? ['2%', '2%'] : ['24%', '24%'] }),
    axisLine: { lineStyle: { color: ends ? soft : '#c4cad3' } },
    splitLine: { show: axis.type !== 'category', lineStyle: { color: line } },
    axisLabel: { ...axis.axisLabel, ...names(axis), ...(axis.axisLabel?.interval && { interval: +axis.axisLabel.interval }), color: soft, hideOverlap: true, formatter: axis.type === 'category' ? undefined : (v) => quantity(v, unit) },
    ...(small && option.visualMap && fewLabels(axis, soft)),
  }));
  const say = option.series.length && option.series[0].type === 'heatmap'
    ? (p) => sayCell(option, p, yUnit, details || []) : (list) => sayColumn(list, xUnit, yUnit, members, option.series.length, says);
  if (ends && width < narrow) for (const s of option.series) for (const item of s.data) delete item.label;
  const heat = option.visualMap ? heatMap(option, log, small, curve, yUnit) : {};
  return {
    ...option,
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
    xAxis: axes(option.xAxis, xUnit),
    yAxis: axes(option.yAxis, yUnit),
    ...heat,
    ...(heat.xAxis ? { xAxis: [...axes(option.xAxis, xUnit), ...heat.xAxis], yAxis: [...axes(option.yAxis, yUnit), ...heat.yAxis] } : {}),
    tooltip: { ...option.tooltip, confine: true, transitionDuration: 0, formatter: say },
  };
}

// fewLabels labels the ends and the middle of an axis of a small heat map.
function fewLabels(axis, color) {
  const last = axis.data.length - 1;
  return {
    name: '', axisTick: { show: false }, axisLine: { show: false },
    axisLabel: { color, fontSize: 9, margin: 4, interval: (i) => i === 0 || i === last || i === last >> 1 },
  };
}

// widest returns the width of the longest of some names on an axis, in px.
function widest(names) {
  const ruler = document.createElement('canvas').getContext('2d');
  ruler.font = '12px ' + getComputedStyle(document.body).fontFamily;
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

// heatMap adds to an option of a heat map how its scale is written, right of
// the bar, and a white line over the cells, on axes of its own that count them.
function heatMap(option, log, small, curve, unit) {
  const more = {
    visualMap: option.visualMap.map((map) => ({
      ...map, dimension: 2, seriesIndex: 0, show: !small, align: 'left', itemWidth: 14, formatter: (v) => quantity(log ? 10 ** v : v, unit),
    })),
  };
  if (!small && option.xAxis[0].data.length <= 8 && option.yAxis[0].data.length <= 24) {
    more.series = option.series.map((s) => ({
      ...s, label: { show: true, formatter: (p) => (p.value[3] === '-' ? '' : quantity(p.value[3], unit)), color: '#fff', textBorderColor: 'rgba(0,0,0,.6)', textBorderWidth: 2.5 },
    }));
  }
  // Behind the seams between cells without borders.
  if (!option.series[0].itemStyle) more.grid = option.grid.map((grid) => ({ ...grid, show: true, borderWidth: 0, backgroundColor: option.visualMap[0].inRange.color[0] }));
  if (small) {
    more.grid = (more.grid || option.grid).map((grid) => ({ ...grid, containLabel: false, left: 52, right: 14, top: 4, bottom: 18 }));
  }
  if (!curve) return more;
  const cells = (axis) => ({ type: 'value', min: -0.5, max: axis[0].data.length - 0.5, show: false });
  more.xAxis = [cells(option.xAxis)];
  more.yAxis = [cells(option.yAxis)];
  more.series = [...(more.series || option.series), {
    type: 'line', data: curve, xAxisIndex: 1, yAxisIndex: 1, symbol: 'none', silent: true, clip: true, z: 5,
    lineStyle: { color: '#fff', width: small ? 1 : 2 }, tooltip: { show: false },
  }];
  return more;
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
