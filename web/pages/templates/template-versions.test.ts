import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/meta.ts';
import { nextVersion, templateVersions } from './template-versions.ts';

const template = (spec: object) =>
  ({ apiVersion: 'v1', kind: 'VirtualClusterTemplate', metadata: { name: 'a' }, spec }) as unknown as KubeObject;

describe('the usable parts of a template', () => {
  it('are the template itself if it has no versions', () => {
    expect(templateVersions(template({ template: { objects: 'x' }, parameters: [{ variable: 'a' }] }))).toEqual([
      { version: '', path: 'spec', definition: { objects: 'x' }, parameters: [{ variable: 'a' }] },
    ]);
  });

  it('are its versions with their paths, newest first', () => {
    const versions = [{ version: '1.2.0' }, { version: '1.10.0' }, { version: '1.9.1', template: { objects: 'y' } }];
    expect(templateVersions(template({ versions })).map(({ version, path }) => [version, path])).toEqual([
      ['1.10.0', 'spec.versions[1]'],
      ['1.9.1', 'spec.versions[2]'],
      ['1.2.0', 'spec.versions[0]'],
    ]);
  });

  it('are read from incomplete drafts', () => {
    expect(templateVersions(template({ versions: [null, {}] }))).toHaveLength(2);
    expect(templateVersions(template({ versions: 'soon' }))).toHaveLength(1);
  });

  it('determine the next version', () => {
    expect(nextVersion([])).toBe('1.0.0');
    expect(nextVersion(['0.9.0', '1.9.3', '1.10.2'])).toBe('1.11.0');
    expect(nextVersion(['latest'])).toBe('1.0.0');
  });
});
