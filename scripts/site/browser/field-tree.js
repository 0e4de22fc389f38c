/** Adds buttons that open and close all fields of a kind. */
export function enableFieldTree() {
  const tree = document.querySelector('.tree');
  if (tree === null) return;
  const bar = document.createElement('div');
  bar.className = 'tree-buttons';
  for (const [label, open] of [
    ['Expand all', true],
    ['Collapse all', false],
  ]) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'plain';
    button.textContent = label;
    button.addEventListener('click', () => {
      for (const details of tree.querySelectorAll('details')) details.open = open;
    });
    bar.append(button);
  }
  tree.before(bar);
  openTarget();
  addEventListener('hashchange', openTarget);
}

/** Opens the field that the fragment of the address names, and all fields that contain it. */
function openTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id === '' ? null : document.getElementById(id);
  if (target === null) return;
  for (let element = target.firstElementChild; element !== null; element = element.parentElement) {
    if (element.tagName === 'DETAILS') element.open = true;
  }
  target.scrollIntoView({ block: 'start' });
}
