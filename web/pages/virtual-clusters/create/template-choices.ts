import { compareVersions, newestVersion } from '../../../../src/api/management/template-version.ts';
import type { KubeObject } from '../../../../src/api/meta.ts';
import { listAt, textAt } from '../../../../src/lib/json-path.ts';

export interface VersionChoice {
  readonly value: string;
  readonly label: string;
}

export function versionsOf(template: KubeObject): readonly string[] {
  return listAt(template, 'spec', 'versions').map((entry) => textAt(entry, 'version'));
}

/** The version choices of a template: the latest, the latest of a major version, or a specific one. */
export function versionChoices(template: KubeObject): readonly VersionChoice[] {
  const versions = [...versionsOf(template)].sort(compareVersions).reverse();
  if (versions.length === 0) return [];
  const majors = [...new Set(versions.map((version) => version.replace(/^v/, '').split('.')[0] ?? ''))];
  const lines = majors.flatMap((major) => {
    const value = `${major}.x.x`;
    const newest = newestVersion(versions, value);
    return newest === undefined ? [] : [{ value, label: `Latest ${value} (currently ${newest})` }];
  });
  return [
    { value: '', label: `Latest (currently ${newestVersion(versions, '') ?? ''})` },
    ...lines,
    ...versions.map((version) => ({ value: version, label: version })),
  ];
}

/** The display name of a template, or its name. */
export function templateTitle({ spec, metadata }: KubeObject): string {
  return textAt(spec, 'displayName') || (metadata.name ?? '');
}
