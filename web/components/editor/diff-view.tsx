import { unifiedMergeView } from '@codemirror/merge';
import { Switch } from '@mantine/core';
import { useId, useState } from 'react';
import classes from './code.module.css';
import { useCodeView } from './use-code-view.ts';
import { viewExtensions } from './yaml-extensions.ts';

export interface DiffViewProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** A unified diff of two texts. Unchanged lines are collapsed except for a few lines of context. */
export function DiffView({ label, before, after }: DiffViewProps) {
  const id = useId();
  const [isWhole, setWhole] = useState(false);
  const { element } = useCodeView({
    value: after,
    recreateKey: `${isWhole} ${before}`,
    extensions: () => [
      viewExtensions({ labelledBy: id, readOnly: true }),
      unifiedMergeView({
        original: before,
        mergeControls: false,
        ...(isWhole ? {} : { collapseUnchanged: { margin: 3, minSize: 5 } }),
      }),
    ],
  });
  return (
    <div>
      <div className={classes.head}>
        <span id={id} className={classes.label}>
          {label}
        </span>
        <Switch size="xs" label="Show all lines" checked={isWhole} onChange={() => setWhole(!isWhole)} />
      </div>
      <div ref={element} className={classes.code} />
    </div>
  );
}
