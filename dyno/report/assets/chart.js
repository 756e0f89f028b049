// One chart on the page: redrawn when its data, the theme or its width
// changes, or replaced by a message when there is nothing to draw.
'use strict';

dyno.charts = [];
dyno.manyShapes = 6000;

// chart ties an element to a function build(colours, width) that returns
// {option, height, width, shapes} or {message}. Sizes are in px; width is only for
// charts that may be wider than the page and scroll. Charts of very many shapes are
// drawn on a canvas, others as SVG, which prints sharply.
dyno.chart = (element, build) => {
  const chart = { element, build, instance: null, width: 0 };
  chart.draw = () => dyno.drawChart(chart);
  chart.dispose = () => {
    dyno.observer.unobserve(element.parentElement);
    chart.instance?.dispose();
    dyno.charts.splice(dyno.charts.indexOf(chart), 1);
  };
  dyno.charts.push(chart);
  dyno.observer.observe(element.parentElement);
  chart.draw();
  return chart;
};

dyno.drawChart = (chart) => {
  const { element } = chart;
  chart.width = element.parentElement.clientWidth;
  const { option, height, width, shapes, message } = chart.build(dyno.theme.colours(), chart.width);
  if (message) {
    chart.instance?.dispose();
    chart.instance = null;
    element.style.height = element.style.width = '';
    element.replaceChildren(dyno.element('p', { class: 'message' }, message));
    return;
  }
  element.style.height = `${height}px`;
  element.style.width = width ? `${width}px` : '';
  const renderer = shapes > dyno.manyShapes ? 'canvas' : 'svg';
  if (chart.instance && chart.renderer !== renderer) {
    chart.instance.dispose();
    chart.instance = null;
  }
  if (!chart.instance) {
    element.replaceChildren();
    chart.instance = echarts.init(element, null, { renderer });
    chart.renderer = renderer;
    chart.started?.(chart.instance);
  }
  chart.instance.resize();
  chart.instance.setOption({ animation: false, ...option }, { notMerge: true });
};

dyno.observer = new ResizeObserver(() => {
  for (const chart of dyno.charts) {
    if (chart.element.parentElement.clientWidth !== chart.width) chart.draw();
  }
});

dyno.redrawCharts = () => {
  for (const chart of dyno.charts) chart.draw();
};

// started runs a function on the chart's instance, now and whenever there is a new one.
dyno.onInstance = (chart, start) => {
  chart.started = start;
  if (chart.instance) start(chart.instance);
};

// axis is the look of an axis that stays in the background.
dyno.axis = (colours, more = {}) => ({
  axisLine: { show: false },
  axisTick: { show: false },
  splitLine: { lineStyle: { color: colours.line } },
  nameTextStyle: { color: colours.muted, fontFamily: colours.font },
  ...more,
  axisLabel: { color: colours.muted, fontFamily: colours.font, fontSize: 12, hideOverlap: true, ...more.axisLabel },
});

// tooltip is the look of all tooltips; contents are elements, so names can't be markup.
dyno.tooltip = (colours, more = {}) => ({
  confine: true,
  transitionDuration: 0,
  backgroundColor: colours.surface,
  borderColor: colours.line,
  padding: [8, 12],
  textStyle: { color: colours.text, fontFamily: colours.font, fontSize: 13 },
  extraCssText: 'box-shadow: 0 2px 8px rgb(0 0 0 / .12); border-radius: 4px; max-width: 320px; white-space: normal;',
  ...more,
});

// tip is a tooltip's content: a title and lines of [name, value].
dyno.tip = (title, lines, note) => {
  const tip = dyno.element('div', { class: 'tip' }, dyno.element('strong', {}, title));
  const list = dyno.element('dl');
  for (const [name, value] of lines) list.append(dyno.element('dt', {}, name), dyno.element('dd', {}, value));
  tip.append(list);
  if (note) tip.append(dyno.element('p', {}, note));
  return tip;
};

// labelWidth is the room for the longest name, at most a share of the width.
dyno.labelWidth = (names, width, share) => {
  const longest = Math.max(...names.map((name) => name.length), 4);
  return Math.round(Math.min(longest * 7.2 + 8, width * share));
};
