import type { ObjectEditorProps } from '../editor/editor-props.ts';
import { lazyComponent } from '../lazy-component.tsx';

/** An editor for an object as YAML, with review and merge. Its script is loaded on first use. */
export const ObjectEditor = lazyComponent<ObjectEditorProps>(
  async () => (await import('../editor/editor.ts')).ObjectEditorPanel,
  'Loading editor',
);
