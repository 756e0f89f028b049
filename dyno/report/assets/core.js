// What all scripts of the report share: its data, its texts, making elements,
// and the group of results that the charts show.
'use strict';

const dyno = {
  data: JSON.parse(document.getElementById('data').textContent),
  group: 0,
  regrouped: [], // functions to call when another group is picked
};

// text returns the text of a key with each {name} replaced from values.
dyno.text = (key, values = {}) => {
  const text = dyno.data.text[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
};

// count picks between the texts KEY.one and KEY.other.
dyno.count = (key, n) => dyno.text(key + (n === 1 ? '.one' : '.other'), { n });

// label is the text of a key, or the key itself where it needs no translation, as "p99".
dyno.label = (key) => dyno.data.text[key] ?? key;

// finding returns what a finding is called.
dyno.finding = (name) => dyno.data.text['finding.' + name] ?? name;

// element makes an element; strings among its children become text, never markup.
dyno.element = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
};

dyno.byId = (id) => document.getElementById(id);

// current is the group picked, or null if the run has none.
dyno.current = () => dyno.data.groups[dyno.group] ?? null;

dyno.pickGroup = (index) => {
  dyno.group = index;
  for (const redraw of dyno.regrouped) redraw();
};

// rows turns a cell's columns of seconds into one object a second.
dyno.rows = (cell) => {
  const columns = Object.entries(cell.seconds);
  const length = cell.seconds.trial?.length ?? 0;
  return Array.from({ length }, (_, i) => Object.fromEntries(columns.map(([name, column]) => [name, column[i]])));
};

// counted reports whether a second counts: measured, not invalid, and of a trial that is used.
dyno.counted = (cell, second) =>
  second.index >= 0 && second.validity !== 'invalid' && cell.trials.includes(second.trial);
