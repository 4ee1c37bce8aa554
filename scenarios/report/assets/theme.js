'use strict';

// theme holds the colours of the page that are not of data, from its style sheet: those of
// the system's choice, light or dark, and light on paper.
const theme = {};
const lightInk = '#1d232c'; // the ink of charts that come with the page

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['paper', 'ink', 'soft', 'line', 'grid', 'pale', 'edge', 'fine']) theme[name] = style.getPropertyValue('--' + name).trim();
}

// inked is a colour of a chart in this theme.
const inked = (color) => (color === lightInk ? theme.ink : color);

// followTheme redraws when the system changes between light and dark, and in light on paper.
function followTheme(redraw) {
  const changed = () => { readTheme(); redraw(); };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
  for (const [event, paper] of [['beforeprint', true], ['afterprint', false]]) {
    addEventListener(event, () => { document.documentElement.classList.toggle('on-paper', paper); changed(); });
  }
}
