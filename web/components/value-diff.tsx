import type { JsonValue } from '../../src/lib/json-value.ts';
import { lazyPart } from './lazy-part.tsx';

export interface ValueDiffProps {
  readonly label: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** What differs between two values, as YAML. What shows it is fetched when it is first needed. */
export const ValueDiff = lazyPart<ValueDiffProps>(
  async () => (await import('./editor/editor.ts')).ValueDiffView,
  'Fetching what compares texts',
);
