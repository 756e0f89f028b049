// The heat map: a row for each subject, a column for each measured second in
// order of blocks, coloured by that second's p99.
'use strict';

// least is how many times the lowest p99 the scale reaches at least, so that
// noise on a calm run doesn't look like fire.
dyno.heat = { gap: 0.6, least: 4, widest: 6000, chart: null, layout: null, cursor: null };

// layout places all seconds: slots on the x axis, rows on the y axis.
dyno.heat.arrange = (group) => {
  const lengths = [];
  const shown = dyno.shown(group); // a row each
  const rows = shown.map((cell) => dyno.rows(cell).filter((second) => second.index >= 0));
  for (const second of rows.flat()) lengths[second.block] = Math.max(lengths[second.block] ?? 0, second.index + 1);
  const starts = [];
  let width = 0;
  for (let block = 0; block < lengths.length; block++) {
    if (block > 0) width += dyno.heat.gap;
    starts[block] = width;
    width += lengths[block] ?? 0;
  }
  const cells = rows.flatMap((seconds, row) => seconds.map((second) => ({
    row, second, x: starts[second.block] + second.index, counted: dyno.counted(shown[row], second) && second.p99 > 0,
  })));
  return { group, shown, cells, starts, lengths, width, ...dyno.heat.extremes(cells) };
};

dyno.heat.extremes = (cells) => {
  const values = cells.filter(({ counted }) => counted).map(({ second }) => second.p99);
  const low = Math.min(...values);
  return { low, high: Math.max(...values, low * dyno.heat.least), any: values.length > 0, hatched: cells.some(({ counted }) => !counted),
    suspect: cells.some(({ counted, second }) => counted && second.validity === 'suspect') };
};

// hatch is a path of diagonals that fill a rectangle, 5 px apart.
dyno.heat.hatch = (x, y, width, height) => {
  let path = '';
  for (let c = 5; c < width + height; c += 5) {
    const [x1, y1] = c < height ? [0, c] : [c - height, height];
    const [x2, y2] = c < width ? [c, 0] : [width, c - width];
    path += `M${x + x1} ${y + y1}L${x + x2} ${y + y2}`;
  }
  return path;
};

dyno.heat.box = (api, x, row, columns = 1) => {
  const [left, middle] = api.coord([x, row]);
  const [right] = api.coord([x + columns, row]);
  const high = api.size([0, 1])[1] - 3;
  return { x: left, y: Math.round(middle - high / 2), width: right - left, height: Math.round(high) };
};

// square draws one second.
dyno.heat.square = (api, cell, colour, colours) => {
  const box = dyno.heat.box(api, cell.x, cell.row);
  const shape = { ...box, width: Math.max(box.width - (box.width > 5 ? 1 : 0), 0.5) };
  if (cell.counted) {
    const square = { type: 'rect', shape, style: { fill: colour(cell.second.p99) } };
    if (cell.second.validity !== 'suspect' || shape.width < 4) return square;
    const mark = { type: 'rect', shape: { x: shape.x, y: shape.y + shape.height - 3, width: shape.width, height: 3 }, silent: true, style: { fill: colours.accent } };
    return { type: 'group', children: [square, mark] };
  }
  return { type: 'group', children: [
    { type: 'rect', shape, style: { fill: colours.shade } },
    { type: 'path', shape: { pathData: dyno.heat.hatch(shape.x, shape.y, shape.width, shape.height) }, silent: true, style: { stroke: colours.hatch, lineWidth: 1, fill: 'none' } },
  ] };
};

// outline frames the selected trial, or the second under the keyboard's cursor.
dyno.heat.outline = (api, item, layout, colours) => {
  const box = dyno.heat.box(api, item.x, item.row, item.columns);
  return { type: 'rect', silent: true, shape: { x: box.x - 1.5, y: box.y - 1.5, width: box.width + 2, height: box.height + 3, r: 2 },
    style: { fill: 'none', stroke: colours.text, lineWidth: item.columns > 1 ? 1.5 : 2.5 } };
};

dyno.heat.frames = (layout) => {
  const frames = [];
  const { cell, trial } = dyno.windows.selected ?? {};
  const selected = layout.shown.indexOf(layout.group.cells[cell]);
  const first = layout.cells.find(({ row, second }) => row === selected && second.trial === trial);
  if (first) frames.push({ row: selected, x: layout.starts[first.second.block], columns: layout.lengths[first.second.block] });
  if (dyno.heat.cursor !== null) frames.push({ ...layout.cells[dyno.heat.cursor], columns: 1 });
  return frames;
};

// why says what a second's findings are, and that it doesn't count if so.
dyno.heat.why = ({ counted, second }) => {
  const reasons = (second.why ?? []).map(dyno.finding).join('; ');
  if (counted) return reasons;
  return [dyno.text(second.validity === 'invalid' ? 'heat.invalid' : 'heat.left'), reasons].filter(Boolean).join(' ');
};

dyno.heat.place = (layout, { row, second }) =>
  dyno.text('heat.place', { subject: layout.shown[row].subject, block: second.block + 1, second: second.index });

dyno.heat.tip = (layout, cell) => {
  const { second } = cell;
  return dyno.tip(dyno.heat.place(layout, cell), [
    ['p99', dyno.quantity('µs', second.p99)], ['p50', dyno.quantity('µs', second.p50)], [dyno.text('max'), dyno.quantity('µs', second.max)],
    [dyno.text('panel.throughput'), dyno.quantity('req/s', second.rps)], [dyno.text('trial'), String(second.trial)],
  ], dyno.heat.why(cell));
};

dyno.heat.xAxis = (layout, colours, width) => {
  const { starts, lengths } = layout;
  const middles = starts.map((start, block) => start + (lengths[block] ?? 0) / 2);
  const narrow = width / starts.length < 60;
  const block = (value) => middles.findIndex((middle) => Math.abs(middle - value) < 1e-6) + 1;
  return dyno.axis(colours, { type: 'value', min: 0, max: layout.width, position: 'top', splitLine: { show: false },
    axisLabel: { customValues: middles, hideOverlap: narrow ? false : true,
      formatter: (value) => (narrow ? String(block(value)) : dyno.text('heat.block', { n: block(value) })) } });
};

dyno.heat.series = (layout, colours) => {
  const colour = dyno.heatColours.scale(layout.low, layout.high);
  const frames = dyno.heat.frames(layout);
  return [
    { type: 'custom', data: layout.cells.map((cell, i) => [cell.x, cell.row, i]), progressive: 0, emphasis: { disabled: true },
      renderItem: (params, api) => dyno.heat.square(api, layout.cells[api.value(2)], colour, colours) },
    { type: 'custom', data: frames.map((frame, i) => [frame.x, frame.row, i]), silent: true, z: 3, tooltip: { show: false },
      renderItem: (params, api) => dyno.heat.outline(api, frames[api.value(2)], layout, colours) },
  ];
};

dyno.heat.build = (colours, width) => {
  const group = dyno.current();
  const layout = group && dyno.heat.arrange(group);
  dyno.heat.layout = layout;
  dyno.byId('heat-ramp').hidden = !layout?.any;
  if (!layout || layout.cells.length === 0) return { message: dyno.nothing(layout && layout.shown.length === 0 ? group.cells : [], 'heat') };
  if (layout.any) dyno.heatColours.ramp(dyno.byId('heat-ramp'), layout);
  const names = layout.shown.map((cell) => cell.subject);
  const room = dyno.labelWidth(names, width, 0.32);
  const needed = Math.ceil(room + 24 + Math.min(layout.width * 3, dyno.heat.widest));
  return {
    height: 40 + (names.length > dyno.few ? 22 : 30) * names.length,
    width: needed > width ? needed : null,
    shapes: layout.cells.length,
    option: {
      grid: { outerBoundsMode: 'none', left: room + 14, right: 4, top: 28, bottom: 4 },
      xAxis: dyno.heat.xAxis(layout, colours, (needed > width ? needed : width) - room),
      yAxis: { type: 'category', data: names, inverse: true, axisLine: { show: false }, axisTick: { show: false },
        axisLabel: { color: colours.text, fontFamily: colours.font, fontSize: 13, width: room, overflow: 'truncate', interval: 0 } },
      series: dyno.heat.series(layout, colours),
      tooltip: dyno.tooltip(colours, { trigger: 'item', formatter: (item) => dyno.heat.tip(layout, layout.cells[item.value[2]]) }),
    },
  };
};

// pick shows a second's trial among the windows below.
dyno.heat.pick = (index) => {
  const { row, second } = dyno.heat.layout.cells[index];
  const { group, shown } = dyno.heat.layout;
  dyno.windows.select(group.cells.indexOf(shown[row]), second.trial, second.index);
  const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  dyno.byId('windows').scrollIntoView({ behavior: calm ? 'auto' : 'smooth' });
};

// step moves the keyboard's cursor to the nearest second in a direction.
dyno.heat.step = (columns, rows) => {
  const { cells } = dyno.heat.layout;
  const from = cells[dyno.heat.cursor ?? 0];
  const ahead = (cell) => (columns ? cell.row === from.row && (cell.x - from.x) * columns > 0 : (cell.row - from.row) * rows > 0);
  const far = (cell) => Math.abs(cell.x - from.x) + 1000 * Math.abs(cell.row - from.row);
  const next = dyno.heat.cursor === null ? from : cells.filter(ahead).sort((a, b) => far(a) - far(b))[0];
  if (!next) return;
  dyno.heat.cursor = cells.indexOf(next);
  dyno.heat.chart.draw();
  dyno.byId('heat-status').textContent = [dyno.heat.place(dyno.heat.layout, next), `p99 ${dyno.quantity('µs', next.second.p99)}`, dyno.heat.why(next)].filter(Boolean).join(' · ');
};

dyno.heat.keys = (event) => {
  if (!dyno.heat.layout?.cells.length) return;
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (steps[event.key]) dyno.heat.step(...steps[event.key]);
  else if (event.key === 'Enter' && dyno.heat.cursor !== null) dyno.heat.pick(dyno.heat.cursor);
  else return;
  event.preventDefault();
};

dyno.heat.start = () => {
  const element = dyno.byId('chart-heat');
  const chart = dyno.chart(element, dyno.heat.build);
  dyno.heat.chart = chart;
  dyno.onInstance(chart, (instance) => instance.on('click', ({ value }) => dyno.heat.pick(value[2])));
  dyno.regrouped.push(() => { dyno.heat.cursor = null; });
  dyno.filter.changed.push(() => { dyno.heat.cursor = null; chart.draw(); });
  element.addEventListener('keydown', dyno.heat.keys);
  element.addEventListener('blur', () => { dyno.heat.cursor = null; chart.draw(); });
};
