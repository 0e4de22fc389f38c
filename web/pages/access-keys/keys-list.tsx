import { useCallback, useMemo, useState } from 'react';
import type { AccessKey } from '../../../src/api/management/v1/access-key.ts';
import { DeleteButton } from '../../components/delete-button.tsx';
import type { EmptyStateProps } from '../../components/empty-state.tsx';
import { BulkDialog } from '../../components/list/bulk-dialog.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { pluralize } from '../../data/format-text.ts';
import type { KindRef } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects/objects.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { hiddenKeyColumns, keyCells, keyColumns } from './key-columns.tsx';
import { type KeyAction, KeyDialog } from './key-dialogs.tsx';
import { KeyMenu } from './key-menu.tsx';
import { useKeyPermissions } from './use-key-permissions.ts';

export interface KeysListProps {
  /** The listed objects in the plural, for labels: "access keys" or "sessions". */
  readonly what: string;
  /** The kind to list: the caller's own keys, or all keys. */
  readonly kind: KindRef<AccessKey>;
  readonly fieldSelector?: string;
  readonly filters?: readonly string[];
  /** Names of columns to hide because all rows have the same value. */
  readonly hiddenColumns?: readonly string[];
  /** Names of columns that are shown only when "More columns" is on. */
  readonly wideColumns?: readonly string[];
  readonly empty: EmptyStateProps;
}

const noNames: readonly string[] = [];

/** A live list of access keys, with the actions on each key. */
export function KeysList({
  what,
  kind,
  fieldSelector,
  filters = noNames,
  hiddenColumns = noNames,
  wideColumns = noNames,
  empty,
}: KeysListProps) {
  const rows = useRows({ kind, objects: true, ...(fieldSelector === undefined ? {} : { fieldSelector }) });
  const { mayCreate, mayChange, mayDelete } = useKeyPermissions(kind);
  const [openAction, setOpenAction] = useState<{ readonly action: KeyAction; readonly row: Row<AccessKey> }>();
  const [deleting, setDeleting] = useState<{ readonly rows: readonly Row<AccessKey>[]; clear(): void }>();
  const columns = useMemo(
    () =>
      keyColumns
        .filter(({ name }) => !hiddenColumns.includes(name))
        .map((column) => (wideColumns.includes(column.name) ? { ...column, isWide: true } : column)),
    [hiddenColumns, wideColumns],
  );
  const rowActions = useCallback(
    (row: Row<AccessKey>) => (
      <KeyMenu
        accessKey={row.object}
        permissions={{ mayCreate, mayChange, mayDelete }}
        onAct={(action) => setOpenAction({ action, row })}
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
        hiddenColumns={hiddenKeyColumns}
        cells={keyCells}
        filters={filters}
        empty={empty}
        rowActions={rowActions}
        {...(mayDelete
          ? {
              bulk: (selected: readonly Row<AccessKey>[], clear: () => void) => (
                <DeleteButton size="compact-sm" onClick={() => setDeleting({ rows: selected, clear })} />
              ),
            }
          : {})}
      />
      {openAction === undefined ? null : (
        <KeyDialog
          action={openAction.action}
          kind={kind}
          accessKey={openAction.row.object}
          onClose={() => setOpenAction(undefined)}
        />
      )}
      {deleting === undefined ? null : (
        <BulkDialog
          title={`Delete ${pluralize(deleting.rows.length, 'access key')}?`}
          about="The keys stop working at once, and their open connections are closed. This cannot be undone."
          action={`Delete ${deleting.rows.length}`}
          doneLabel="deleted"
          danger
          items={deleting.rows.map(({ key, metadata: { name = '', uid } }) => ({ key, name, uid }))}
          run={({ name, uid }) => deleteObject(kind, { name }, { uid })}
          onClose={(isTried) => {
            if (isTried) deleting.clear();
            setDeleting(undefined);
          }}
        />
      )}
    </>
  );
}
