// Starts everything, in the order of the page.
'use strict';

dyno.copy = () => {
  const button = dyno.byId('copy');
  if (!button) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const command = dyno.byId('command');
    try {
      await navigator.clipboard.writeText(command.textContent);
    } catch { // no permission: select it, so that the reader can copy it
      getSelection().selectAllChildren(command);
      document.execCommand('copy');
    }
    button.textContent = dyno.text('copied');
    setTimeout(() => { button.textContent = dyno.text('copy'); }, 2000);
  });
};

dyno.start = () => {
  dyno.theme.start();
  dyno.ranking.start();
  dyno.intervals.start();
  dyno.percentiles.start();
  dyno.heat.start();
  dyno.windows.start();
  dyno.interactions.start();
  dyno.copy();
  dyno.theme.changed.push(dyno.redrawCharts);
  dyno.regrouped.push(dyno.redrawCharts);
  dyno.filter.start();
  dyno.byId('group')?.addEventListener('change', ({ target }) => dyno.pickGroup(Number(target.value)));
  document.documentElement.dataset.ready = 'true';
};

dyno.start();
