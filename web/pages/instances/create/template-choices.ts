import { compareVersions, newestVersion } from '../../../../src/api/management/template-version.ts';
import type { Template } from '../../../data/template-types.ts';

export interface VersionChoice {
  readonly value: string;
  readonly label: string;
}

export function versionsOf({ spec }: Template): readonly string[] {
  return (spec?.versions ?? []).map(({ version }) => version);
}

/**
 * Returns the version choices for a template: the latest, the latest of each major version, and each single version.
 */
export function versionChoices(template: Template): readonly VersionChoice[] {
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
