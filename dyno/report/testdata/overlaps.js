// The texts of the page that lie on each other, as far as they can be seen: "a / b".
(() => {
  const shown = new Map(); // element → what of it its ancestors let through
  const clip = (element) => {
    if (!shown.has(element)) {
      const above = element.parentElement && element !== document.body ? clip(element.parentElement) : { left: 0, top: 0, right: innerWidth, bottom: Infinity };
      const box = element.getBoundingClientRect();
      const hides = getComputedStyle(element).overflowX !== 'visible' && element !== document.body;
      shown.set(element, hides ? { left: Math.max(above.left, box.left), top: Math.max(above.top, box.top),
        right: Math.min(above.right, box.right), bottom: Math.min(above.bottom, box.bottom) } : above);
    }
    return shown.get(element);
  };
  const texts = [];
  const add = (node, element, box) => {
    const to = clip(element);
    const seen = { left: Math.max(box.left, to.left), right: Math.min(box.right, to.right), top: Math.max(box.top, to.top), bottom: Math.min(box.bottom, to.bottom) };
    if (seen.right - seen.left > 1 && seen.bottom - seen.top > 1) texts.push({ node, text: node.textContent.trim(), ...seen });
  };
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest('.unseen, noscript, option') || !element.checkVisibility()) continue;
    if (element.closest('svg')) {
      add(node, element, element.getBoundingClientRect());
      continue;
    }
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) add(node, element, box);
  }
  texts.sort((a, b) => a.top - b.top);
  const found = [];
  for (let i = 0; i < texts.length; i++) {
    const a = texts[i];
    for (let j = i + 1; j < texts.length && texts[j].top < a.bottom - 3; j++) {
      const b = texts[j];
      if (a.node !== b.node && b.left < a.right - 1 && a.left < b.right - 1) found.push(`${a.text} / ${b.text}`);
    }
  }
  return { texts: texts.length, found: found.slice(0, 20) };
})()
