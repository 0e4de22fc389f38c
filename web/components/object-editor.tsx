import type { KubeObject } from '../../src/api/meta.ts';
import type { ApiRoot } from '../data/api-root.ts';
import type { KindRef } from '../data/kind-ref.ts';
import { lazyPart } from './lazy-part.tsx';
import type { TextProblem } from './yaml-field.tsx';

export interface ObjectEditorProps {
  readonly kind: KindRef;
  /** Which API server has it; absent: the management API. */
  readonly root?: ApiRoot;
  /** As it is now: the page gives every newer one, and what is typed meanwhile is merged with it. */
  readonly object: KubeObject;
  readonly readOnly?: boolean;
  readonly onSaved?: (object: KubeObject) => void;
  /** What the text says each time it can be read, also before it is saved. */
  readonly onDraft?: (object: KubeObject) => void;
  /** What the page itself has found wrong with the draft. */
  readonly problems?: readonly TextProblem[];
  /** Absent: "YAML". */
  readonly label?: string;
}

/** An object as YAML to be read, changed, compared and saved. The editor is fetched when it is first needed. */
export const ObjectEditor = lazyPart<ObjectEditorProps>(
  async () => (await import('./editor/editor.ts')).ObjectEditorPanel,
  'Fetching the editor',
);
