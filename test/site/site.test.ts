import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiPages } from '../../scripts/site/api/api-pages.mjs';
import { brokenAddresses } from '../../scripts/site/check-links.mjs';
import { readNavigation, unlistedPages } from '../../scripts/site/navigation.mjs';
import { searchRecords } from '../../scripts/site/search-records.mjs';
import { versionName, withVersion } from '../../scripts/site/versions.mjs';
import { managementGroup } from '../../src/api/naming.ts';
import { ServerTestEnv } from '../../src/server/server.fixture.ts';

describe('the pages of the API', () => {
  let env: ServerTestEnv;
  let json: string;
  beforeAll(async () => {
    env = await ServerTestEnv.open();
    const server = await env.start();
    json = (await env.send(server, `/kubernetes/management/openapi/v3/apis/${managementGroup}/v1`)).text;
  });
  afterAll(() => env.close());

  const pageOf = (path: string) => apiPages({ group: managementGroup, json }).pages.find((page) => page.path === path);

  it('contain every kind of the OpenAPI document that the server serves, except lists', () => {
    const { schemas } = JSON.parse(json).components as { schemas: Record<string, object> };
    // PriceList is a kind and not a list, because no kind is called Price.
    const isList = (name: string) => name.endsWith('List') && Object.hasOwn(schemas, name.slice(0, -'List'.length));
    const kinds = Object.keys(schemas)
      .filter((name) => name.startsWith('sh.platform.management.v1.') && !isList(name))
      .map((name) => `api/${name.split('.').at(-1)?.toLowerCase()}.html`);
    const paths = apiPages({ group: managementGroup, json }).pages.map(({ path }) => path);
    expect(kinds.length).toBeGreaterThan(30);
    expect(paths.sort()).toEqual(['api/index.html', ...kinds].sort());
  });

  it('show nested fields with their types and rules, and the operations of the kind', () => {
    const html = pageOf('api/virtualclusterinstance.html')?.html ?? '';
    expect(html).toContain('id="spec.templateRef.name"');
    expect(html).toContain('id="metadata.ownerReferences[].uid"');
    expect(html).toContain('at most 256 characters');
    expect(html).toContain('/namespaces/{namespace}/virtualclusterinstances/{name}');
    expect(html).not.toContain('$ref');
  });

  it('give the search one record per field, without the fields of metadata', () => {
    const sections = pageOf('api/project.html')?.sections ?? [];
    const ids = sections.map(({ id }: { id: string }) => id);
    expect(ids).toContain('spec.quotas');
    expect(ids).not.toContain('metadata.name');
  });
});

describe('the search', () => {
  it('has one record per section, each with its own address', () => {
    const sections = [
      { depth: 1, id: 'a', title: 'A', text: 'first' },
      { depth: 1, id: 'b', title: 'B', text: 'second' },
    ];
    expect(searchRecords([{ path: 'guides/a.html', title: 'A', sections }])).toMatchObject([
      { url: 'guides/a.html', title: 'A', text: 'first' },
      { url: 'guides/a.html#b', title: 'B', text: 'second' },
    ]);
  });
});

describe('the sidebar', () => {
  const text =
    '# Docs\n\n## By role\n\n- [X](x.md)\n\n## Start\n\n- [First](guides/first.md): text\n- [Up](../README.md)\n';

  it('has the sections of the index with their links', () => {
    expect(readNavigation(text, 'docs/README.md')).toEqual([
      {
        title: 'Start',
        links: [
          { title: 'First', path: 'docs/guides/first.md' },
          { title: 'Up', path: 'README.md' },
        ],
      },
    ]);
  });

  it('reports guides that the index does not list', () => {
    const groups = readNavigation(text, 'docs/README.md');
    const pages = ['docs/guides/first.md', 'docs/guides/second.md', 'docs/decisions/0001-x.md'];
    expect(unlistedPages(groups, pages)).toEqual(['docs/guides/second.md']);
  });
});

describe('the versions of the site', () => {
  it('have the name of the minor release', () => {
    expect(versionName('0.12.3')).toBe('v0.12');
    expect(() => versionName('latest')).toThrow('"latest" is not a version');
  });

  it('are sorted by number, the newest first, and are replaced by the same version', () => {
    const of = (version: string, release: string) => ({ version, release, pages: [] });
    const versions = [of('v0.2', '0.2.0'), of('v0.10', '0.10.0')].reduce(withVersion, [of('v0.9', '0.9.0')]);
    expect(versions.map(({ version }: { version: string }) => version)).toEqual(['v0.10', 'v0.9', 'v0.2']);
    expect(withVersion(versions, of('v0.9', '0.9.1'))[1]).toMatchObject({ release: '0.9.1' });
  });
});

describe('the check of the built site', () => {
  it('reports addresses of files and elements that do not exist', () => {
    const files = new Map([
      ['a.html', '<a href="b/c.html#x">x</a> <a href="b/c.html#y">y</a> <img src="d.png"> <a href="https://e">e</a>'],
      ['b/c.html', '<h2 id="x">X</h2> <a href="../a.html">a</a>'],
    ]);
    expect(brokenAddresses(files)).toEqual([
      'a.html: the element of b/c.html#y does not exist',
      'a.html: the file of d.png does not exist',
    ]);
  });
});
