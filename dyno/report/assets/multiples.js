// Small multiples of the response times by percentile: with very many subjects, a panel
// for each on the same scales, before the range of all. They are plain SVG, coloured by
// report.css: forty charts of the library would take seconds to draw.
'use strict';

dyno.multiples = { height: 128, margin: { left: 46, right: 22, top: 8, bottom: 20 }, marks: [50, 99, 99.99], width: 0 };

dyno.multiples.holder = () => dyno.byId('percentiles-multiples');

dyno.multiples.svg = (tag, attributes, ...children) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

// scales are those of all panels of a width: x of a count of nines, y of a time, and
// their marks.
dyno.multiples.scales = (cells, width) => {
  const { height, margin, marks } = dyno.multiples;
  const { nines, clock } = dyno.percentiles;
  const points = cells.flatMap((cell) => cell[clock]);
  const last = Math.max(...points.map(([p]) => nines(p)), 1);
  const [low, high] = [Math.min(...points.map(([, us]) => us)), Math.max(...points.map(([, us]) => us))].map(Math.log10);
  const bottom = height - margin.bottom;
  const round = (px) => Math.round(px * 10) / 10;
  const x = (at) => round(margin.left + (at / last) * (width - margin.left - margin.right));
  const y = (us) => round(bottom - ((Math.log10(us) - low) / Math.max(high - low, 0.1)) * (bottom - margin.top));
  const step = Math.ceil((high - low) / 4); // decades between marks, so that these keep apart
  const times = [];
  for (let power = Math.ceil(low - 1e-9); power <= high + 1e-9; power += step) times.push(10 ** power);
  return { x, y, bottom, width, times, percentiles: marks.map(nines).filter((at) => at <= last + 1e-9) };
};

dyno.multiples.axes = ({ x, y, bottom, width, times, percentiles }) => {
  const { svg, margin } = dyno.multiples;
  return [
    ...times.flatMap((us) => [
      svg('path', { class: 'grid', d: `M${margin.left} ${y(us)}H${width - margin.right}` }),
      svg('text', { x: margin.left - 6, y: y(us) + 4, 'text-anchor': 'end' }, dyno.tick('µs', us)),
    ]),
    ...percentiles.flatMap((at) => [
      svg('path', { class: 'tick', d: `M${x(at)} ${bottom}v4` }),
      svg('text', { x: x(at), y: bottom + 16, 'text-anchor': 'middle' }, dyno.percentiles.name(at)),
    ]),
  ];
};

// band is the range from the fastest to the slowest at each percentile that most have.
dyno.multiples.band = (cells, { x, y }) => {
  const points = new Map();
  for (const cell of cells) {
    for (const [p, us] of cell[dyno.percentiles.clock]) points.set(p, [...(points.get(p) ?? []), us]);
  }
  const range = [...points].filter(([, times]) => times.length > cells.length / 2).sort(([a], [b]) => a - b)
    .map(([p, times]) => [x(dyno.percentiles.nines(p)), y(Math.min(...times)), y(Math.max(...times))]);
  return [...range.map(([at, fastest]) => `${at} ${fastest}`), ...range.toReversed().map(([at, , slowest]) => `${at} ${slowest}`)].join(' ');
};

dyno.multiples.line = (cell, { x, y }, name) => dyno.multiples.svg('path', { class: name,
  d: cell[dyno.percentiles.clock].map(([p, us], i) => `${i ? 'L' : 'M'}${x(dyno.percentiles.nines(p))} ${y(us)}`).join('') });

// panel is a subject's name, its p99, and its line before the range of all.
dyno.multiples.panel = (cell, reference, band, scales) => {
  const { svg, height } = dyno.multiples;
  const p99 = cell.estimates['response.p99'];
  const picture = svg('svg', { viewBox: `0 0 ${scales.width} ${height}`, role: 'img', 'aria-label': `${dyno.text('percentiles.panel')} ${cell.subject}` },
    svg('polygon', { class: 'band', points: band }), ...dyno.multiples.axes(scales));
  if (reference && reference !== cell) picture.append(dyno.multiples.line(reference, scales, 'reference'));
  picture.append(dyno.multiples.line(cell, scales, 'line'));
  return dyno.element('div', { class: 'multiple' },
    dyno.element('p', {}, dyno.element('b', {}, cell.subject), p99 ? dyno.element('span', {}, `p99 ${dyno.quantity('µs', p99.estimate)}`) : ''), picture);
};

// draw makes a panel for each subject that is shown, none if there are few.
dyno.multiples.draw = () => {
  const holder = dyno.multiples.holder();
  const group = dyno.current();
  holder.hidden = !dyno.many(group);
  if (holder.hidden) return holder.replaceChildren();
  const known = (cells) => cells.filter((cell) => cell[dyno.percentiles.clock].length > 0);
  const all = known(group.cells);
  const shown = known(dyno.shown(group));
  dyno.multiples.width = holder.clientWidth;
  if (shown.length === 0) return holder.replaceChildren(dyno.element('p', { class: 'message' }, dyno.nothing(all, 'percentiles')));
  const column = Number.parseFloat(getComputedStyle(holder).gridTemplateColumns);
  const scales = dyno.multiples.scales(all, Math.floor(column) || 200);
  const band = dyno.multiples.band(all, scales);
  const reference = all.find(({ subject }) => subject === dyno.data.reference);
  return holder.replaceChildren(...shown.map((cell) => dyno.multiples.panel(cell, reference, band, scales)));
};

dyno.multiples.start = () => {
  new ResizeObserver(() => {
    if (dyno.multiples.holder().clientWidth !== dyno.multiples.width) dyno.multiples.draw();
  }).observe(dyno.multiples.holder());
  dyno.filter.changed.push(dyno.multiples.draw);
  dyno.percentiles.arrange();
};
