import { yamlText } from '@flotilla/yaml';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { serverPart } from './object-draft.ts';
import classes from './object-editor.module.css';
import { YamlEditor } from './yaml-editor.tsx';

/** A read-only view of the status and of the metadata fields that the server manages. */
export function ServerFields({ object }: { readonly object: KubeObject }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.kept} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Status and server-managed fields</summary>
      {isOpen ? <YamlEditor label="Server-managed fields" value={yamlText(serverPart(object))} readOnly /> : null}
    </details>
  );
}
