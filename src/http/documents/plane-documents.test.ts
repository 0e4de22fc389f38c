import { describe, expect, it } from 'vitest';
import { exampleExchange, examplePlane } from '../plane.fixture.ts';
import { planeDocuments } from './plane-documents.ts';
import { versionInfo } from './version.ts';

const documents = planeDocuments(examplePlane(), {
  version: versionInfo({ packageVersion: '0.1.0', gitCommit: 'abc' }),
  healthChecks: [],
  metrics: { contentType: 'text/plain; version=0.0.4; charset=utf-8', text: async () => 'up 1\n' },
});

describe('the documents of a plane', () => {
  it.each(['/version', '/version/'])('%s has every field (VER-01)', async (path) => {
    const reply = await documents.reply(exampleExchange(path));
    const version = JSON.parse(String(reply?.body));
    expect(Object.keys(version)).toEqual([
      'major',
      'minor',
      'emulationMajor',
      'emulationMinor',
      'minCompatibilityMajor',
      'minCompatibilityMinor',
      'gitVersion',
      'gitCommit',
      'gitTreeState',
      'buildDate',
      'goVersion',
      'compiler',
      'platform',
    ]);
    expect(version.major).toMatch(/^[1-9]\d*$/);
    expect(version.minor).toMatch(/^\d+\+?$/);
  });

  it('gitVersion can be parsed by kubectl and helm (VER-02)', () => {
    expect(versionInfo({ packageVersion: '0.1.0-rc.1' }).gitVersion).toBe('v1.34.0+flotilla.0.1.0-rc.1');
  });

  it('the path / lists all paths (HEALTH-07)', async () => {
    const reply = await documents.reply(exampleExchange('/'));
    const { paths } = JSON.parse(String(reply?.body));
    expect(paths).toEqual(
      expect.arrayContaining(['/api', '/api/v1', '/apis', '/livez/ping', '/metrics', '/openapi/v3', '/version']),
    );
    expect(paths).toEqual([...paths].sort());
  });

  it('/metrics is served if there are metrics (METRIC-01)', async () => {
    expect(await documents.reply(exampleExchange('/metrics'))).toMatchObject({ status: 200, body: 'up 1\n' });
  });

  it('JSON is indented for people, and compact JSON ends with a newline (NEG-19)', async () => {
    const compact = await documents.reply(exampleExchange('/apis'));
    expect(String(compact?.body)).toMatch(/^\{"kind".*\}\n$/);
    const indented = await documents.reply(exampleExchange('/apis', { 'user-agent': 'curl/8' }));
    expect(String(indented?.body)).toContain('\n  "kind": "APIGroupList"');
    const yaml = await documents.reply(exampleExchange('/apis', { accept: 'application/yaml' }));
    expect(String(yaml?.body)).toContain('kind: APIGroupList');
  });

  it('other paths are left to other handlers', async () => {
    expect(await documents.reply(exampleExchange('/elsewhere'))).toBeUndefined();
  });
});
