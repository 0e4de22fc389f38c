import { cloneJson } from '@flotilla/json';
import type { DefinitionSource, RenderedDefinition } from '../../../api/management/render-definition.ts';
import { resolveTemplate } from '../../../api/management/resolve-template.ts';
import type { TemplateDefinition, TemplateParameter } from '../../../api/management/v1/template-definition.ts';
import type { VirtualClusterInstance } from '../../../api/management/v1/virtual-cluster-instance.ts';
import type { VirtualClusterTemplate } from '../../../api/management/v1/virtual-cluster-template.ts';
import { digestOf } from '../digest-of.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import type { StatusDraft, StatusReason } from '../status-draft.ts';

interface TemplateSource {
  readonly definition: TemplateDefinition;
  readonly parameters: readonly TemplateParameter[];
  /** Digest of the VirtualClusterTemplate object; '' if the instance uses none. */
  readonly templateDigest: string;
  readonly message: string;
}

export interface RenderServices {
  findTemplate(name: string): Promise<VirtualClusterTemplate | undefined>;
  render(source: DefinitionSource): Promise<RenderedDefinition>;
}

/**
 * Returns the rendered template of an instance. If the template is deleted or cannot be rendered, sets the condition
 * TemplateResolved to False and returns the last rendered version; `undefined` if there is none.
 */
export async function renderTemplateStep(
  { object, ...snapshot }: InstanceSnapshot,
  draft: StatusDraft,
  { findTemplate, render }: RenderServices,
): Promise<TemplateDefinition | undefined> {
  const { spec = {}, status = {} } = object;
  const { templateRef, template, parameters, owner, clusterRef } = spec;
  const last = status.virtualCluster;
  const [lastSpecDigest, lastTemplateDigest] = (status.renderedFrom ?? '').split('.');
  const specDigest = digestOf(templateRef?.name, templateRef?.version, template, parameters, owner, clusterRef);
  if (last !== undefined && templateRef?.syncOnce === true && lastSpecDigest === specDigest) {
    draft.setCondition('TemplateResolved', 'True', syncedOnce(object));
    return last;
  }
  const failed = (why: StatusReason): TemplateDefinition | undefined => {
    const fallbackNote = last === undefined ? '' : ' The last rendered version stays in effect.';
    draft.setCondition('TemplateResolved', 'False', { ...why, message: `${why.message}${fallbackNote}` });
    return last;
  };
  const source = await sourceOf(object, findTemplate);
  if ('reason' in source) return failed(source);
  const resolved = { reason: 'Rendered', message: source.message };
  if (last !== undefined && lastSpecDigest === specDigest && lastTemplateDigest === source.templateDigest) {
    draft.setCondition('TemplateResolved', 'True', resolved);
    return last;
  }
  const { definition, problems } = await render({
    definition: source.definition,
    parameters: source.parameters,
    parameterValues: parameters ?? '',
    platform: {
      name: snapshot.name,
      project: snapshot.project,
      cluster: snapshot.cluster,
      namespace: snapshot.location.namespace,
      user: owner?.user ?? '',
      team: owner?.team ?? '',
    },
  });
  if (problems.length > 0) {
    const shown = `${problems.slice(0, 3).map(shortened).join('; ')}${problems.length > 3 ? '; …' : ''}`;
    const message = `The template cannot be rendered: ${shown}. Correct spec.parameters or the template.`;
    return failed({ reason: 'CannotBeRendered', message });
  }
  draft.setCondition('TemplateResolved', 'True', resolved);
  draft.set('virtualCluster', definition);
  draft.set('renderedFrom', `${specDigest}.${source.templateDigest}`);
  return definition;
}

/** The maximum length of a problem in a condition. A problem may quote a part of the template. */
const maxProblemLength = 1000;

function shortened(problem: string): string {
  return problem.length > maxProblemLength ? `${problem.slice(0, maxProblemLength)}…` : problem;
}

function syncedOnce(instance: VirtualClusterInstance): StatusReason {
  const name = instance.spec?.templateRef?.name ?? '';
  const message = `Rendered once from template "${name}". Later changes are ignored because spec.templateRef.syncOnce is set.`;
  return { reason: 'SyncedOnce', message };
}

async function sourceOf(
  { spec = {} }: VirtualClusterInstance,
  findTemplate: (name: string) => Promise<VirtualClusterTemplate | undefined>,
): Promise<TemplateSource | StatusReason> {
  if (spec.template !== undefined) {
    const definition = cloneJson(spec.template);
    return { definition, parameters: [], templateDigest: '', message: 'Rendered from spec.template.' };
  }
  const { name = '', version: versionPattern = '' } = spec.templateRef ?? {};
  if (name === '')
    return { definition: {}, parameters: [], templateDigest: '', message: 'The instance has no template.' };
  const template = await findTemplate(name);
  if (template === undefined) {
    const message = `Template "${name}" not found. Create it, or set another one in spec.templateRef.`;
    return { reason: 'TemplateNotFound', message };
  }
  const resolved = resolveTemplate(template, versionPattern);
  if (resolved === undefined) {
    const message = `Template "${name}" has no version that matches "${versionPattern || '*'}". Set another one in spec.templateRef.`;
    return { reason: 'VersionNotFound', message };
  }
  const { definition, parameters, version } = resolved;
  return {
    definition,
    parameters,
    templateDigest: digestOf(template.metadata.uid, version, definition, [...parameters]),
    message: `Rendered from template "${name}"${version === undefined ? '' : `, version ${version}`}.`,
  };
}
