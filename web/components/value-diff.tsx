import type { JsonValue } from '../../src/lib/json-value.ts';
import { lazyPart } from './lazy-part.tsx';

export interface ValueDiffProps {
  readonly label: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** A YAML diff of two values. Its script is loaded on first use. */
export const ValueDiff = lazyPart<ValueDiffProps>(
  async () => (await import('./editor/editor.ts')).ValueDiffView,
  'Loading diff view',
);
