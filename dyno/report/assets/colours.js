// The colours of the heat map: "lajolla" by Fabio Crameri (MIT licence), which
// is even in perceived steps and readable with any colour vision. Slow is the
// end that stands out from the page: dark on light, bright on dark.
'use strict';

dyno.heatColours = {
  stops: ['#191900', '#281f09', '#3a2513', '#512d1e', '#6e362d', '#8f403d', '#b34947', '#d0554c',
    '#de6b4f', '#e38050', '#e79452', '#eba853', '#f0bd57', '#f6d66d', '#fced9c', '#fffecb'],
};

dyno.heatColours.channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

// mix returns the colour at a share from 0 to 1 of the ramp.
dyno.heatColours.mix = (share) => {
  const { stops, channels } = dyno.heatColours;
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  const [a, b] = [channels(stops[low]), channels(stops[low + 1])];
  return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * (at - low))).join(',')})`;
};

// scale maps a figure to its colour, logarithmically between low and high.
dyno.heatColours.scale = (low, high) => {
  const span = Math.log(high / low);
  const dark = dyno.theme.name() === 'dark';
  return (value) => {
    const share = span > 0 ? Math.log(value / low) / span : 0.5;
    return dyno.heatColours.mix(dark ? 0.1 + 0.9 * share : 0.97 - 0.92 * share);
  };
};

// ramp shows the scale with its ends and middle, and the signs of a cell that are used.
dyno.heatColours.ramp = (element, { low, high, hatched, suspect }) => {
  const colour = dyno.heatColours.scale(low, high);
  const steps = 28;
  const at = (share) => low * (high / low) ** share;
  const strip = dyno.element('div', { class: 'strip', 'aria-hidden': 'true' });
  for (let i = 0; i < steps; i++) {
    const step = dyno.element('i');
    step.style.background = colour(at(i / (steps - 1)));
    strip.append(step);
  }
  const labels = dyno.element('div', { class: 'ends' });
  for (const share of [0, 0.5, 1]) labels.append(dyno.element('span', {}, dyno.quantity('µs', at(share))));
  const scale = dyno.element('div', { class: 'steps' }, strip, labels);
  element.replaceChildren(dyno.element('span', { class: 'name' }, dyno.text('heat.colour')), scale);
  const sign = (name) => element.append(dyno.element('span', {}, dyno.element('i', { class: `sign ${name}` }), dyno.text(`heat.${name}`)));
  if (suspect) sign('suspect');
  if (hatched) sign('excluded');
};
