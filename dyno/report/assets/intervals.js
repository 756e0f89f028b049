// Dot and whisker: for each subject the median with its interval, and the
// single trials as faint dots.
'use strict';

// farApart is how many times the least the most is where very many subjects need a
// logarithmic scale: on a linear one most of them would be one heap.
dyno.intervals = { fromZero: false, farApart: 20 };

// ends are the lowest and the highest figure of a chart, single trials among them.
dyno.intervals.ends = (cells, metric) => {
  const all = cells.flatMap((cell) => [cell.estimates[metric].low, cell.estimates[metric].high, ...cell.values[metric]]);
  return [Math.min(...all), Math.max(...all)];
};

dyno.intervals.spread = (cells, metric) => {
  const [low, high] = dyno.intervals.ends(cells, metric);
  return high / low;
};

// around are the round figures next to the ends, for a logarithmic scale.
dyno.intervals.around = (cells, metric) => {
  const [low, high] = dyno.intervals.ends(cells, metric);
  const round = (at, way) => {
    const power = 10 ** Math.floor(Math.log10(at));
    const steps = [1, 2, 5, 10].map((step) => step * power);
    return way < 0 ? steps.findLast((step) => step <= at * 1.0001) : steps.find((step) => step >= at * 0.9999);
  };
  return { min: round(low, -1), max: round(high, 1) };
};

// colour is that of the subject, or one for all where there are more than colours tell apart.
dyno.intervals.colour = (colours, cell, cells) => (cells.length > dyno.few ? colours.accent : dyno.theme.subject(colours, cell.colour));

// whisker draws one interval with its median.
dyno.intervals.whisker = (params, api, cells, colours, metric) => {
  const cell = cells[api.value(0)];
  const { low, high, estimate } = cell.estimates[metric];
  const [from, y] = api.coord([low, api.value(0)]);
  const [to] = api.coord([high, api.value(0)]);
  const [middle] = api.coord([estimate, api.value(0)]);
  const stroke = dyno.intervals.colour(colours, cell, cells);
  const line = (x1, y1, x2, y2, lineWidth) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth } });
  return {
    type: 'group',
    children: [
      line(from, y, to, y, 2.5), line(from, y - 4, from, y + 4, 1.5), line(to, y - 4, to, y + 4, 1.5),
      { type: 'circle', shape: { cx: middle, cy: y, r: 4.5 }, style: { fill: stroke, stroke: colours.page, lineWidth: 1.5 } },
    ],
  };
};

dyno.intervals.tip = (group, cell, metric) => {
  const it = cell.estimates[metric];
  const values = cell.values[metric];
  const unit = group.units[metric];
  return dyno.tip(cell.subject, [
    [dyno.text('median'), dyno.interval(unit, it)],
    [dyno.text('range'), `${dyno.quantity(unit, Math.min(...values))} – ${dyno.quantity(unit, Math.max(...values))}`],
    [dyno.text('trials'), String(it.n)],
  ]);
};

dyno.intervals.axes = (group, cells, metric, colours, width) => {
  const names = cells.map((cell) => cell.subject);
  const room = dyno.labelWidth(names, width, 0.3);
  const unit = group.units[metric];
  const left = { type: 'category', data: names, inverse: true, axisLine: { show: false }, axisTick: { show: false },
    axisLabel: { color: colours.text, fontFamily: colours.font, fontSize: 13, width: room, overflow: 'truncate', interval: 0, margin: 10 } };
  const right = { ...left, position: 'right', data: cells.map((cell) => dyno.quantity(unit, cell.estimates[metric].estimate)),
    axisLabel: { ...left.axisLabel, width: 90, margin: 6, color: colours.muted } };
  const far = cells.length > dyno.few && !dyno.intervals.fromZero && dyno.intervals.spread(cells, metric) > dyno.intervals.farApart;
  const x = dyno.axis(colours, { type: far ? 'log' : 'value', ...(far ? dyno.intervals.around(cells, metric) : {}), scale: !dyno.intervals.fromZero, splitNumber: width < 420 ? 3 : 5,
    axisLabel: { formatter: (value) => dyno.tick(unit, value) } });
  return { room, x, y: [left, right] };
};

dyno.intervals.series = (cells, metric, colours) => {
  const trials = cells.flatMap((cell, row) => cell.values[metric].map((value) => ({
    value: [value, row], itemStyle: { color: dyno.intervals.colour(colours, cell, cells) },
  })));
  return [
    { type: 'scatter', data: trials, symbolSize: 5, symbolOffset: [0, cells.length > dyno.few ? 7 : 10], silent: true, itemStyle: { opacity: 0.45 }, z: 1 },
    { type: 'custom', data: cells.map((cell, row) => [row, cell.estimates[metric].low, cell.estimates[metric].high]),
      encode: { x: [1, 2], y: 0 }, z: 2, emphasis: { disabled: true },
      renderItem: (params, api) => dyno.intervals.whisker(params, api, cells, colours, metric) },
  ];
};

// reference marks the estimate of the subject the others are compared with.
dyno.intervals.reference = (cells, metric, colours) => {
  const cell = cells.find(({ subject }) => subject === dyno.data.reference);
  if (!cell || cells.length < 2) return {};
  return { silent: true, symbol: 'none', label: { show: false }, lineStyle: { color: colours.muted, type: 'dashed', width: 1 },
    data: [{ xAxis: cell.estimates[metric].estimate }] };
};

dyno.intervals.build = (metric) => (colours, width) => {
  const group = dyno.current();
  const known = group?.cells.filter((cell) => cell.estimates[metric]) ?? [];
  const cells = dyno.shown(group).filter((cell) => cell.estimates[metric]);
  if (cells.length === 0) return { message: dyno.nothing(known, metric) };
  const { room, x, y } = dyno.intervals.axes(group, cells, metric, colours, width);
  const series = dyno.intervals.series(cells, metric, colours);
  series[1].markLine = dyno.intervals.reference(cells, metric, colours);
  return {
    height: 52 + (cells.length > dyno.few ? 24 : 38) * cells.length,
    option: {
      grid: { outerBoundsMode: 'none', left: room + 14, right: width < 420 ? 82 : 96, top: 4, bottom: 32 }, xAxis: x, yAxis: y, series,
      tooltip: dyno.tooltip(colours, { trigger: 'item', formatter: (item) => dyno.intervals.tip(group, cells[item.value[0]], metric) }),
    },
  };
};

dyno.intervals.start = () => {
  const charts = ['cpu', 'throughput'].map((metric) => dyno.chart(dyno.byId(`chart-${metric}`), dyno.intervals.build(metric)));
  const zero = dyno.byId('cost-zero');
  zero.addEventListener('click', () => {
    dyno.intervals.fromZero = !dyno.intervals.fromZero;
    zero.setAttribute('aria-pressed', String(dyno.intervals.fromZero));
    for (const chart of charts) chart.draw();
  });
  dyno.filter.changed.push(() => { for (const chart of charts) chart.draw(); });
};
