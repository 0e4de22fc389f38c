import { listAt, objectAt, textAt } from '../../lib/json-path.ts';
import type { KubeObject } from '../meta.ts';
import { newestVersion } from './template-version.ts';
import type { TemplateDefinition, TemplateParameter } from './v1/template-definition.ts';

export interface ResolvedTemplate {
  readonly definition: TemplateDefinition;
  readonly parameters: readonly TemplateParameter[];
  /** Absent if the template has no versions. */
  readonly version?: string;
}

/**
 * Resolves a reference to a template: to the newest matching version if the template has versions, otherwise to the
 * template itself. `undefined` if no version matches.
 */
export function resolveTemplate(template: KubeObject, version: string): ResolvedTemplate | undefined {
  const versions = listAt(template, 'spec', 'versions');
  if (versions.length === 0) {
    return version === '' ? read(objectAt(template, 'spec')) : undefined;
  }
  const chosen = newestVersion(
    versions.map((entry) => textAt(entry, 'version')),
    version,
  );
  if (chosen === undefined) return undefined;
  return { ...read(objectAt(versions.find((entry) => textAt(entry, 'version') === chosen))), version: chosen };
}

function read(holder: ReturnType<typeof objectAt>): ResolvedTemplate {
  return {
    definition: (objectAt(holder, 'template') ?? {}) as TemplateDefinition,
    parameters: listAt(holder, 'parameters') as unknown as readonly TemplateParameter[],
  };
}
