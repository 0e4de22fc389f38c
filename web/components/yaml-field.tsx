import type { YamlFieldProps } from './editor/editor-props.ts';
import { lazyPart } from './lazy-part.tsx';

/** A YAML editor with highlighting, completion and hints. Its script is loaded on first use. */
export const YamlField = lazyPart<YamlFieldProps>(
  async () => (await import('./editor/editor.ts')).YamlEditor,
  'Loading editor',
);
