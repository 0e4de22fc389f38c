import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { yamlText } from '../../../src/lib/yaml-text.ts';
import { keptPart } from './object-draft.ts';
import classes from './object-editor.module.css';
import { YamlEditor } from './yaml-editor.tsx';

/** What the server writes into an object: to be looked at. */
export function KeptDetails({ object }: { readonly object: KubeObject }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.kept} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Status, and what the server keeps about it</summary>
      {isOpen ? <YamlEditor label="Written by the server" value={yamlText(keptPart(object))} readOnly /> : null}
    </details>
  );
}
