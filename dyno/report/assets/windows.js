// Both ends of one trial, second by second, with one cursor through all panels.
'use strict';

dyno.windows = { selected: null, cursor: null, shown: [] };

// trials lists a cell's trials with their seconds, in order of blocks.
dyno.windows.trials = (cell) => {
  const trials = new Map();
  for (const second of dyno.rows(cell)) {
    if (!trials.has(second.trial)) trials.set(second.trial, { trial: second.trial, block: second.block, used: cell.trials.includes(second.trial), seconds: [] });
    trials.get(second.trial).seconds.push(second);
  }
  return [...trials.values()].sort((a, b) => a.block - b.block || a.trial - b.trial);
};

dyno.windows.cell = () => dyno.current()?.cells[dyno.windows.selected?.cell];

dyno.windows.trial = () => {
  const cell = dyno.windows.cell();
  return cell && dyno.windows.trials(cell).find(({ trial }) => trial === dyno.windows.selected.trial);
};

// select shows a trial, with the cursor on the second with the given index if any.
dyno.windows.select = (cell, trial, index = null) => {
  dyno.windows.selected = { cell, trial };
  dyno.windows.cursor = null;
  dyno.windows.pickers();
  dyno.windows.draw();
  dyno.heat.chart?.draw();
  const at = dyno.windows.trial()?.seconds.findIndex((second) => second.index === index) ?? -1;
  if (at >= 0) dyno.windows.point(at);
};

// selectFirst picks the trial that holds the group's worst second.
dyno.windows.selectFirst = () => {
  let worst = null;
  (dyno.current()?.cells ?? []).forEach((cell, i) => {
    for (const second of dyno.rows(cell)) {
      const better = worst && (worst.counted > dyno.counted(cell, second) || (worst.counted === dyno.counted(cell, second) && worst.p99 >= second.p99));
      if (!better) worst = { cell: i, trial: second.trial, p99: second.p99, counted: dyno.counted(cell, second) };
    }
  });
  if (worst) dyno.windows.select(worst.cell, worst.trial);
  else dyno.windows.draw();
};

// offered are the indices of the cells that are let through, and of the one selected.
dyno.windows.offered = (selected) => {
  const { cells } = dyno.current();
  const shown = new Set(dyno.shown(dyno.current()));
  return cells.map((each, i) => i).filter((i) => i === selected || shown.has(cells[i]));
};

dyno.windows.pickers = () => {
  const { cell, trial } = dyno.windows.selected;
  const option = (value, label, selected) => {
    const made = dyno.element('option', { value }, label);
    made.selected = selected;
    return made;
  };
  dyno.byId('windows-subject').replaceChildren(...dyno.windows.offered(cell).map((i) => option(i, dyno.current().cells[i].subject, i === cell)));
  dyno.byId('windows-block').replaceChildren(...dyno.windows.trials(dyno.current().cells[cell]).map((each) =>
    option(each.trial, dyno.text(each.used ? 'windows.trial' : 'windows.trial.left', { block: each.block + 1, trial: each.trial }), each.trial === trial)));
};

// step selects the trial before or after the one shown.
dyno.windows.step = (by) => {
  const trials = dyno.windows.trials(dyno.windows.cell());
  const at = trials.findIndex(({ trial }) => trial === dyno.windows.selected.trial);
  const next = trials[(at + by + trials.length) % trials.length];
  dyno.windows.select(dyno.windows.selected.cell, next.trial);
};

// draw makes the panels of the selected trial.
dyno.windows.draw = () => {
  for (const { chart } of dyno.windows.shown) chart.dispose();
  dyno.windows.shown = [];
  const trial = dyno.windows.trial();
  for (const end of ['client', 'server']) dyno.windows.column(end, trial);
  dyno.windows.readout();
  dyno.windows.table(trial);
};

dyno.windows.column = (end, trial) => {
  const column = dyno.byId(`panels-${end}`);
  const panels = trial ? dyno.panels.of(end, trial) : [];
  column.replaceChildren();
  if (panels.length === 0) {
    column.append(dyno.element('p', { class: 'message' }, dyno.text(`empty.${end}`)));
    return;
  }
  panels.forEach((panel, i) => dyno.windows.panel(column, panel, trial, i === panels.length - 1));
  const missing = end === 'server' && !panels.some(({ name }) => name === 'cpu');
  if (missing) column.append(dyno.element('p', { class: 'message' }, dyno.text('empty.server.process')));
};

dyno.windows.panel = (column, panel, trial, last) => {
  const value = dyno.element('span', { class: 'value' });
  const element = dyno.element('div', { class: 'chart', role: 'img', 'aria-label': dyno.text(`panel.${panel.name}`) });
  column.append(dyno.element('div', { class: 'panel' },
    dyno.element('div', { class: 'head' }, dyno.element('span', {}, dyno.text(`panel.${panel.name}`)), value), dyno.element('div', {}, element)));
  const chart = dyno.chart(element, (colours) => ({ height: (panel.height ?? 76) + (last ? 20 : 0), option: dyno.panels.option(panel, trial, colours, last) }));
  dyno.onInstance(chart, dyno.windows.follow);
  dyno.windows.shown.push({ panel, chart, value });
};

// follow makes a panel lead the cursor of all others.
dyno.windows.follow = (instance) => {
  instance.getZr().on('mousemove', ({ offsetX, offsetY }) => {
    if (!instance.containPixel('grid', [offsetX, offsetY])) return;
    const [at] = instance.convertFromPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [offsetX, offsetY]);
    const i = dyno.windows.trial().seconds.findIndex(({ index }) => index === Math.floor(at));
    if (i >= 0) dyno.windows.point(i);
  });
  instance.getZr().on('globalout', () => dyno.windows.point(null));
};

// point puts the cursor of all panels on a second, or takes it away.
dyno.windows.point = (at) => {
  dyno.windows.cursor = at;
  for (const { chart: { instance } } of dyno.windows.shown) {
    if (at === null) {
      instance.dispatchAction({ type: 'updateAxisPointer', currTrigger: 'leave' });
      continue;
    }
    const x = instance.convertToPixel({ xAxisIndex: 0 }, dyno.windows.trial().seconds[at].index + 0.5);
    instance.dispatchAction({ type: 'updateAxisPointer', currTrigger: 'mousemove', x, y: 20 });
  }
  dyno.windows.readout();
};

// readout writes the figures at the cursor, or the trial's medians without one.
dyno.windows.readout = () => {
  const trial = dyno.windows.trial();
  if (!trial) {
    dyno.byId('windows-readout').textContent = '';
    return;
  }
  const second = dyno.windows.cursor === null ? null : trial.seconds[dyno.windows.cursor];
  const measured = trial.seconds.filter(({ index }) => index >= 0);
  for (const { panel, value } of dyno.windows.shown) {
    const figures = dyno.panels.summary(panel, second ? [second] : measured);
    value.replaceChildren(...figures.map((figure, i) => dyno.windows.figure(panel, figure, i)));
  }
  dyno.byId('windows-readout').textContent = second ? dyno.windows.describe(second) : dyno.text('windows.medians');
};

// figure writes one figure of a panel, with the key to its line if it has several.
dyno.windows.figure = (panel, [label, figure], i) => {
  const written = dyno.element('b', {}, figure);
  if (!label) return dyno.element('span', {}, written);
  const key = dyno.element('i', { class: 'key' });
  key.style.background = dyno.panels.colour(panel, i, dyno.theme.colours());
  return dyno.element('span', {}, key, `${label} `, written);
};

dyno.windows.describe = (second) => {
  const at = dyno.text(second.index < 0 ? 'windows.warmup' : 'windows.second', { second: second.index });
  const reasons = (second.why ?? []).map(dyno.finding).join('; ');
  return `${at} · ${dyno.text(`validity.${second.validity || 'valid'}`)}${reasons ? `: ${reasons}` : ''}`;
};

// table writes all figures of the trial for those who can't see charts.
dyno.windows.table = (trial) => {
  const holder = dyno.byId('windows-table');
  if (!trial) return holder.replaceChildren();
  const panels = ['client', 'server'].flatMap((end) => dyno.panels.of(end, trial));
  const columns = panels.flatMap((panel) => panel.lines.map(([key, label]) => ({ panel, key, name: dyno.text(`panel.${panel.name}`) + (label ? ` ${panel.named ? label : dyno.label(label)}` : '') })));
  const head = dyno.element('tr', {}, dyno.element('th', { scope: 'col' }, dyno.text('windows.table.second')), ...columns.map(({ name }) => dyno.element('th', { scope: 'col' }, name)));
  const body = trial.seconds.map((second) => dyno.element('tr', {}, dyno.element('th', { scope: 'row' }, String(second.index)),
    ...columns.map(({ panel, key }) => dyno.element('td', {}, dyno.quantity(panel.unit, dyno.panels.value(panel, second, key))))));
  holder.replaceChildren(dyno.element('table', {}, dyno.element('thead', {}, head), dyno.element('tbody', {}, ...body)));
};

dyno.windows.keys = (event) => {
  const last = (dyno.windows.trial()?.seconds.length ?? 0) - 1;
  if (last < 0) return;
  const at = dyno.windows.cursor;
  const to = { ArrowLeft: at === null ? last : Math.max(at - 1, 0), ArrowRight: at === null ? 0 : Math.min(at + 1, last), Home: 0, End: last, Escape: null }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  dyno.windows.point(to);
};

dyno.windows.start = () => {
  dyno.byId('windows-subject').addEventListener('change', ({ target }) => {
    const cell = Number(target.value);
    const trials = dyno.windows.trials(dyno.current().cells[cell]);
    const block = dyno.windows.trial()?.block;
    const same = trials.find((trial) => trial.block === block) ?? trials[0];
    dyno.windows.select(cell, same?.trial);
  });
  dyno.byId('windows-block').addEventListener('change', ({ target }) => dyno.windows.select(dyno.windows.selected.cell, Number(target.value)));
  dyno.byId('windows-previous').addEventListener('click', () => dyno.windows.step(-1));
  dyno.byId('windows-next').addEventListener('click', () => dyno.windows.step(1));
  dyno.byId('windows-charts').addEventListener('keydown', dyno.windows.keys);
  dyno.regrouped.push(dyno.windows.selectFirst);
  dyno.filter.changed.push(() => { if (dyno.windows.selected) dyno.windows.pickers(); });
  dyno.windows.selectFirst();
};
