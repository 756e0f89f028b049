// Filtering by language, role and rank, for runs of very many subjects. What is chosen
// stands in the page's address behind the section, "#ranking?language=go&rank=5", so that
// it can be kept and passed on.
'use strict';

// few is how many subjects are shown beside each other; many.go has the same figure.
dyno.few = 10;

dyno.many = (group) => (group?.cells.length ?? 0) > dyno.few;

dyno.filter = { languages: new Set(), role: '', rank: 0, best: false, changed: [] };

dyno.filter.form = () => dyno.byId('filter');

dyno.filter.active = () => {
  const { languages, role, rank, best } = dyno.filter;
  return languages.size > 0 || role !== '' || rank > 0 || best;
};

// lets says whether a cell's subject is let through, whatever its rank.
dyno.filter.lets = (cell) => {
  const { languages, role } = dyno.filter;
  return (languages.size === 0 || languages.has(cell.language)) && (role === '' || cell.role === role);
};

dyno.filter.ranked = (cell) => dyno.filter.rank === 0 || Number.parseInt(cell.rank, 10) <= dyno.filter.rank;

// bests are the best cells of each language among those given, which are best first.
dyno.filter.bests = (cells) => {
  const seen = new Set(['']);
  return cells.filter(({ language, rank }) => {
    if (seen.has(language) || Number.isNaN(Number.parseInt(rank, 10))) return false;
    seen.add(language);
    return true;
  });
};

// shown are a group's cells that are let through, best first.
dyno.shown = (group) => {
  const cells = (group?.cells ?? []).filter(dyno.filter.lets);
  return (dyno.filter.best ? dyno.filter.bests(cells) : cells).filter(dyno.filter.ranked);
};

// nothing says why a chart shows no subject: there is none, or all are filtered out.
dyno.nothing = (all, chart) => dyno.text(all.length > 0 ? 'filter.none' : `empty.${chart}`);

// rows hides the rows of subjects that are not let through.
dyno.filter.rows = () => {
  const all = new Set(dyno.data.groups.flatMap(({ cells }) => cells.filter(dyno.filter.lets)).map(({ subject }) => subject));
  const groups = dyno.data.groups.map((group) => new Set(dyno.shown(group).map(({ subject }) => subject)));
  for (const row of document.querySelectorAll('tr[data-subject]')) {
    const table = row.closest('table');
    if (table.classList.contains('languages')) continue;
    const names = groups[table.dataset.group] ?? all;
    row.hidden = !names.has(row.dataset.subject);
  }
  for (const table of document.querySelectorAll('table.languages')) dyno.languages.rank(table, dyno.data.groups[table.dataset.group]);
};

// note says how many subjects are shown, where they are chosen and beside the charts.
dyno.filter.note = () => {
  const group = dyno.current();
  const text = dyno.text('filter.status', { shown: dyno.shown(group).length, all: group?.cells.length ?? 0 });
  dyno.byId('filter-status').textContent = text;
  dyno.byId('filter-link').textContent = dyno.filter.active() ? text : dyno.text('filter.link');
  const chosen = [...dyno.filter.languages];
  dyno.byId('filter-languages').textContent = chosen.length ? chosen.join(dyno.text('comma')) : dyno.text('filter.all');
};

dyno.filter.apply = () => {
  dyno.filter.rows();
  dyno.filter.note();
  for (const redraw of dyno.filter.changed) redraw();
};

// fromForm reads what is chosen; toForm shows it.
dyno.filter.fromForm = () => {
  const data = new FormData(dyno.filter.form());
  dyno.filter.set(data.getAll('language'), data.get('role'), data.get('rank'), data.get('best'));
};

dyno.filter.toForm = () => {
  const { elements } = dyno.filter.form();
  for (const box of dyno.filter.form().querySelectorAll('[name="language"]')) box.checked = dyno.filter.languages.has(box.value);
  if (elements.role) elements.role.value = dyno.filter.role;
  elements.rank.value = dyno.filter.rank || '';
  if (elements.best) elements.best.checked = dyno.filter.best;
};

// set takes what is chosen as texts; what the page doesn't offer is left out.
dyno.filter.set = (languages, role, rank, best) => {
  const offers = (name, value) => [...dyno.filter.form().querySelectorAll(`[name="${name}"], [name="${name}"] option`)].some((each) => each.value === value);
  dyno.filter.languages = new Set(languages.filter((language) => offers('language', language)));
  dyno.filter.role = role && offers('role', role) ? role : '';
  dyno.filter.rank = rank && offers('rank', rank) ? Number(rank) : 0;
  dyno.filter.best = Boolean(best) && offers('best', '1');
};

// address is the page's fragment: the section, and what is chosen.
dyno.filter.address = () => {
  const [section, query] = location.hash.slice(1).split('?');
  return { section, query };
};

dyno.filter.fromAddress = () => {
  const { section, query } = dyno.filter.address();
  const chosen = new URLSearchParams(query);
  dyno.filter.set(chosen.getAll('language'), chosen.get('role'), chosen.get('rank'), chosen.get('best'));
  dyno.filter.toForm();
  dyno.filter.apply();
  dyno.byId(section)?.scrollIntoView();
};

dyno.filter.toAddress = () => {
  const chosen = new URLSearchParams();
  for (const language of dyno.filter.languages) chosen.append('language', language);
  for (const name of ['role', 'rank', 'best']) {
    if (dyno.filter[name]) chosen.append(name, dyno.filter[name] === true ? '1' : dyno.filter[name]);
  }
  const { section } = dyno.filter.address();
  const query = chosen.toString();
  history.replaceState(null, '', `#${section || 'ranking'}${query && `?${query}`}`);
};

dyno.filter.chosen = () => {
  dyno.filter.fromForm();
  dyno.filter.toAddress();
  dyno.filter.apply();
};

dyno.filter.start = () => {
  const form = dyno.filter.form();
  if (!form) return;
  form.hidden = false;
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', dyno.filter.chosen);
  form.addEventListener('reset', () => setTimeout(dyno.filter.chosen));
  dyno.regrouped.push(dyno.filter.note);
  window.addEventListener('hashchange', () => {
    if (dyno.filter.address().query !== undefined) dyno.filter.fromAddress();
    else if (dyno.filter.active()) dyno.filter.toAddress(); // another section, the same subjects
  });
  if (dyno.filter.address().query !== undefined) dyno.filter.fromAddress();
  else dyno.filter.note();
};
