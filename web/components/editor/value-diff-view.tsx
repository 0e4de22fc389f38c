import { Text } from '@mantine/core';
import { yamlText } from '../../../src/lib/yaml-text.ts';
import type { ValueDiffProps } from '../value-diff.tsx';
import { DiffView } from './diff-view.tsx';

/** What `ValueDiff` shows once it is fetched. */
export function ValueDiffView({ label, before, after }: ValueDiffProps) {
  const [from, to] = [yamlText(before), yamlText(after)];
  if (from === to) return <Text size="sm">Both are the same.</Text>;
  return <DiffView label={label} before={from} after={to} />;
}
