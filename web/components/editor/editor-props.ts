import type { JsonValue } from '@flotilla/json';
import type { KubeObject } from '../../../src/api/meta.ts';
import type { ApiRoot } from '../../data/api-root.ts';
import type { KindRef } from '../../data/kind-ref.ts';

/** A problem in a YAML text: at a field, at a line (counted from 1), or with the text as a whole. */
export interface TextProblem {
  /** The path of the field as the server writes it: `spec.template.values` or `spec.parameters[0].type`. */
  readonly path?: string;
  readonly line?: number;
  readonly message: string;
}

export interface YamlFieldProps {
  readonly label: string;
  readonly value: string;
  /** Called with the new text after each edit. Optional; without it the field is read-only. */
  readonly onChange?: (value: string) => void;
  readonly readOnly?: boolean;
  /** The kind of the object in the text. Its schema provides completion and hints. */
  readonly schema?: { readonly kind: KindRef; readonly root?: ApiRoot };
  readonly problems?: readonly TextProblem[];
  /** The minimum height in pixels. */
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
  /** Called with the parsed object after each change of the text, before it is saved. */
  readonly onDraft?: (object: KubeObject) => void;
  /** Problems that the page itself found in the edited object. */
  readonly problems?: readonly TextProblem[];
  /** The label of the editor. Optional; defaults to "YAML". */
  readonly label?: string;
}

export interface ValueDiffProps {
  readonly label: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}
