import { List, Text } from '@mantine/core';
import type { OffboardingItem } from '../../../src/api/management/v1/subresources/user-offboarding.ts';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { actionTexts, kindText, summarizeItems } from './offboarding-items.ts';

export interface ItemsTableProps {
  readonly label: string;
  readonly items: readonly OffboardingItem[];
  /** The tense of the actions: planned or completed. */
  readonly tense: 'planned' | 'done';
}

/** A table of everything that a user holds, with what happens to it, and a summary with the number of objects. */
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
          // Virtual clusters of a project can contain credentials of the same name. Their messages differ.
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
