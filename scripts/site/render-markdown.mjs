import { dirname, join } from 'node:path';
import { Marked } from 'marked';
import { anchorsOfPage } from '../docs/markdown.mjs';
import { escapeHtml, relativeUrl } from './html.mjs';

/**
 * Renders a Markdown file of the project. `targets` maps project paths to site paths, and `titles` to the titles of pages.
 * Returns the HTML, the title, the headings with their anchors, the text of each section for the search, and problems.
 */
export function renderMarkdown(text, { path, targets, titles }) {
  const problems = [];
  const headings = [];
  const nextAnchor = anchorsOfPage();
  const site = targets.get(path);
  const marked = new Marked({ gfm: true });

  const projectPath = (href) => join(dirname(path), href.split('#')[0]).replace(/\/$/, '');

  /** Returns the address in the site for a link. A link to another site keeps its address. */
  const addressOf = (href) => {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
    const [target, heading] = href.split('#');
    const found = targets.get(projectPath(href));
    if (found === undefined) problems.push(`${path}: the site has no page for the link ${href}`);
    const address = relativeUrl(site, found ?? target);
    return heading === undefined ? address : `${address}#${heading}`;
  };

  marked.use({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        const id = nextAnchor(heading.trim());
        const title = plainText(tokens);
        headings.push({ depth, id, title });
        const content = this.parser.parseInline(tokens);
        const label = escapeHtml(`Link to “${title}”`);
        const link = depth === 1 ? '' : `<a class="anchor" href="#${id}" aria-label="${label}">#</a>`;
        return `<h${depth} id="${id}">${content}${link}</h${depth}>\n`;
      },
      link({ href, tokens, text: label }) {
        // Replace a label that is a file name by the title of the page, because the site does not contain the Markdown
        // file.
        const title = /^[\w./-]+\.md$/.test(label) ? titles.get(projectPath(href)) : undefined;
        const content = title === undefined ? this.parser.parseInline(tokens) : escapeHtml(title);
        return `<a href="${escapeHtml(addressOf(href))}">${content}</a>`;
      },
      image({ href, text: description }) {
        return `<img src="${escapeHtml(addressOf(href))}" alt="${escapeHtml(description)}" loading="lazy">`;
      },
      code({ text: code, lang }) {
        // Use only the first word, the language. The words after it are for the tests of the guides.
        return codeBlock(code, lang?.split(' ')[0]);
      },
      table(token) {
        return scrollable(
          tableHtml(token, (tokens) => this.parser.parseInline(tokens)),
          'Table',
        );
      },
      html({ text: raw }) {
        if (/^<br ?\/?>$/.test(raw.trim())) return '<br>';
        if (raw.startsWith('<!--')) return '';
        problems.push(`${path}: HTML is not supported: ${raw.trim()}`);
        return escapeHtml(raw);
      },
    },
  });
  const tokens = marked.lexer(text);
  const html = marked.parser(tokens);
  return { html, title: titles.get(path) ?? path, headings, sections: sectionsOf(tokens, headings), problems };
}

/** Returns the title of a Markdown file: its first heading. */
export function titleOfMarkdown(text) {
  return /^# (.*)$/m.exec(text)?.[1].replaceAll('`', '');
}

export function codeBlock(code, language = '') {
  const label = { sh: 'Shell commands', text: 'Output' }[language] ?? (language === '' ? 'Code' : `Code: ${language}`);
  // The block can be scrolled, so keyboard users must be able to focus it.
  return `<div class="code" data-language="${escapeHtml(language)}"><pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${escapeHtml(code)}</code></pre></div>\n`;
}

/** Returns a wide part of a page, which scrolls independently of the page. */
export function scrollable(html, label) {
  return `<div class="scroll" tabindex="0" role="group" aria-label="${label}">${html}</div>\n`;
}

function tableHtml({ header, rows }, inline) {
  const cell = (name, { tokens, align }) =>
    `<${name}${align === null ? '' : ` class="${align}"`}>${inline(tokens)}</${name}>`;
  const row = (name, cells) => `<tr>${cells.map((one) => cell(name, one)).join('')}</tr>`;
  // An empty corner cell is not a header cell, because it describes no row or column.
  const headCells = header.map((one) => cell(one.text === '' ? 'td' : 'th', one)).join('');
  const head = `<thead><tr>${headCells}</tr></thead>`;
  return `<table>${head}<tbody>${rows.map((cells) => row('td', cells)).join('')}</tbody></table>`;
}

/** Returns the text of each section: everything between a heading and the next one. */
function sectionsOf(tokens, headings) {
  const sections = [];
  let index = 0;
  for (const token of tokens) {
    if (token.type === 'heading') sections.push({ ...headings[index++], text: '' });
    else if (sections.length > 0) sections.at(-1).text += ` ${plainText([token])}`;
  }
  return sections.map((section) => ({ ...section, text: section.text.replaceAll(/\s+/g, ' ').trim() }));
}

function plainText(tokens) {
  return tokens.map(textOfToken).join('');
}

function textOfToken(token) {
  if (token.type === 'table')
    return [token.header, ...token.rows]
      .map((cells) => cells.map((cell) => plainText(cell.tokens)).join(' '))
      .join(' ');
  if (token.type === 'list') return token.items.map((item) => plainText(item.tokens)).join(' ');
  if (token.tokens !== undefined) return `${plainText(token.tokens)}${token.type === 'paragraph' ? ' ' : ''}`;
  if (token.type === 'html' || token.type === 'br' || token.type === 'space') return ' ';
  return unescapeText(token.text ?? '');
}

/** Reverses the escapes that the lexer writes for some characters. */
function unescapeText(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
