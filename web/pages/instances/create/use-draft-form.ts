import type { JsonValue } from '@flotilla/json';
import { useMemo, useState } from 'react';
import { resolveTemplate } from '../../../../src/api/management/resolve-template.ts';
import type { TemplateParameter } from '../../../../src/api/management/v1/template-definition.ts';
import type { InstanceType } from '../../../data/instance-types.ts';
import { setAt } from '../../../data/objects/set-at.ts';
import type { Template } from '../../../data/template-types.ts';
import { emptyDraft, fieldsOf, type InstanceDraft, manifestOf } from './draft.ts';
import { retainParameters } from './parameter-values.ts';
import { useProjectOptions } from './use-project-options.ts';

/** The state of the creation form. All its sections edit the same manifest. */
export type DraftForm = ReturnType<typeof useDraftForm>;

/** The path that stands for all fields. An edit of the YAML marks this path as touched. */
const allFields = '*';

const noParameters: readonly TemplateParameter[] = [];
const noAnnotations: Readonly<Record<string, string>> = {};

interface FirstValues {
  readonly type: InstanceType;
  readonly project: string;
  readonly template: string;
}

export function useDraftForm({ type, ...first }: FirstValues) {
  const { kind } = type;
  const [project, setProject] = useState(first.project);
  const [draft, setDraft] = useState(() => firstDraft(first.template));
  const { touch, isTouched } = useTouchedFields();
  const offer = useProjectOptions(type, project);

  const { templates, defaultTemplate } = offer;
  const fields = useMemo(() => fieldsOf(draft), [draft]);
  const templateName = fields.isInline ? '' : fields.templateName || defaultTemplate;
  const template = templates.find(({ metadata }) => metadata.name === templateName);
  const version = fields.templateVersion;
  const resolved = useMemo(
    () => (template === undefined ? undefined : resolveTemplate(template, version)),
    [template, version],
  );
  const parameters = resolved?.parameters ?? noParameters;
  const manifest = useMemo(
    () => manifestOf(draft, { kind, project, defaultTemplate }),
    [draft, kind, project, defaultTemplate],
  );

  return {
    type,
    project,
    /** The fields of the manifest that the form shows. */
    fields,
    offer,
    templateName,
    template,
    version,
    parameters,
    /** The annotations that the template adds to the instance if the manifest does not set them. */
    templateAnnotations: resolved?.definition.instanceTemplate?.metadata?.annotations ?? noAnnotations,
    manifest,
    manifestFor: manifestOf,
    touch,
    isTouched,
    /** Sets a field. An empty text removes the field. */
    set(path: readonly string[], value: JsonValue | undefined) {
      touch(path.join('.'));
      setDraft((before) => setAt(before, path, value === '' ? undefined : value));
    },
    setName(name: string) {
      touch('metadata.name');
      setDraft((before) => setAt(before, ['metadata', 'name'], name));
    },
    setProject(next: string) {
      touch('metadata.namespace');
      setProject(next);
      // Resets the cluster and the owner to their defaults, because the clusters of the newly selected project are not
      // loaded yet.
      setDraft((before) => setAt(setAt(before, ['spec', 'clusterRef'], undefined), ['spec', 'owner'], undefined));
    },
    /** Selects a template; `undefined` for none. */
    setTemplate(next: Template | undefined) {
      touch('spec.templateRef.name');
      setDraft((before) => {
        const reference = next === undefined ? undefined : { name: next.metadata.name ?? '' };
        const named = setAt(setAt(before, ['spec', 'template'], undefined), ['spec', 'templateRef'], reference);
        return withParametersOf(named, next, '');
      });
    },
    setVersion(next: string) {
      touch('spec.templateRef.version');
      setDraft((before) => {
        const updated = setAt(
          setAt(before, ['spec', 'templateRef', 'name'], templateName),
          ['spec', 'templateRef', 'version'],
          next === '' ? undefined : next,
        );
        return withParametersOf(updated, template, next);
      });
    },
    setInline() {
      setDraft((before) => {
        const bare = setAt(setAt(before, ['spec', 'templateRef'], undefined), ['spec', 'parameters'], undefined);
        return setAt(bare, ['spec', 'template'], {});
      });
    },
    setAll(next: InstanceDraft, nextProject: string | undefined) {
      touch(allFields);
      setDraft(next);
      if (nextProject !== undefined) setProject(nextProject);
    },
  };
}

function firstDraft(template: string): InstanceDraft {
  return template === '' ? emptyDraft : setAt(emptyDraft, ['spec', 'templateRef', 'name'], template);
}

/** The fields that the user has edited. */
function useTouchedFields() {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  return {
    touch: (path: string) => setTouched((before) => (before.has(path) ? before : new Set(before).add(path))),
    /** True if the user has edited the field or a field inside it. */
    isTouched: (path: string) =>
      touched.has(allFields) || [...touched].some((own) => own === path || own.startsWith(`${path}.`)),
  };
}

/** Removes the parameter values for which version `ofVersion` of the template `of` has no parameter. */
function withParametersOf(next: InstanceDraft, of: Template | undefined, ofVersion: string): InstanceDraft {
  const kept = retainParameters(fieldsOf(next).parameters, parametersOf(of, ofVersion));
  return setAt(next, ['spec', 'parameters'], kept === '' ? undefined : kept);
}

function parametersOf(template: Template | undefined, version: string): readonly TemplateParameter[] {
  return template === undefined ? noParameters : (resolveTemplate(template, version)?.parameters ?? noParameters);
}
