import { renderDefinition } from '../../api/management/render-definition.ts';
import { resolveTemplate } from '../../api/management/resolve-template.ts';
import type { TemplateDefinition, TemplateParameter } from '../../api/management/v1/template-definition.ts';
import type { KubeObject } from '../../api/meta.ts';
import { flagAt, objectAt, textAt, valueAt } from '../../lib/json-path.ts';
import { cloneJson, type JsonValue } from '../../lib/json-value.ts';
import { digestOf } from './digest-of.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { StatusDraft, Why } from './status-draft.ts';

interface Source {
  readonly definition: TemplateDefinition;
  readonly parameters: readonly TemplateParameter[];
  /** Names the state of the template; '' where there is none. */
  readonly state: string;
  readonly words: string;
}

/**
 * What the virtual cluster is to be made from. A template that has gone, or that cannot be rendered any more, is told
 * in the condition, and what was rendered last holds. undefined: nothing can be made yet.
 */
export async function renderStep(
  { object, ...facts }: InstanceFacts,
  draft: StatusDraft,
  findTemplate: (name: string) => Promise<KubeObject | undefined>,
): Promise<TemplateDefinition | undefined> {
  const last = objectAt(object, 'status', 'virtualCluster') as TemplateDefinition | undefined;
  const [lastOwn, lastState] = textAt(object, 'status', 'renderedFrom').split('.');
  const own = digestOf(
    valueAt(object, 'spec', 'templateRef', 'name'),
    valueAt(object, 'spec', 'templateRef', 'version'),
    ...['template', 'parameters', 'owner', 'clusterRef'].map((member) => valueAt(object, 'spec', member)),
  );
  if (last !== undefined && flagAt(object, 'spec', 'templateRef', 'syncOnce') && lastOwn === own) {
    draft.condition('TemplateResolved', 'True', syncedOnce(object));
    return last;
  }
  const failed = (why: Why): TemplateDefinition | undefined => {
    const goesOn = last === undefined ? '' : ' What runs goes on as it was rendered last.';
    draft.condition('TemplateResolved', 'False', { ...why, message: `${why.message}${goesOn}` });
    return last;
  };
  const source = await sourceOf(object, findTemplate);
  if ('reason' in source) return failed(source);
  const resolved = { reason: 'Rendered', message: source.words };
  if (last !== undefined && lastOwn === own && lastState === source.state) {
    draft.condition('TemplateResolved', 'True', resolved);
    return last;
  }
  const { definition, problems } = renderDefinition({
    definition: source.definition,
    parameters: source.parameters,
    given: textAt(object, 'spec', 'parameters'),
    platform: {
      name: facts.name,
      project: facts.project,
      cluster: facts.cluster,
      namespace: facts.place.namespace,
      user: textAt(object, 'spec', 'owner', 'user'),
      team: textAt(object, 'spec', 'owner', 'team'),
    },
  });
  if (problems.length > 0) {
    const shown = `${problems.slice(0, 3).join('; ')}${problems.length > 3 ? '; …' : ''}`;
    const message = `The template cannot be rendered: ${shown}. Correct spec.parameters or the template.`;
    return failed({ reason: 'CannotBeRendered', message });
  }
  draft.condition('TemplateResolved', 'True', resolved);
  draft.set('virtualCluster', definition as JsonValue);
  draft.set('renderedFrom', `${own}.${source.state}`);
  return definition;
}

function syncedOnce(instance: KubeObject): Why {
  const name = textAt(instance, 'spec', 'templateRef', 'name');
  const message = `Rendered once from the template ${name}; its later changes are ignored, as spec.templateRef.syncOnce asks.`;
  return { reason: 'SyncedOnce', message };
}

async function sourceOf(
  instance: KubeObject,
  findTemplate: (name: string) => Promise<KubeObject | undefined>,
): Promise<Source | Why> {
  const inline = objectAt(instance, 'spec', 'template');
  if (inline !== undefined) {
    const definition = cloneJson(inline) as TemplateDefinition;
    return { definition, parameters: [], state: '', words: 'Rendered from the template in spec.template.' };
  }
  const name = textAt(instance, 'spec', 'templateRef', 'name');
  if (name === '') return { definition: {}, parameters: [], state: '', words: 'It has no template: nothing is added.' };
  const template = await findTemplate(name);
  if (template === undefined) {
    const message = `The template ${name} is not there. Make it again, or name another one in spec.templateRef.`;
    return { reason: 'TemplateNotFound', message };
  }
  const wanted = textAt(instance, 'spec', 'templateRef', 'version');
  const resolved = resolveTemplate(template, wanted);
  if (resolved === undefined) {
    const message = `The template ${name} has no version that matches ${wanted || 'any'}. Name another one in spec.templateRef.`;
    return { reason: 'VersionNotFound', message };
  }
  const { definition, parameters, version } = resolved;
  return {
    definition,
    parameters,
    state: digestOf(template.metadata.uid, version, definition as JsonValue, parameters as unknown as JsonValue),
    words: `Rendered from the template ${name}${version === undefined ? '' : `, version ${version}`}.`,
  };
}
