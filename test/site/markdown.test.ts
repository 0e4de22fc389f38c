import { describe, expect, it } from 'vitest';
import { brokenLinks } from '../../scripts/check/docs.mjs';
import { headingAnchors } from '../../scripts/docs/markdown.mjs';
import { renderMarkdown } from '../../scripts/site/render-markdown.mjs';

describe('the anchors of headings', () => {
  it('are those of GitHub: repeated headings are numbered, and underscores stay', () => {
    const text = '# A `flag`, and *more*\n\n## Same\n\n## Same\n\n## api_word\n\n## [Link](x.md) here\n';
    expect(headingAnchors(text)).toEqual(['a-flag-and-more', 'same', 'same-1', 'api_word', 'link-here']);
  });

  it('are not taken from comments in code blocks', () => {
    expect(headingAnchors('# Title\n\n```sh\n# not a heading\n```\n')).toEqual(['title']);
  });
});

describe('the check of links', () => {
  it('reports a missing file, a missing heading, and a missing heading of the page itself', () => {
    const text = '# Page\n\n[a](no-such-file.md) [b](../README.md#no-such-heading) [c](#no-such-anchor)\n';
    expect(brokenLinks('docs/page.md', text)).toEqual([
      'docs/page.md: the target of the link no-such-file.md does not exist',
      'docs/page.md: the target of the link ../README.md#no-such-heading does not exist',
      'docs/page.md: the target of the link #no-such-anchor does not exist',
    ]);
  });

  it('accepts existing files and headings, addresses of other hosts, and links in code', () => {
    const text = '# Page\n\n[a](../README.md) [b](#page) [c](https://example.com) `[d](e)`\n\n```md\n[f](g.md)\n```\n';
    expect(brokenLinks('docs/page.md', text)).toEqual([]);
  });
});

describe('a page of the site', () => {
  const targets = new Map([
    ['docs/guides/a.md', 'guides/a.html'],
    ['docs/other.md', 'other.html'],
    ['examples', 'examples/index.html'],
  ]);
  const titles = new Map([
    ['docs/guides/a.md', 'A'],
    ['docs/other.md', 'The other page'],
  ]);
  const render = (text: string) => renderMarkdown(text, { path: 'docs/guides/a.md', targets, titles });

  it('has relative links to pages of the site, with the title instead of a file name', () => {
    const { html, problems } = render('# A\n\n[other.md](../other.md#part) and [examples](../../examples/)\n');
    expect(html).toContain('<a href="../other.html#part">The other page</a>');
    expect(html).toContain('<a href="../examples/index.html">examples</a>');
    expect(problems).toEqual([]);
  });

  it('reports a link to a file that the site does not have', () => {
    expect(render('[code](../../src/main.ts)').problems).toEqual([
      'docs/guides/a.md: the site has no page for the link ../../src/main.ts',
    ]);
  });

  it('escapes markup in code and reports HTML', () => {
    const { html, problems } = render('```text\n<script>alert(1)</script>\n```\n\n<div onclick="x()">y</div>\n');
    expect(html).not.toMatch(/<script|<div onclick/);
    expect(problems).toEqual([expect.stringContaining('HTML is not supported')]);
  });

  it('has no header without text in a table', () => {
    const { html } = render('| | a |\n| - | - |\n| x | 1 |\n');
    expect(html).toContain('<thead><tr><td></td><th>a</th></tr></thead>');
  });

  it('leaves out comments', () => {
    const { html, problems } = render('# A\n\n<!-- a note -->\n\ntext\n');
    expect([html.includes('a note'), problems]).toEqual([false, []]);
  });

  it('has a text for the search in each section', () => {
    const { sections } = render('# A\n\nFirst `code`.\n\n## B\n\n- one\n- two\n\n| x | y |\n| - | - |\n| 1 | 2 |\n');
    expect(sections).toMatchObject([
      { title: 'A', text: 'First code.' },
      { title: 'B', id: 'b', text: 'one two x y 1 2' },
    ]);
  });
});
