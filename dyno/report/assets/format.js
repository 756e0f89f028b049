// Figures with units, written as number.go writes them.
'use strict';

dyno.scales = {
  'µs': [[1, 'µs'], [1e3, 'ms'], [1e6, 's']],
  'µs/req': [[1, 'µs'], [1e3, 'ms'], [1e6, 's']],
  'req/s': [[1, 'req/s'], [1e3, 'k req/s'], [1e6, 'M req/s']],
  'bytes': [[1, 'B'], [1024, 'KiB'], [1048576, 'MiB'], [1073741824, 'GiB']],
  'count': [[1, ''], [1e3, 'k'], [1e6, 'M']],
  '×': [[1, '×']],
  '%': [[1, '%']],
  'threads': [[1, '']],
  'files': [[1, '']],
  'switches/req': [[1, '']],
};

// number writes x with the given significant digits and never an exponent.
dyno.number = (x, digits = 3) => {
  if (!Number.isFinite(x)) return '–';
  const rounded = Number(x.toPrecision(digits));
  if (rounded === 0) return '0';
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(rounded)));
  return rounded.toFixed(Math.min(Math.max(decimals, 0), 100));
};

// scale picks what a figure of the unit is written in: [divisor, suffix].
dyno.scale = (unit, x) => {
  const steps = dyno.scales[unit] ?? [[1, unit]];
  const size = Math.abs(Number(x.toPrecision(3)));
  return steps.reduce((best, step) => (size >= step[0] ? step : best), steps[0]);
};

// join puts a figure and its unit together; the space doesn't break.
dyno.join = (figure, suffix) => {
  const [prefix, rest] = suffix.includes(' ') ? suffix.split(' ') : ['', suffix];
  if (['×', '', 'k', 'M'].includes(rest)) return figure + rest;
  return `${figure}${prefix}\u00a0${rest}`;
};

// quantity writes a figure with its unit: "8.50 µs", "81.2k req/s".
dyno.quantity = (unit, x) => {
  if (x === null || x === undefined) return '–';
  if (unit === 'count' && Math.abs(x) < 1000) return String(Math.round(x));
  if (['threads', 'files'].includes(unit) && Number.isInteger(x)) return String(x);
  const [by, suffix] = dyno.scale(unit, x);
  return dyno.join(dyno.number(x / by), suffix);
};

// tick writes a figure for an axis: as short as it can be.
dyno.tick = (unit, x) => {
  if (x === 0) return '0';
  const [by, suffix] = dyno.scale(unit, x);
  const figure = String(Number((x / by).toPrecision(3)));
  return unit === 'req/s' ? figure + suffix.replace(/ ?req\/s$/, '') : dyno.join(figure, suffix);
};

// interval writes an estimate and its interval: "8.50 µs (95 %: 8.10–8.90)".
dyno.interval = (unit, it) => {
  const [by, suffix] = dyno.scale(unit, it.estimate);
  let digits = 3;
  const ends = () => [dyno.number(it.low / by, digits), dyno.number(it.high / by, digits)];
  while (digits < 5 && it.low !== it.high && ends()[0] === ends()[1]) digits++;
  const estimate = dyno.join(dyno.number(it.estimate / by, digits), suffix);
  if (it.n < 2) return estimate;
  const level = it.level > 0 ? `${Math.round(it.level * 1000) / 10}\u00a0%: ` : '';
  return `${estimate} (${level}${ends().join('–')})`;
};
