// Small multiples of the response times by percentile: with very many subjects, a panel
// for each on the same scales, before the range of all.
'use strict';

dyno.multiples = { charts: [] };

dyno.multiples.holder = () => dyno.byId('percentiles-multiples');

// band is the range from the fastest to the slowest at each percentile that most have.
dyno.multiples.band = (cells) => {
  const points = new Map();
  for (const cell of cells) {
    for (const [p, us] of cell[dyno.percentiles.clock]) points.set(p, [...(points.get(p) ?? []), us]);
  }
  return [...points].filter(([, times]) => times.length > cells.length / 2).sort(([a], [b]) => a - b)
    .map(([p, times]) => [dyno.percentiles.nines(p), Math.min(...times), Math.max(...times)]);
};

// shade draws the band as one shape.
dyno.multiples.shade = (band, colours) => ({
  type: 'custom', silent: true, data: [0], z: 0, tooltip: { show: false },
  renderItem: (params, api) => ({
    type: 'polygon', style: { fill: colours.shade },
    shape: { points: [...band.map(([x, low]) => api.coord([x, low])), ...band.toReversed().map(([x, , high]) => api.coord([x, high]))] },
  }),
});

dyno.multiples.line = (cell, style) => ({
  type: 'line', name: cell.subject, showSymbol: false, emphasis: { disabled: true }, lineStyle: style, itemStyle: { color: style.color },
  data: cell[dyno.percentiles.clock].map(([p, us, censored]) => ({ value: [dyno.percentiles.nines(p), us, censored ? 1 : 0] })),
});

// axes are those of the one chart with fewer marks: whole powers of ten.
dyno.multiples.axes = (cells, colours) => {
  const { xAxis, yAxis } = dyno.percentiles.axes(cells, colours);
  const whole = ({ customValues }) => customValues.filter((us) => Math.abs(Math.log10(us) - Math.round(Math.log10(us))) < 1e-9);
  const marks = whole(yAxis.axisLabel);
  const small = { fontSize: 11, hideOverlap: true };
  return {
    xAxis: { ...xAxis, axisLabel: { ...xAxis.axisLabel, ...small } },
    yAxis: { ...yAxis, axisLabel: { ...yAxis.axisLabel, ...small, customValues: marks }, axisTick: { show: false, customValues: marks } },
  };
};

dyno.multiples.build = (cell, all, band) => (colours) => {
  const reference = all.find(({ subject }) => subject === dyno.data.reference);
  const lines = [dyno.multiples.line(cell, { color: colours.accent, width: 2 })];
  if (reference && reference !== cell) lines.push(dyno.multiples.line(reference, { color: colours.muted, width: 1, type: 'dashed' }));
  return {
    height: 132,
    option: {
      grid: { outerBoundsMode: 'none', left: 52, right: 14, top: 8, bottom: 24 },
      ...dyno.multiples.axes(all, colours),
      series: [dyno.multiples.shade(band, colours), ...lines],
      tooltip: dyno.tooltip(colours, { trigger: 'axis', formatter: (items) => dyno.percentiles.tip(items.filter(({ seriesType }) => seriesType === 'line')),
        axisPointer: { type: 'line', snap: true, lineStyle: { color: colours.muted, type: 'dashed' } } }),
    },
  };
};

dyno.multiples.panel = (cell, all, band) => {
  const p99 = cell.estimates['response.p99'];
  const element = dyno.element('div', { class: 'chart', role: 'img', 'aria-label': `${dyno.text('percentiles.panel')} ${cell.subject}` });
  dyno.multiples.holder().append(dyno.element('div', { class: 'multiple' },
    dyno.element('p', {}, dyno.element('b', { title: cell.subject }, cell.subject), p99 ? dyno.element('span', {}, `p99 ${dyno.quantity('µs', p99.estimate)}`) : ''),
    dyno.element('div', {}, element)));
  dyno.multiples.charts.push(dyno.chart(element, dyno.multiples.build(cell, all, band)));
};

// draw makes a panel for each subject that is shown, none if there are few.
dyno.multiples.draw = () => {
  for (const chart of dyno.multiples.charts) chart.dispose();
  dyno.multiples.charts = [];
  dyno.multiples.holder().replaceChildren();
  const group = dyno.current();
  if (!dyno.many(group)) return;
  const known = (cells) => cells.filter((cell) => cell[dyno.percentiles.clock].length > 0);
  const all = known(group.cells);
  const shown = known(dyno.shown(group));
  const band = dyno.multiples.band(all);
  for (const cell of shown) dyno.multiples.panel(cell, all, band);
  if (shown.length === 0) dyno.multiples.holder().append(dyno.element('p', { class: 'message' }, dyno.nothing(all, 'percentiles')));
};
