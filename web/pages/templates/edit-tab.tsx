import { NativeSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import type { TextProblem } from '../../components/editor/editor-props.ts';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { ObjectEditor } from '../../components/object/object-editor.tsx';
import { Panel } from '../../components/panel.tsx';
import type { Template, TemplateType } from '../../data/template-types.ts';
import classes from './edit-tab.module.css';
import type { TemplatePreviewPanelProps } from './template-preview-panel.tsx';
import { templateVersions } from './template-versions.ts';

/** The preview. It is loaded on demand, because it needs a YAML parser and a regular expression engine. */
const RenderedPanel = lazyComponent<Omit<TemplatePreviewPanelProps, 'render'>>(async () => {
  const [{ TemplatePreviewPanel: Panel }, { renderDefinition }] = await Promise.all([
    import('./template-preview-panel.tsx'),
    import('../../components/editor/render-template.ts'),
  ]);
  return (props) => <Panel render={renderDefinition} {...props} />;
}, 'Loading preview');

const noProblems: readonly TextProblem[] = [];

interface EditTabProps {
  readonly type: TemplateType;
  readonly template: Template;
  readonly readOnly: boolean;
}

/** A tab with the template as YAML and a preview of the rendered result. */
export function EditTab({ type, template, readOnly }: EditTabProps) {
  const [draft, setDraft] = useState<KubeObject>();
  const [version, setVersion] = useState<string>();
  const [problems, setProblems] = useState(noProblems);
  const parts = useMemo(() => templateVersions(readOnly ? template : (draft ?? template)), [readOnly, draft, template]);
  const part = parts.find((one) => one.version === version) ?? parts[0];
  return (
    <div className={classes.halves}>
      <Panel title={'Template'}>
        <ObjectEditor
          kind={type.kind}
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
            label="Preview version"
            description="If a template has versions, its top-level definition is not used."
            mb="md"
            value={part.version}
            onChange={(event) => setVersion(event.currentTarget.value)}
            data={parts.map((one) => one.version)}
          />
        ) : null}
        {part === undefined ? null : <RenderedPanel type={type} part={part} onProblems={setProblems} />}
      </div>
    </div>
  );
}
