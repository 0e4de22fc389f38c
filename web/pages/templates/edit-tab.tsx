import { NativeSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { lazyPart } from '../../components/lazy-part.tsx';
import { ObjectEditor } from '../../components/object-editor.tsx';
import { Panel } from '../../components/panel.tsx';
import type { TextProblem } from '../../components/yaml-field.tsx';
import { kinds } from '../../data/kind-ref.ts';
import classes from './edit-tab.module.css';
import type { RenderedPanelProps } from './rendered-panel.tsx';
import { templateParts } from './template-parts.ts';

/** Rendering brings a reader of YAML and a language of patterns along: they come with the editor, when one edits. */
const RenderedPanel = lazyPart<Omit<RenderedPanelProps, 'render'>>(async () => {
  const [{ RenderedPanel: Panel }, { renderDefinition }] = await Promise.all([
    import('./rendered-panel.tsx'),
    import('../../components/editor/render-template.ts'),
  ]);
  return (props) => <Panel render={renderDefinition} {...props} />;
}, 'Fetching what renders templates');

const noProblems: readonly TextProblem[] = [];

/** The template as text, and beside it what a virtual cluster would be made from. */
export function EditTab({ template, readOnly }: { readonly template: KubeObject; readonly readOnly: boolean }) {
  const [draft, setDraft] = useState<KubeObject>();
  const [version, setVersion] = useState<string>();
  const [problems, setProblems] = useState(noProblems);
  const parts = useMemo(() => templateParts(readOnly ? template : (draft ?? template)), [readOnly, draft, template]);
  const part = parts.find((one) => one.version === version) ?? parts[0];
  return (
    <div className={classes.halves}>
      <Panel title={readOnly ? 'The template' : 'Edit the template'}>
        <ObjectEditor
          kind={kinds.template}
          object={template}
          readOnly={readOnly}
          onDraft={setDraft}
          problems={problems}
          label="Template"
        />
      </Panel>
      <div className={classes.half}>
        {part !== undefined && part.version !== '' ? (
          <NativeSelect
            label="Version to try"
            description="While there are versions, what stands outside them is not used."
            mb="md"
            value={part.version}
            onChange={(event) => setVersion(event.currentTarget.value)}
            data={parts.map((one) => one.version)}
          />
        ) : null}
        {part === undefined ? null : <RenderedPanel part={part} onProblems={setProblems} />}
      </div>
    </div>
  );
}
