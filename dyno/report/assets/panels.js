// What the windows of a trial can show: each panel's figures and how they are
// drawn. A panel none of whose figures are known is left out.
'use strict';

dyno.panels = {
  client: [
    { name: 'throughput', unit: 'req/s', height: 124, lines: [['rps', null]] },
    { name: 'response', unit: 'µs', height: 230, log: true, lines: [['p50', 'p50'], ['p99', 'p99'], ['max', 'max']] },
    { name: 'lag', unit: 'µs', height: 124, lines: [['lag', null]] },
    { name: 'generator', unit: 'CPU', height: 124, lines: [['generator', null]] },
    { name: 'errors', unit: 'count', height: 124, bars: true, ifAny: true, lines: [['errors', null]] },
  ],
  server: [
    { name: 'cpu', unit: 'CPU', lines: [['cpu', null]] },
    { name: 'rss', unit: 'bytes', lines: [['rss', null]] },
    { name: 'pss', unit: 'bytes', lines: [['pss', null]] },
    { name: 'threads', unit: 'count', lines: [['threads', null]] },
    { name: 'openfiles', unit: 'count', lines: [['openfiles', null]] },
    { name: 'runqueue', unit: 'µs', factor: 1e6, lines: [['runqueue', null]] },
    { name: 'throttled', unit: 'µs', factor: 1e6, bars: true, ifAny: true, lines: [['throttled', null]] },
    { name: 'unread', unit: 'bytes', ifAny: true, lines: [['unread', null]] },
    { name: 'unsent', unit: 'bytes', ifAny: true, lines: [['unsent', null]] },
    { name: 'acceptqueue', unit: 'count', ifAny: true, lines: [['acceptqueue', null]] },
    { name: 'switches', unit: 'count', lines: [['switches', null]] },
    { name: 'gcpause', unit: 'µs', bars: true, lines: [['gcpause', null]] },
    { name: 'sched', unit: 'µs', lines: [['sched', null]] },
    { name: 'heap', unit: 'bytes', lines: [['heap', null]] },
    { name: 'goroutines', unit: 'count', lines: [['goroutines', null]] },
    { name: 'steal', unit: '%', factor: 100, lines: [['steal', null]] },
  ],
};

// services is the panel of what the subject stood on, beside the subject: a line for each
// service that some trial of the cell knows. Names are the user's, never keys of texts.
dyno.panels.services = (seconds) => {
  const names = Object.keys(seconds[0] ?? {}).filter((key) => key.startsWith('service:'));
  return { name: 'services', unit: 'CPU', height: 124, named: true,
    lines: [['cpu', dyno.label('panel.services.subject')], ...names.map((key) => [key, key.slice('service:'.length)])] };
};

// of lists the panels of an end that have something to show.
dyno.panels.of = (end, trial) => {
  const panels = dyno.panels[end].filter((panel) => dyno.panels.known(panel, trial.seconds));
  const services = dyno.panels.services(trial.seconds);
  if (end === 'server' && dyno.panels.known({ lines: services.lines.slice(1) }, trial.seconds)) panels.splice(panels.findIndex(({ name }) => name === 'cpu') + 1, 0, services);
  return panels;
};

// known reports whether any figure of the panel is in these seconds.
dyno.panels.known = (panel, seconds) => panel.lines.some(([key]) =>
  seconds.some((second) => second[key] !== null && second[key] !== undefined && (!panel.ifAny || second[key] > 0)));

dyno.panels.value = (panel, second, key) => {
  const value = second?.[key];
  if (value === null || value === undefined || (panel.log && value <= 0)) return null;
  return value * (panel.factor ?? 1);
};

dyno.panels.colour = (panel, i, colours) => {
  if (panel.lines.length === 1) return colours.accent;
  if (panel.named) return i === 0 ? colours.accent : colours.series[i % colours.series.length];
  return [colours.accent, colours.series[1], colours.muted][i];
};

// summary gives the panel's figures for one second, or their medians over
// several: [label, figure] for each line.
dyno.panels.summary = (panel, seconds) => panel.lines.map(([key, label]) => {
  const values = seconds.map((second) => dyno.panels.value(panel, second, key)).filter((value) => value !== null).sort((a, b) => a - b);
  const middle = values.length ? (values[(values.length - 1) >> 1] + values[values.length >> 1]) / 2 : null;
  return [label && (panel.named ? label : dyno.label(label)), dyno.quantity(panel.unit, middle)];
});

// A window lasts from its second to the next; its figures stand in the middle.
dyno.panels.series = (panel, trial, colours) => panel.lines.map(([key], i) => {
  const color = dyno.panels.colour(panel, i, colours);
  const data = trial.seconds.map((second) => [second.index + 0.5, dyno.panels.value(panel, second, key)]);
  const common = { data, itemStyle: { color }, silent: true };
  if (panel.bars) return { type: 'bar', barMaxWidth: 14, ...common };
  return { type: 'line', showSymbol: data.length < 80, symbol: 'circle', symbolSize: 4, lineStyle: { color, width: 1.75 }, ...common };
});

// areas shade the warm-up and the seconds that don't count.
dyno.panels.areas = (trial, colours) => {
  const areas = [];
  const shade = (from, to, color) => areas.push([{ xAxis: from, itemStyle: { color } }, { xAxis: to }]);
  if (trial.seconds[0].index < 0) shade(trial.seconds[0].index, 0, colours.shade);
  for (const { index, validity } of trial.seconds) {
    if (index >= 0 && (validity === 'invalid' || !trial.used)) shade(index, index + 1, colours.excluded);
  }
  return { silent: true, data: areas };
};

// top is the upper end of a linear axis from zero with three ticks, a round
// figure in the unit it is written in.
dyno.panels.top = (panel, trial) => {
  const values = panel.lines.flatMap(([key]) => trial.seconds.map((second) => dyno.panels.value(panel, second, key) ?? 0));
  const highest = Math.max(...values, panel.unit === 'count' ? 2 : 0);
  if (highest <= 0) return 1;
  const [by] = dyno.scale(panel.unit, highest);
  const power = 10 ** Math.floor(Math.log10(highest / by));
  const step = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((factor) => factor * power * by >= highest * 0.9999);
  return step * power * by;
};

dyno.panels.yAxis = (panel, trial, colours) => {
  const label = { formatter: (value) => dyno.tick(panel.unit, value) };
  if (panel.log) return dyno.axis(colours, { type: 'log', scale: true, axisLabel: label });
  const top = dyno.panels.top(panel, trial);
  return dyno.axis(colours, { type: 'value', min: 0, max: top, interval: top / 2, axisLabel: label });
};

dyno.panels.xAxis = (trial, colours, last) => {
  const ends = [trial.seconds[0].index, trial.seconds.at(-1).index + 1];
  return dyno.axis(colours, { type: 'value', min: ends[0], max: ends[1], minInterval: 1, containShape: false, splitLine: { show: false },
    axisLine: { show: true, onZero: false, lineStyle: { color: colours.line } },
    axisLabel: { show: last, formatter: (second) => (Number.isInteger(second) ? `${second} s` : '') } });
};

dyno.panels.option = (panel, trial, colours, last) => {
  const series = dyno.panels.series(panel, trial, colours);
  series[0].markArea = dyno.panels.areas(trial, colours);
  return {
    grid: { outerBoundsMode: 'none', left: 62, right: 16, top: 8, bottom: last ? 26 : 6 },
    xAxis: dyno.panels.xAxis(trial, colours, last),
    yAxis: dyno.panels.yAxis(panel, trial, colours),
    series,
    tooltip: { trigger: 'axis', showContent: false, transitionDuration: 0, triggerOn: 'none',
      axisPointer: { type: 'line', snap: true, animation: false, lineStyle: { color: colours.text, width: 1, type: 'solid' }, label: { show: false } } },
  };
};
