import { yamlText } from '@flotilla/yaml';
import { Text } from '@mantine/core';
import { DiffView } from './diff-view.tsx';
import type { ValueDiffProps } from './editor-props.ts';

/** The implementation of `ValueDiff`, loaded on demand. */
export function ValueDiffView({ label, before, after }: ValueDiffProps) {
  const [from, to] = [yamlText(before), yamlText(after)];
  if (from === to) return <Text size="sm">No differences.</Text>;
  return <DiffView label={label} before={from} after={to} />;
}
