import { newestVersion } from './template-version.ts';
import type { TemplateDefinition, TemplateParameter } from './v1/template-definition.ts';
import type { VirtualClusterTemplate } from './v1/virtual-cluster-template.ts';

export interface ResolvedTemplate {
  readonly definition: TemplateDefinition;
  readonly parameters: readonly TemplateParameter[];
  /** The resolved version. Absent if the template has no versions. */
  readonly version?: string;
}

/**
 * Resolves `templateRef.version`. If the template has versions, returns the newest matching one; `undefined` if none
 * matches. If it has no versions, returns the template itself, or `undefined` if a version is requested.
 */
export function resolveTemplate(template: VirtualClusterTemplate, version: string): ResolvedTemplate | undefined {
  const versions = template.spec?.versions ?? [];
  if (versions.length === 0) {
    return version === '' ? read(template.spec) : undefined;
  }
  const chosen = newestVersion(
    versions.map((entry) => entry.version),
    version,
  );
  if (chosen === undefined) return undefined;
  return { ...read(versions.find((entry) => entry.version === chosen)), version: chosen };
}

type DefinitionHolder = { template?: TemplateDefinition; parameters?: TemplateParameter[] };

function read({ template = {}, parameters = [] }: DefinitionHolder = {}): ResolvedTemplate {
  return { definition: template, parameters };
}
