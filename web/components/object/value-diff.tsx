import type { ValueDiffProps } from '../editor/editor-props.ts';
import { lazyComponent } from '../lazy-component.tsx';

/** A YAML diff of two values. Its script is loaded on first use. */
export const ValueDiff = lazyComponent<ValueDiffProps>(
  async () => (await import('../editor/editor.ts')).ValueDiffView,
  'Loading diff view',
);
