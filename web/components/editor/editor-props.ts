import type { JsonValue } from '@flotilla/json';
import type { KubeObject } from '../../../src/api/meta.ts';
import type { ApiRoot } from '../../data/api-root.ts';
import type { KindRef } from '../../data/kind-ref.ts';

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

export interface ValueDiffProps {
  readonly label: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}
