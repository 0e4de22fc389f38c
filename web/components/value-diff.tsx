import type { ValueDiffProps } from './editor/editor-props.ts';
import { lazyPart } from './lazy-part.tsx';

/** A YAML diff of two values. Its script is loaded on first use. */
export const ValueDiff = lazyPart<ValueDiffProps>(
  async () => (await import('./editor/editor.ts')).ValueDiffView,
  'Loading diff view',
);
