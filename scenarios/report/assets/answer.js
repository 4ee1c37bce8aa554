'use strict';

// connectAnswer makes the causes and the changes of the answer work, and the line of contents.
function connectAnswer() {
  for (const button of document.querySelectorAll('[data-waits]')) {
    button.addEventListener('click', () => goToWait(button.dataset.waits.split(',').map(Number)));
    button.disabled = !overlapsim.gantts.length;
  }
  for (const button of document.querySelectorAll('[data-copy]')) button.addEventListener('click', () => copyText(button));
  const links = [...document.querySelectorAll('.contents a')], sections = links.map((a) => document.getElementById(a.hash.slice(1)));
  const mark = () => {
    const at = sections.findLastIndex((s) => s.getBoundingClientRect().top < innerHeight / 3);
    links.forEach((a, i) => (i === at ? a.setAttribute('aria-current', 'true') : a.removeAttribute('aria-current')));
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
  if (sections.some((s) => s.id === decodeURIComponent(location.hash.slice(1)))) document.getElementById(decodeURIComponent(location.hash.slice(1))).scrollIntoView();
}

// goToWait shows the longest wait in one of some terms.
function goToWait(terms) {
  const [found] = longestWaits((term) => terms.includes(term), 1);
  if (found) show(found.gantt, found.lane, found.span);
  else pinned().scrollIntoView({ block: 'center' });
  if (!found) tellPinned({ said: 'No rank waits for this in the timeline', when: '', rows: [] }, null);
}

// copyText puts a command into the clipboard: its text is selected, and the browser copies it. The newer way asks for a permission, which a
// page on a disk may not get.
function copyText(button) {
  const text = button.dataset.copy, said = button.textContent, box = document.body.appendChild(document.createElement('textarea'));
  box.value = text;
  box.style.cssText = 'position:fixed;top:0;opacity:0'; // in the window, so that the page stays where it is
  box.select();
  const done = document.execCommand('copy');
  box.remove();
  if (!done) navigator.clipboard?.writeText(text).catch(() => {});
  overlapsim.copied = text;
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = said; }, 1500);
}
