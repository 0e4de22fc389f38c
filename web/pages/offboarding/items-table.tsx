import { Badge, Group, Text } from '@mantine/core';
import type { OffboardingItem } from '../../../src/api/management/v1/subresources/user-offboarding.ts';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { actionTexts, countActions } from './offboarding-items.ts';

export interface ItemsTableProps {
  readonly label: string;
  readonly items: readonly OffboardingItem[];
  /** The tense of the actions: what would happen, or what has happened. */
  readonly tense: 'planned' | 'done';
}

/** A table of everything that a user holds, with what happens to it, and the number of items of each action. */
export function ItemsTable({ label, items, tense }: ItemsTableProps) {
  if (items.length === 0) return <Text size="sm">Nothing.</Text>;
  return (
    <>
      <Group gap="xs" mb="md">
        {countActions(items).map(({ action, count }) => (
          <Badge key={action} variant="default" tt="none" radius="sm">
            {actionTexts[action][tense]}: {count}
          </Badge>
        ))}
      </Group>
      <SimpleTable
        label={label}
        head={['Action', 'Kind', 'Name', 'Details']}
        rows={items.map((item) => ({
          // Virtual clusters of a project can contain credentials of the same name. Their messages differ.
          key: [item.action, item.kind, item.project ?? '', item.name, item.message ?? ''].join('/'),
          cells: [
            actionTexts[item.action][tense],
            item.kind,
            item.project === undefined ? item.name : `${item.project}/${item.name}`,
            item.message,
          ],
        }))}
      />
    </>
  );
}
