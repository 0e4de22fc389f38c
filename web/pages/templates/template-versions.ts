import { compareVersions } from '../../../src/api/management/template-version.ts';
import type { SpaceDefinition } from '../../../src/api/management/v1/space-definition.ts';
import type { TemplateDefinition, TemplateParameter } from '../../../src/api/management/v1/template-definition.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
import { type Template, typedTemplate } from '../../data/template-types.ts';

type TemplateSpec = NonNullable<Template['spec']>;

/** The definition of a virtual cluster or of a space. Each of the two has only some of the fields. */
type Definition = TemplateDefinition & SpaceDefinition;

/**
 * A definition that instances can use: one version of a template, or the template itself if it has no versions.
 */
export interface TemplateVersion {
  /** The version; '' for the template itself. */
  readonly version: string;
  /** The path of the definition in the template object, in the server's notation: `spec` or `spec.versions[2]`. */
  readonly path: string;
  readonly definition: Definition;
  readonly parameters: readonly TemplateParameter[];
}

export function templateSpec({ spec = {} }: Template): TemplateSpec {
  return spec;
}

function part(
  version: string,
  path: string,
  holder: { template?: Definition; parameters?: readonly TemplateParameter[] } | null,
): TemplateVersion {
  return { version, path, definition: holder?.template ?? {}, parameters: holder?.parameters ?? [] };
}

/**
 * Returns the versions of a template, newest first. If the template has no versions, returns only the template itself.
 * Checks the types of all values, because a draft that the user edits may contain anything.
 */
export function templateVersions(template: KubeObject): readonly TemplateVersion[] {
  const { spec = {} } = typedTemplate(template);
  const versions: unknown = spec.versions;
  if (!Array.isArray(versions) || versions.length === 0) return [part('', 'spec', spec)];
  return versions
    .map((entry: NonNullable<TemplateSpec['versions']>[number] | null, at) =>
      part(String(entry?.version ?? ''), `spec.versions[${at}]`, entry),
    )
    .sort((a, b) => compareVersions(b.version, a.version));
}

const release = /^v?(\d+)\.(\d+)\.\d+/;

/** Suggests the next version: the newest version with the minor version increased by one. */
export function nextVersion(versions: readonly string[]): string {
  const newest = [...versions].sort(compareVersions).at(-1) ?? '';
  const [, major, minor] = release.exec(newest) ?? [];
  return major === undefined || minor === undefined ? '1.0.0' : `${major}.${Number(minor) + 1}.0`;
}
