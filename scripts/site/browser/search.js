import MiniSearch from 'minisearch';

const maxResults = 30;
const excerptLength = 160;
const { root } = document.documentElement.dataset;

/**
 * Opens the search dialog with the button, with / and with Ctrl+K. The records are loaded when the dialog opens for the
 * first time.
 */
export function enableSearch() {
  const dialog = document.querySelector('dialog.search');
  const input = dialog.querySelector('input');
  const open = async () => {
    dialog.showModal();
    input.select();
    try {
      await loadIndex();
    } catch (error) {
      dialog.querySelector('.status').textContent = error.message;
      return;
    }
    show(dialog, input.value);
  };
  document.querySelector('.search-open').addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    const isShortcut = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isShortcut || dialog.open) return;
    event.preventDefault();
    void open();
  });
  input.addEventListener('input', () => show(dialog, input.value));
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || target.closest('.results a') !== null) dialog.close();
  });
  dialog.addEventListener('keydown', (event) => moveFocus(event, dialog));
}

let index;
let loading;

/** Loads the records as a script, because a page that is opened from a disk cannot fetch files. */
function loadIndex() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${root}assets/search-records.js`;
    script.addEventListener('load', () => resolve(globalThis.flotillaSearchRecords));
    script.addEventListener('error', () => reject(new Error('could not load the search records')));
    document.head.append(script);
  }).then((records) => {
    index = new MiniSearch({
      idField: 'url',
      fields: ['title', 'page', 'text'],
      storeFields: ['url', 'title', 'page', 'text', 'weight'],
      searchOptions: {
        boost: { title: 5, page: 3 },
        boostDocument: (_id, _term, stored) => stored.weight,
        prefix: (term) => term.length > 1,
        fuzzy: (term) => (term.length > 4 ? 0.2 : false),
        combineWith: 'AND',
      },
    });
    index.addAll(records);
  });
  return loading;
}

function show(dialog, query) {
  if (index === undefined) return;
  const words = query.trim();
  const found = words === '' ? [] : index.search(words).slice(0, maxResults);
  const status = dialog.querySelector('.status');
  status.textContent = words === '' ? '' : found.length === 0 ? `No results for “${words}”` : countText(found.length);
  dialog.querySelector('.results').replaceChildren(...found.map(resultItem));
}

function countText(count) {
  return count === 1 ? '1 result' : `${count === maxResults ? 'First ' : ''}${count} results`;
}

function resultItem({ url, title, page, text, terms }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = `${root}${url}`;
  const heading = document.createElement('strong');
  heading.textContent = title;
  link.append(heading);
  if (page !== title) {
    const place = document.createElement('small');
    place.textContent = page;
    link.append(' ', place);
  }
  const excerpt = document.createElement('span');
  excerpt.append(...marked(excerptOf(text, terms), terms));
  link.append(excerpt);
  item.append(link);
  return item;
}

/** Returns the part of a text around the first match. */
function excerptOf(text, terms) {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 40);
  const from = places.length === 0 ? 0 : start;
  const part = text.slice(from, from + excerptLength);
  return `${from > 0 ? '…' : ''}${part}${from + excerptLength < text.length ? '…' : ''}`;
}

/** Returns the text with its matches as <mark> elements. */
function marked(text, terms) {
  const escaped = terms.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (escaped.length === 0) return [text];
  return text.split(new RegExp(`(${escaped.join('|')})`, 'gi')).map((part, position) => {
    if (position % 2 === 0) return part;
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
}

/** The arrow keys move between the input and the results; Enter in the input opens the first result. */
function moveFocus(event, dialog) {
  const stops = [dialog.querySelector('input'), ...dialog.querySelectorAll('.results a')];
  const position = stops.indexOf(document.activeElement);
  if (event.key === 'Enter' && position === 0) {
    event.preventDefault();
    stops[1]?.click();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || position < 0) return;
  event.preventDefault();
  stops[Math.min(Math.max(position + step, 0), stops.length - 1)].focus();
}
