import type { ApiRoot } from '../data/api-root.ts';
import type { KindRef } from '../data/kind-ref.ts';
import { lazyPart } from './lazy-part.tsx';

/** A problem in a text: at a field, at a line (from 1), or with the text as a whole. */
export interface TextProblem {
  /** The path as the server writes it: `spec.template.values`, `spec.parameters[0].type`. */
  readonly path?: string;
  readonly line?: number;
  readonly message: string;
}

export interface YamlFieldProps {
  readonly label: string;
  readonly value: string;
  /** Optional; without it the field is read-only. */
  readonly onChange?: (value: string) => void;
  readonly readOnly?: boolean;
  /** The kind of the object in the text; its schema provides completion and hints. */
  readonly schema?: { readonly kind: KindRef; readonly root?: ApiRoot };
  readonly problems?: readonly TextProblem[];
  /** In pixels. */
  readonly minHeight?: number;
}

/** A YAML editor with highlighting, completion and hints. Its script is loaded on first use. */
export const YamlField = lazyPart<YamlFieldProps>(
  async () => (await import('./editor/editor.ts')).YamlEditor,
  'Loading editor',
);
