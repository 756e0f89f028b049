// Sorting the ranking tables by a click or a key press on a heading.
'use strict';

dyno.ranking = {};

dyno.ranking.value = (row, column) => {
  const { value } = row.cells[column].dataset;
  if (value === undefined) return null;
  return value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
};

dyno.ranking.compare = (a, b) => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b));
};

// sort orders the rows by a column; rows without a value stay last.
dyno.ranking.sort = (table, column) => {
  const heads = [...table.tHead.rows[0].cells];
  const ascending = heads[column].getAttribute('aria-sort') !== 'ascending';
  for (const head of heads) head.removeAttribute('aria-sort');
  heads[column].setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
  const keyed = [...table.tBodies[0].rows].map((row) => ({ row, key: dyno.ranking.value(row, column) }));
  keyed.sort((x, y) => {
    if (x.key === null || y.key === null) return (x.key === null) - (y.key === null);
    return (ascending ? 1 : -1) * dyno.ranking.compare(x.key, y.key);
  });
  table.tBodies[0].append(...keyed.map(({ row }) => row));
};

dyno.ranking.start = () => {
  for (const table of document.querySelectorAll('table.sortable')) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.querySelector('button').addEventListener('click', () => dyno.ranking.sort(table, column));
    });
  }
};
