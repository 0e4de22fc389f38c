import { cloneJson } from '@flotilla/json';
import type { FieldError } from '../../../api/field-error.ts';
import type { HostAccessSettings } from '../../../api/management/host-access/host-access-settings.ts';
import type { DefinitionSource, RenderedDefinition } from '../../../api/management/render-definition.ts';
import { resolveTemplate } from '../../../api/management/resolve-template.ts';
import type { TemplateDefinition, TemplateParameter } from '../../../api/management/v1/template-definition.ts';
import type { VirtualClusterTemplate } from '../../../api/management/v1/virtual-cluster-template.ts';
import { terminalReasons } from '../../../api/terminal-reasons.ts';
import { digestOf } from '../digest-of.ts';
import type { Instance } from '../instance-profile.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import type { StatusDraft, StatusReason } from '../status-draft.ts';

interface TemplateSource {
  readonly definition: TemplateDefinition;
  readonly parameters: readonly TemplateParameter[];
  /** Digest of the template object; '' if the instance uses no template. */
  readonly templateDigest: string;
  readonly message: string;
  /** True if the author of the definition may not act on hosts. */
  readonly isRestricted: boolean;
}

export interface RenderServices {
  readonly hostAccess: HostAccessSettings;
  findTemplate(name: string): Promise<VirtualClusterTemplate | undefined>;
  render(source: DefinitionSource): Promise<RenderedDefinition>;
}

/**
 * Returns the rendered template of an instance. If the template is deleted or cannot be rendered, sets the condition
 * TemplateResolved to False and returns the last rendered version; `undefined` if there is no such version.
 */
export async function renderTemplateStep(
  { object, ...snapshot }: InstanceSnapshot,
  draft: StatusDraft,
  { findTemplate, render, hostAccess }: RenderServices,
): Promise<TemplateDefinition | undefined> {
  const { spec = {}, status = {} } = object;
  const { templateRef, template, parameters, owner, clusterRef } = spec;
  const { renderedMember, renderedErrors, restrict } = snapshot.profile;
  const last: TemplateDefinition | undefined = status[renderedMember];
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
  const { definition: rendered, problems } = await render({
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
  const renderProblems = problems.length > 0 ? problems : renderedErrors(rendered).map(problemOf);
  if (renderProblems.length > 0) {
    const message = `The template cannot be rendered: ${shownProblems(renderProblems)}. Correct spec.parameters or the template.`;
    return failed({ reason: terminalReasons.cannotBeRendered, message });
  }
  const { definition, errors } = source.isRestricted
    ? restrict(rendered, hostAccess)
    : { definition: rendered, errors: [] };
  if (errors.length > 0) {
    const message = `The rendered template acts on the host: ${shownProblems(errors.map(problemOf))}. Remove these parts, or ask an admin to write the template.`;
    return failed({ reason: 'HostAccessDenied', message });
  }
  draft.setCondition('TemplateResolved', 'True', resolved);
  draft.set(renderedMember, definition);
  draft.set('renderedFrom', `${specDigest}.${source.templateDigest}`);
  return definition;
}

/**
 * The maximum length, in characters, of a rendering problem in a condition. The text of a problem may quote a part of
 * the template.
 */
const maxProblemLength = 1000;

function shownProblems(problems: readonly string[]): string {
  return `${problems.slice(0, 3).map(shortened).join('; ')}${problems.length > 3 ? '; …' : ''}`;
}

function problemOf({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}

function shortened(problem: string): string {
  return problem.length > maxProblemLength ? `${problem.slice(0, maxProblemLength)}…` : problem;
}

function syncedOnce(instance: Instance): StatusReason {
  const name = instance.spec?.templateRef?.name ?? '';
  const message = `Rendered once from template "${name}". Later changes are ignored because spec.templateRef.syncOnce is set.`;
  return { reason: 'SyncedOnce', message };
}

async function sourceOf(
  { spec = {}, status = {} }: Instance,
  findTemplate: (name: string) => Promise<VirtualClusterTemplate | undefined>,
): Promise<TemplateSource | StatusReason> {
  if (spec.template !== undefined) {
    const definition = cloneJson(spec.template);
    // Treat instances without a record of the author as restricted. Older releases stored such instances.
    const isRestricted = status.hostAccess !== 'Granted';
    return { definition, parameters: [], templateDigest: '', message: 'Rendered from spec.template.', isRestricted };
  }
  const { name = '', version: versionPattern = '' } = spec.templateRef ?? {};
  if (name === '')
    return {
      definition: {},
      parameters: [],
      templateDigest: '',
      message: 'The instance has no template.',
      isRestricted: false,
    };
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
    // Treat a template without a recorded author as unrestricted: it is from an older release, in which only admins
    // could create templates.
    isRestricted: template.status?.hostAccess === 'Restricted',
  };
}
