// The table of languages when some subjects are filtered out: another framework may then be
// the best of its language. Ranks follow from who is better beyond doubt than whom.
'use strict';

dyno.languages = {};

// places ranks the best of each language, in the order of the estimates: [{cell, rank, label,
// alike}], where the label is the interval of ranks.
dyno.languages.places = (group, cells) => {
  const bests = dyno.filter.bests(cells);
  const index = (cell) => group.cells.indexOf(cell);
  const behind = (cell, other) => cell.behind.includes(index(other));
  return bests.map((cell) => {
    const rank = 1 + bests.filter((other) => behind(cell, other)).length;
    const last = bests.length - bests.filter((other) => behind(other, cell)).length;
    return {
      cell,
      rank,
      label: last > rank ? `${rank}–${last}` : `${rank}`,
      alike: cells.filter((other) => other !== cell && other.language === cell.language
        && Number.parseInt(other.rank, 10) > 0 && !behind(other, cell)).map(({ subject }) => subject),
    };
  });
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
