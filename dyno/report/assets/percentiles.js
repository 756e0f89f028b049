// Response by percentile. The axis counts nines, log10(1/(1−p)), so that each
// step to the right looks at ten times rarer requests.
'use strict';

dyno.percentiles = { clock: 'response', hidden: new Set(), marks: [50, 90, 99, 99.9, 99.99, 99.999] };

dyno.percentiles.nines = (percentile) => -Math.log10(1 - percentile / 100);

// name writes what a place on the axis means: p99.9.
dyno.percentiles.name = (nines) => 'p' + String(Number((100 * (1 - 10 ** -nines)).toPrecision(7)));

dyno.percentiles.line = (cell, colours, labelled) => {
  const points = cell[dyno.percentiles.clock].map(([p, us, censored]) => ({ value: [dyno.percentiles.nines(p), us, censored ? 1 : 0] }));
  const color = dyno.theme.subject(colours, cell.colour);
  return {
    type: 'line', name: cell.subject, data: points, showSymbol: false, symbolSize: 7, smooth: false,
    lineStyle: { color, width: 2, type: cell.colour >= colours.series.length ? 'dashed' : 'solid' }, itemStyle: { color },
    emphasis: { lineStyle: { width: 2 } },
    endLabel: { show: labelled, formatter: () => cell.subject, color, fontFamily: colours.font, fontSize: 12, distance: 6, width: 130, overflow: 'truncate' },
    labelLayout: { moveOverlap: 'shiftY' },
  };
};

// timeAxis has a line at 1, 2 and 5 of each power of ten.
dyno.percentiles.timeAxis = (cells, colours) => {
  const times = cells.flatMap((cell) => cell[dyno.percentiles.clock].map(([, us]) => us));
  const steps = [];
  for (let power = -3; power < 10; power++) steps.push(10 ** power, 2 * 10 ** power, 5 * 10 ** power);
  const min = steps.findLast((step) => step <= Math.min(...times)) ?? steps[0];
  const max = steps.find((step) => step >= Math.max(...times)) ?? steps.at(-1);
  const marks = steps.filter((step) => step >= min && step <= max);
  return dyno.axis(colours, { type: 'log', min, max, axisLabel: { customValues: marks, formatter: (us) => dyno.tick('µs', us) },
    axisTick: { show: false, customValues: marks } });
};

dyno.percentiles.axes = (cells, colours, width) => {
  const highest = Math.max(...cells.flatMap((cell) => cell[dyno.percentiles.clock].map(([p]) => p)));
  const marks = dyno.percentiles.marks.filter((p) => p <= highest + 1e-9).map(dyno.percentiles.nines);
  return {
    xAxis: dyno.axis(colours, { type: 'value', min: 0, max: Math.max(dyno.percentiles.nines(highest), 1),
      axisLabel: { customValues: marks, formatter: dyno.percentiles.name, hideOverlap: false },
      axisTick: { show: true, customValues: marks, lineStyle: { color: colours.muted } }, splitLine: { show: false } }),
    yAxis: dyno.percentiles.timeAxis(cells, colours),
  };
};

dyno.percentiles.tip = (items) => {
  const sorted = [...items].sort((a, b) => b.value[1] - a.value[1]);
  return dyno.tip(dyno.percentiles.name(items[0].value[0]),
    sorted.map(({ seriesName, value }) => [seriesName, (value[2] ? '≥ ' : '') + dyno.quantity('µs', value[1])]));
};

dyno.percentiles.build = (colours, width) => {
  if (dyno.many(dyno.current())) return { message: ' ' }; // a panel for each is drawn instead
  const all = dyno.current()?.cells.filter((cell) => cell[dyno.percentiles.clock].length > 0) ?? [];
  if (all.length === 0) return { message: dyno.text('empty.percentiles') };
  const cells = all.filter(({ subject }) => !dyno.percentiles.hidden.has(subject));
  const labelled = width > 640;
  return {
    height: width > 640 ? 440 : 340,
    option: {
      grid: { outerBoundsMode: 'none', left: 64, right: labelled ? 140 : 30, top: 16, bottom: 32 },
      ...dyno.percentiles.axes(all, colours, width),
      series: cells.map((cell) => dyno.percentiles.line(cell, colours, labelled)),
      tooltip: dyno.tooltip(colours, { trigger: 'axis', formatter: dyno.percentiles.tip,
        axisPointer: { type: 'line', snap: true, lineStyle: { color: colours.muted, type: 'dashed' } } }),
    },
  };
};

// legend lists the subjects as buttons that hide and show their lines.
dyno.percentiles.legend = (chart) => {
  const buttons = (dyno.current()?.cells ?? []).map((cell) => {
    const swatch = dyno.element('i', { class: 'swatch', 'data-colour': cell.colour });
    swatch.style.background = dyno.theme.subject(dyno.theme.colours(), cell.colour);
    const button = dyno.element('button', { type: 'button', 'aria-pressed': String(!dyno.percentiles.hidden.has(cell.subject)) },
      swatch, cell.subject);
    button.addEventListener('click', () => {
      const hide = button.getAttribute('aria-pressed') === 'true';
      dyno.percentiles.hidden[hide ? 'add' : 'delete'](cell.subject);
      button.setAttribute('aria-pressed', String(!hide));
      chart.draw();
    });
    return button;
  });
  dyno.byId('percentiles-legend').replaceChildren(...buttons);
};

dyno.percentiles.note = () => {
  const panels = dyno.many(dyno.current()) ? dyno.text('percentiles.panels', { reference: dyno.data.reference }) : '';
  dyno.byId('percentiles-note').textContent = dyno.text(`percentiles.${dyno.percentiles.clock}`) + panels;
};

// arrange shows one chart with a legend, or a panel for each of very many subjects.
dyno.percentiles.arrange = () => {
  const many = dyno.many(dyno.current());
  dyno.byId('percentiles-one').hidden = many;
  dyno.byId('percentiles-legend').hidden = many;
  dyno.percentiles.note();
  dyno.multiples.draw();
};

dyno.percentiles.start = () => {
  const chart = dyno.chart(dyno.byId('chart-percentiles'), dyno.percentiles.build);
  const clocks = [...document.querySelectorAll('[data-clock]')];
  for (const button of clocks) {
    button.addEventListener('click', () => {
      dyno.percentiles.clock = button.dataset.clock;
      for (const other of clocks) other.setAttribute('aria-pressed', String(other === button));
      dyno.percentiles.arrange();
      chart.draw();
    });
  }
  dyno.regrouped.push(() => dyno.percentiles.legend(chart));
  dyno.regrouped.push(dyno.percentiles.arrange);
  dyno.percentiles.legend(chart);
  dyno.multiples.start();
};
