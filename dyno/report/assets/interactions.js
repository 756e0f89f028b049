// The interaction plot of two factors: one line for each level of the second
// over the levels of the first, each point the mean over all that was measured at
// both, whatever the other factors were.
'use strict';

dyno.interactions = { most: 6, xBins: 5, lineBins: 3 };

// points are what was measured of a subject under a load: its levels and a figure.
dyno.interactions.points = ({ subject, load, metric }) => dyno.data.groups
  .filter((group) => group.load === load)
  .flatMap((group) => group.cells
    .filter((cell) => cell.subject === subject && cell.estimates[metric])
    .map((cell) => ({ levels: group.levels ?? {}, value: cell.estimates[metric].estimate })));

// leading is the number a level begins with, NaN if it begins with none.
dyno.interactions.leading = (level) => Number.parseFloat(level);

// steps sorts a factor's levels for an axis: [{label, has(level)}]. Very many
// numbers, as a sampling design takes them, are put together in bins of about as
// many points each.
dyno.interactions.steps = (points, factor, bins) => {
  const { most, leading } = dyno.interactions;
  const levels = [...new Set(points.map(({ levels: all }) => all[factor]).filter((level) => level !== undefined))];
  const numeric = levels.every((level) => Number.isFinite(leading(level)));
  if (numeric) levels.sort((a, b) => leading(a) - leading(b));
  if (!numeric || levels.length <= most) return levels.map((level) => ({ label: level === '' ? '""' : level, has: (other) => other === level }));
  const sorted = points.map(({ levels: all }) => leading(all[factor])).sort((a, b) => a - b);
  const edges = [...new Set(Array.from({ length: bins + 1 }, (_, i) => sorted[Math.round((i * (sorted.length - 1)) / bins)]))];
  return edges.slice(1).map((to, i) => {
    const from = edges[i];
    const inside = (x) => (i === 0 ? x >= from : x > from) && x <= to;
    return { label: `${from}–${to}`, has: (level) => inside(leading(level)) };
  });
};

// lines are the means: [{name, values}], null where nothing was measured.
dyno.interactions.lines = (points, x, by, xSteps) => {
  const mean = (list) => (list.length ? list.reduce((sum, v) => sum + v, 0) / list.length : null);
  return dyno.interactions.steps(points, by, dyno.interactions.lineBins).map((line) => ({
    name: line.label,
    values: xSteps.map((step) => mean(points
      .filter(({ levels }) => step.has(levels[x]) && line.has(levels[by]))
      .map(({ value }) => value))),
  }));
};

dyno.interactions.series = (lines, by, colours) => lines.map((line, i) => {
  const color = dyno.theme.subject(colours, i);
  return {
    type: 'line', name: line.name, data: line.values, connectNulls: true, symbol: 'circle', symbolSize: 7,
    lineStyle: { color, width: 2 }, itemStyle: { color }, emphasis: { disabled: true },
    endLabel: { show: true, formatter: () => `${by}=${line.name}`, color: colours.text, fontFamily: colours.font, fontSize: 12, distance: 8 },
  };
});

dyno.interactions.tip = (x, by, step, lines, index, unit) => dyno.tip(`${x}=${step}`,
  lines.map((line) => [`${by}=${line.name}`, dyno.quantity(unit, line.values[index])]));

// chosen reads the controls.
dyno.interactions.chosen = () => Object.fromEntries(['metric', 'x', 'by', 'subject', 'load']
  .map((name) => [name, dyno.byId(`interactions-${name}`).value]));

dyno.interactions.unit = (metric) => dyno.data.groups.find((group) => group.units[metric])?.units[metric] ?? '';

dyno.interactions.build = (colours, width) => {
  const pick = dyno.interactions.chosen();
  const points = dyno.interactions.points(pick);
  if (points.length === 0) return { message: dyno.text('interactions.empty') };
  if (pick.x === pick.by) return { message: dyno.text('interactions.same') };
  const unit = dyno.interactions.unit(pick.metric);
  const steps = dyno.interactions.steps(points, pick.x, dyno.interactions.xBins);
  const lines = dyno.interactions.lines(points, pick.x, pick.by, steps);
  const labels = steps.map(({ label }) => label);
  dyno.interactions.table(pick, labels, lines, unit);
  const room = dyno.labelWidth(lines.map(({ name }) => `${pick.by}=${name}`), width, 0.35);
  return {
    height: 340,
    option: {
      grid: { outerBoundsMode: 'none', left: 72, right: room + 16, top: 12, bottom: 46 },
      xAxis: dyno.axis(colours, { type: 'category', data: labels, name: pick.x, nameLocation: 'middle', nameGap: 28, boundaryGap: true }),
      yAxis: dyno.axis(colours, { type: 'value', scale: true, axisLabel: { formatter: (value) => dyno.tick(unit, value) } }),
      series: dyno.interactions.series(lines, pick.by, colours),
      tooltip: dyno.tooltip(colours, { trigger: 'item', formatter: ({ dataIndex }) => dyno.interactions.tip(pick.x, pick.by, labels[dataIndex], lines, dataIndex, unit) }),
    },
  };
};

// table shows the same figures.
dyno.interactions.table = (pick, labels, lines, unit) => {
  const { element } = dyno;
  const head = element('tr', {}, element('th', { scope: 'col', class: 'name' }, `${pick.by} \\ ${pick.x}`));
  for (const label of labels) head.append(element('th', { scope: 'col' }, label));
  const body = element('tbody');
  for (const line of lines) {
    const row = element('tr', {}, element('th', { scope: 'row', class: 'name' }, line.name));
    for (const value of line.values) row.append(element('td', {}, dyno.quantity(unit, value)));
    body.append(row);
  }
  dyno.byId('interactions-table').replaceChildren(element('table', {}, element('thead', {}, head), body));
};

// fill puts options into a control.
dyno.interactions.fill = (name, options) => {
  const control = dyno.byId(`interactions-${name}`);
  control.replaceChildren(...options.map(([value, label]) => dyno.element('option', { value }, label)));
};

dyno.interactions.start = () => {
  if (dyno.data.factors.length < 2) return;
  const cells = dyno.data.groups.flatMap((group) => group.cells);
  const metrics = ['throughput', 'cpu', 'response.p99'].filter((metric) => cells.some((cell) => cell.estimates[metric]));
  const distinct = (list) => [...new Set(list)].map((value) => [value, value]);
  dyno.interactions.fill('metric', metrics.map((metric) => [metric, dyno.text(`interactions.${metric}`)]));
  dyno.interactions.fill('subject', distinct(cells.map(({ subject }) => subject)));
  dyno.interactions.fill('load', distinct(dyno.data.groups.map(({ load }) => load)));
  const chart = dyno.chart(dyno.byId('chart-interactions'), dyno.interactions.build);
  for (const name of ['metric', 'x', 'by', 'subject', 'load']) {
    dyno.byId(`interactions-${name}`).addEventListener('change', chart.draw);
  }
};
