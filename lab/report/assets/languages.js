// The table of languages when some subjects are filtered out: another framework may then be
// the best of its language. Ranks follow from who is better beyond doubt than whom.
'use strict';

dyno.languages = {};

// places ranks the best of each language: [{cell, rank, label, alike}], best first.
dyno.languages.places = (group, cells) => {
  const bests = dyno.filter.bests(cells);
  const index = (cell) => group.cells.indexOf(cell);
  const places = bests.map((cell) => ({
    cell,
    rank: 1 + bests.filter((other) => cell.behind.includes(index(other))).length,
    alike: cells.filter((other) => other !== cell && other.language === cell.language
      && Number.parseInt(other.rank, 10) > 0 && !other.behind.includes(index(cell))).map(({ subject }) => subject),
  }));
  for (const place of places) {
    const shared = places.some((other) => other !== place && other.rank === place.rank);
    place.label = `${place.rank}${shared ? '=' : ''}`;
  }
  return places.sort((a, b) => a.rank - b.rank);
};

// rank puts the table's rows into their order and hides those that have no place.
dyno.languages.rank = (table, group) => {
  const rows = new Map([...table.tBodies[0].rows].map((row) => [row.dataset.subject, row]));
  for (const row of rows.values()) row.hidden = true;
  for (const { cell, rank, label, alike } of dyno.languages.places(group, group.cells.filter(dyno.filter.lets))) {
    const row = rows.get(cell.subject);
    if (!row) continue;
    row.hidden = dyno.filter.rank > 0 && rank > dyno.filter.rank;
    row.querySelector('.rank').textContent = label;
    row.querySelector('.alike').textContent = alike.length ? dyno.text('languages.alike', { subjects: alike.join(dyno.text('comma')) }) : '';
    table.tBodies[0].append(row);
  }
};
