import { type Diagnostic, forEachDiagnostic, setDiagnosticsEffect } from '@codemirror/lint';
import { EditorView } from '@codemirror/view';
import { useEffect, useId, useState } from 'react';
import { CopyButton } from '../copy-button.tsx';
import classes from './code.module.css';
import type { YamlFieldProps } from './editor-props.ts';
import { ProblemList } from './problems/problem-list.tsx';
import { problemLinter, showProblems } from './problems/problem-marks.ts';
import { fetchSchema } from './schema/open-api.ts';
import { fieldHint, schemaSupport, setSchema } from './schema/schema-support.ts';
import { useCodeView } from './use-code-view.ts';
import { editExtensions, viewExtensions } from './yaml-extensions.ts';

/** The implementation of `YamlField`, loaded on demand. */
export function YamlEditor(props: YamlFieldProps) {
  const { label, value, onChange, schema, problems, minHeight = 160 } = props;
  const readOnly = props.readOnly === true || onChange === undefined;
  const id = useId();
  const [found, setFound] = useState<readonly Diagnostic[]>([]);
  const [hint, setHint] = useState('');
  const { element, view } = useCodeView({
    value,
    onChange,
    recreateKey: String(readOnly),
    extensions: () => [
      viewExtensions({ labelledBy: `${id}label`, describedBy: readOnly ? undefined : `${id}keys`, readOnly }),
      readOnly ? [] : editExtensions,
      schemaSupport,
      problemLinter,
      EditorView.updateListener.of(({ state, transactions, docChanged, selectionSet }) => {
        if (docChanged || selectionSet) setHint(fieldHint(state));
        if (!transactions.some(({ effects }) => effects.some((effect) => effect.is(setDiagnosticsEffect)))) return;
        const now: Diagnostic[] = [];
        forEachDiagnostic(state, (diagnostic, from, to) => now.push({ ...diagnostic, from, to }));
        setFound(now);
      }),
    ],
  });

  const kind = schema?.kind;
  const root = schema?.root;
  useEffect(() => {
    if (view === undefined || kind === undefined || readOnly) return;
    let isMounted = true;
    void fetchSchema(kind, root).then((tree) => {
      if (isMounted) view.dispatch({ effects: setSchema.of(tree) });
    });
    return () => {
      isMounted = false;
    };
  }, [view, kind, root, readOnly]);

  // When the page reports problems again, shows all of them, even in lines that were edited since the previous report.
  useEffect(() => {
    if (view !== undefined) showProblems(view, problems ?? []);
  }, [view, problems]);

  return (
    <div>
      <div className={classes.head}>
        <span id={`${id}label`} className={classes.label}>
          {label}
        </span>
        <CopyButton text={value} what="text" />
      </div>
      <div ref={element} className={classes.code} style={{ '--code-least': `${minHeight}px` } as object} />
      {view === undefined || found.length === 0 ? null : <ProblemList view={view} problems={found} />}
      {readOnly ? null : (
        <div className={classes.foot}>
          {schema === undefined ? null : <span>{hint === '' ? 'Press Ctrl+Space for suggestions.' : hint}</span>}
          <span id={`${id}keys`}>Tab indents. Press Escape, then Tab to leave the editor.</span>
        </div>
      )}
    </div>
  );
}
