// Light and dark. The colours live in report.css; charts read them from there.
'use strict';

dyno.theme = {
  root: document.documentElement,
  dark: window.matchMedia('(prefers-color-scheme: dark)'),
  changed: [], // functions to call when colours change
};

dyno.theme.name = () => dyno.theme.root.dataset.theme ?? (dyno.theme.dark.matches ? 'dark' : 'light');

// colours reads the colours the charts need.
dyno.theme.colours = () => {
  const style = getComputedStyle(dyno.theme.root);
  const value = (name) => style.getPropertyValue(name).trim();
  return {
    text: value('--text'), muted: value('--muted'), line: value('--line'), surface: value('--surface'),
    page: value('--page'), accent: value('--accent'), shade: value('--shade'), hatch: value('--hatch'), excluded: value('--excluded'),
    font: getComputedStyle(document.body).fontFamily,
    series: Array.from({ length: 8 }, (_, i) => value(`--series-${i + 1}`)),
  };
};

// subject is the colour of a subject by its place in the study, the same in all charts.
dyno.theme.subject = (colours, index) => colours.series[Math.max(index, 0) % colours.series.length];

dyno.theme.set = (name) => {
  dyno.theme.root.dataset.theme = name;
  try { localStorage.setItem('dyno-theme', name); } catch { /* a file may have no storage */ }
  dyno.theme.apply();
};

dyno.theme.apply = () => {
  const button = dyno.byId('theme');
  button.textContent = dyno.text(dyno.theme.name() === 'dark' ? 'theme.light' : 'theme.dark');
  for (const swatch of document.querySelectorAll('.swatch[data-colour]')) {
    swatch.style.background = dyno.theme.subject(dyno.theme.colours(), Number(swatch.dataset.colour));
  }
  for (const redraw of dyno.theme.changed) redraw();
};

// Printed pages are light, whatever the screen was, and their charts are those
// of the screen, scaled to the paper.
dyno.theme.print = () => {
  let before;
  window.addEventListener('beforeprint', () => {
    before = dyno.theme.root.dataset.theme;
    dyno.theme.root.dataset.theme = 'light';
    dyno.theme.apply();
    for (const svg of document.querySelectorAll('.chart svg')) {
      svg.setAttribute('viewBox', `0 0 ${svg.getAttribute('width')} ${svg.getAttribute('height')}`);
    }
  });
  window.addEventListener('afterprint', () => {
    if (before) dyno.theme.root.dataset.theme = before;
    else delete dyno.theme.root.dataset.theme;
    dyno.theme.apply();
  });
};

dyno.theme.start = () => {
  try {
    const kept = localStorage.getItem('dyno-theme');
    if (kept === 'light' || kept === 'dark') dyno.theme.root.dataset.theme = kept;
  } catch { /* a file may have no storage */ }
  const button = dyno.byId('theme');
  button.hidden = false;
  button.addEventListener('click', () => dyno.theme.set(dyno.theme.name() === 'dark' ? 'light' : 'dark'));
  dyno.theme.dark.addEventListener('change', dyno.theme.apply);
  dyno.theme.print();
  dyno.theme.apply();
};
