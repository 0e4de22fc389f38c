import { Button } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { BulkDialog } from '../../components/bulk-dialog.tsx';
import type { EmptyStateProps } from '../../components/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { counted } from '../../data/in-words.ts';
import type { KindRef } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects.ts';
import type { Row } from '../../data/table-rows.ts';
import { useRows } from '../../data/use-rows.ts';
import { columnsLeftOut, keyCells, keyColumns } from './key-columns.tsx';
import { type KeyAction, KeyDialog } from './key-dialogs.tsx';
import { KeyMenu } from './key-menu.tsx';
import { useKeyRights } from './use-key-rights.ts';

export interface KeysListProps {
  /** The plural of what is listed, in words: "access keys". */
  readonly what: string;
  /** One's own keys, or everybody's. */
  readonly kind: KindRef;
  readonly fieldSelector?: string;
  readonly filters?: readonly string[];
  /** Columns that say the same of all of them. */
  readonly without?: readonly string[];
  readonly empty: EmptyStateProps;
}

const noNames: readonly string[] = [];

/** Keys as they are now, with what can be done with each. */
export function KeysList({ what, kind, fieldSelector, filters = noNames, without = noNames, empty }: KeysListProps) {
  const rows = useRows({ kind, objects: true, ...(fieldSelector === undefined ? {} : { fieldSelector }) });
  const { mayCreate, mayChange, mayDelete } = useKeyRights(kind);
  const [asked, setAsked] = useState<{ readonly action: KeyAction; readonly row: Row }>();
  const [leaving, setLeaving] = useState<{ readonly rows: readonly Row[]; clear(): void }>();
  const columns = useMemo(() => keyColumns.filter(({ name }) => !without.includes(name)), [without]);
  const rowActions = useCallback(
    (row: Row) => (
      <KeyMenu
        accessKey={row.object}
        rights={{ mayCreate, mayChange, mayDelete }}
        onAct={(action) => setAsked({ action, row })}
      />
    ),
    [mayCreate, mayChange, mayDelete],
  );
  return (
    <>
      <ResourceList
        what={what}
        rows={rows}
        extraColumns={columns}
        leaveOut={columnsLeftOut}
        cells={keyCells}
        filters={filters}
        empty={empty}
        rowActions={rowActions}
        {...(mayDelete
          ? {
              bulk: (selected: readonly Row[], clear: () => void) => (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<Icon name="trash" size={14} />}
                  onClick={() => setLeaving({ rows: selected, clear })}
                >
                  Delete
                </Button>
              ),
            }
          : {})}
      />
      {asked === undefined ? null : (
        <KeyDialog action={asked.action} kind={kind} accessKey={asked.row.object} onClose={() => setAsked(undefined)} />
      )}
      {leaving === undefined ? null : (
        <BulkDialog
          title={`Delete ${counted(leaving.rows.length, 'key')}?`}
          about="From the next request on they open nothing, and whatever was opened with them is closed. This cannot be undone."
          action={`Delete ${leaving.rows.length}`}
          doneWord="deleted"
          danger
          items={leaving.rows.map(({ key, metadata: { name = '', uid } }) => ({ key, name, uid }))}
          run={({ name, uid }) => deleteObject(kind, { name }, { uid })}
          onClose={(isTried) => {
            if (isTried) leaving.clear();
            setLeaving(undefined);
          }}
        />
      )}
    </>
  );
}
