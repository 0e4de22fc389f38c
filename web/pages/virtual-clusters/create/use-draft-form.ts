import { useMemo, useState } from 'react';
import { resolveTemplate } from '../../../../src/api/management/resolve-template.ts';
import type { TemplateParameter } from '../../../../src/api/management/v1/template-definition.ts';
import type { KubeObject } from '../../../../src/api/meta.ts';
import { textAt } from '../../../../src/lib/json-path.ts';
import type { JsonValue } from '../../../../src/lib/json-value.ts';
import { setAt } from '../../../data/set-at.ts';
import { emptyDraft, type InstanceDraft, isInline, manifestOf } from './draft.ts';
import { keptParameters } from './parameter-values.ts';
import { useProjectOffer } from './use-project-offer.ts';

/** What the parts of the form work on: one manifest, whoever changes it. */
export type DraftForm = ReturnType<typeof useDraftForm>;

/** Whoever writes the whole of it has been at every field. */
const everything = '*';

const noParameters: readonly TemplateParameter[] = [];

export function useDraftForm(first: { readonly project: string; readonly template: string }) {
  const [project, setProject] = useState(first.project);
  const [draft, setDraft] = useState<InstanceDraft>(() =>
    first.template === '' ? emptyDraft : setAt(emptyDraft, ['spec', 'templateRef', 'name'], first.template),
  );
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const offer = useProjectOffer(project);

  const { templates, defaultTemplate } = offer;
  const templateName = isInline(draft) ? '' : textAt(draft, 'spec', 'templateRef', 'name') || defaultTemplate;
  const template = templates.find(({ metadata }) => metadata.name === templateName);
  const version = textAt(draft, 'spec', 'templateRef', 'version');
  const parameters = useMemo(() => parametersOf(template, version), [template, version]);
  const manifest = useMemo(() => manifestOf(draft, { project, defaultTemplate }), [draft, project, defaultTemplate]);

  const touch = (path: string) => setTouched((before) => (before.has(path) ? before : new Set(before).add(path)));
  /** Other parameters: those values stay that they have a place for. */
  const withParametersOf = (next: InstanceDraft, of: KubeObject | undefined, ofVersion: string): InstanceDraft => {
    const text = textAt(next, 'spec', 'parameters');
    const kept = keptParameters(text, parametersOf(of, ofVersion));
    return setAt(next, ['spec', 'parameters'], kept === '' ? undefined : kept);
  };

  return {
    project,
    draft,
    offer,
    templateName,
    template,
    version,
    parameters,
    manifest,
    manifestFor: manifestOf,
    touch,
    /** Whether somebody has been at the field, or at something in it. */
    isTouched: (path: string) =>
      touched.has(everything) || [...touched].some((own) => own === path || own.startsWith(`${path}.`)),
    text: (...path: string[]) => textAt(draft, ...path),
    /** Empty texts are taken out. */
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
      // What another project offers is not known yet; the server chooses unless somebody does.
      setDraft((before) => setAt(setAt(before, ['spec', 'clusterRef'], undefined), ['spec', 'owner'], undefined));
    },
    setTemplate(next: KubeObject) {
      touch('spec.templateRef.name');
      setDraft((before) => {
        const named = setAt(setAt(before, ['spec', 'template'], undefined), ['spec', 'templateRef'], {
          name: next.metadata.name ?? '',
        });
        return withParametersOf(named, next, '');
      });
    },
    setVersion(next: string) {
      touch('spec.templateRef.version');
      setDraft((before) => {
        const asked = setAt(
          setAt(before, ['spec', 'templateRef', 'name'], templateName),
          ['spec', 'templateRef', 'version'],
          next === '' ? undefined : next,
        );
        return withParametersOf(asked, template, next);
      });
    },
    setInline() {
      setDraft((before) => {
        const bare = setAt(setAt(before, ['spec', 'templateRef'], undefined), ['spec', 'parameters'], undefined);
        return setAt(bare, ['spec', 'template'], {});
      });
    },
    setAll(next: InstanceDraft, nextProject: string | undefined) {
      touch(everything);
      setDraft(next);
      if (nextProject !== undefined) setProject(nextProject);
    },
  };
}

function parametersOf(template: KubeObject | undefined, version: string): readonly TemplateParameter[] {
  return template === undefined ? noParameters : (resolveTemplate(template, version)?.parameters ?? noParameters);
}
