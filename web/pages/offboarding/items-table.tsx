import { List, Text } from '@mantine/core';
import type { OffboardingItem } from '../../../src/api/management/v1/subresources/user-offboarding.ts';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { actionTexts, kindText, summarizeItems } from './offboarding-items.ts';

export interface ItemsTableProps {
  readonly label: string;
  readonly items: readonly OffboardingItem[];
  /** The tense in which actions are described: planned or done. */
  readonly tense: 'planned' | 'done';
}

/** A table of everything that a user has, with the action for each item. A summary shows the number of objects. */
export function ItemsTable({ label, items, tense }: ItemsTableProps) {
  if (items.length === 0) return <Text size="sm">Nothing.</Text>;
  return (
    <>
      <List size="sm" mb="md">
        {summarizeItems(items, tense).map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
      <SimpleTable
        label={label}
        head={['Action', 'Kind', 'Name', 'Details']}
        rows={items.map((item) => ({
          // The key contains the message, because several virtual clusters of a project can have credentials with the
          // same name.
          key: [item.action, item.kind, item.project ?? '', item.name, item.message ?? ''].join('/'),
          cells: [
            actionTexts[item.action][tense],
            capitalized(kindText(item.kind)),
            item.project === undefined ? item.name : `${item.project}/${item.name}`,
            item.message,
          ],
        }))}
      />
    </>
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
