import type { KubeObject } from '../../src/api/meta.ts';
import type { ApiRoot } from '../data/api-root.ts';
import type { KindRef } from '../data/kind-ref.ts';
import { lazyPart } from './lazy-part.tsx';
import type { TextProblem } from './yaml-field.tsx';

export interface ObjectEditorProps {
  readonly kind: KindRef;
  /** The API server of the object. Optional; defaults to the management API. */
  readonly root?: ApiRoot;
  /** The current object. The page passes every newer version, which is merged with unsaved changes. */
  readonly object: KubeObject;
  readonly readOnly?: boolean;
  readonly onSaved?: (object: KubeObject) => void;
  /** Called with the parsed object on each change of the text, also before it is saved. */
  readonly onDraft?: (object: KubeObject) => void;
  /** Problems that the page itself found in the draft. */
  readonly problems?: readonly TextProblem[];
  /** Optional; defaults to "YAML". */
  readonly label?: string;
}

/** An editor for an object as YAML, with review and merge. Its script is loaded on first use. */
export const ObjectEditor = lazyPart<ObjectEditorProps>(
  async () => (await import('./editor/editor.ts')).ObjectEditorPanel,
  'Loading editor',
);
