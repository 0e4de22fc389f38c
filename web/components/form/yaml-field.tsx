import type { YamlFieldProps } from '../editor/editor-props.ts';
import { lazyComponent } from '../lazy-component.tsx';

/** A YAML editor with highlighting, completion and hints. Its script is loaded on first use. */
export const YamlField = lazyComponent<YamlFieldProps>(
  async () => (await import('../editor/editor.ts')).YamlEditor,
  'Loading editor',
);
