import type { ApiRoot } from '../data/api-root.ts';
import type { KindRef } from '../data/kind-ref.ts';
import { lazyPart } from './lazy-part.tsx';

/** Something that is wrong with a text: at a field, at a line (from 1), or with all of it. */
export interface TextProblem {
  /** As the server writes it: `spec.template.values`, `spec.parameters[0].type`. */
  readonly path?: string;
  readonly line?: number;
  readonly message: string;
}

export interface YamlFieldProps {
  readonly label: string;
  readonly value: string;
  /** Absent: it can be read only. */
  readonly onChange?: (value: string) => void;
  readonly readOnly?: boolean;
  /** Of which kind the object in the text is: names, values and hints come from the server's own schema of it. */
  readonly schema?: { readonly kind: KindRef; readonly root?: ApiRoot };
  readonly problems?: readonly TextProblem[];
  /** In pixels. */
  readonly minHeight?: number;
}

/** A text in YAML with colours, completion and hints. The editor is fetched when it is first needed. */
export const YamlField = lazyPart<YamlFieldProps>(
  async () => (await import('./editor/editor.ts')).YamlEditor,
  'Fetching the editor',
);
