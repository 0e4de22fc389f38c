import { BulkDialog } from '../../../components/list/bulk-dialog.tsx';
import type { InstanceType } from '../../../data/instance-types.ts';
import type { Row } from '../../../data/rows/table-rows.ts';
import { type InstanceChange, projectOf } from './instance-change.ts';

export interface InstanceChangeRequest {
  readonly change: InstanceChange;
  /** The rows to change. */
  readonly rows: readonly Row[];
  /** The number of selected rows that are skipped because of their status or missing permissions. */
  readonly skipped?: number;
  /** Called after the change was attempted, even if it failed for some rows. */
  readonly onAttempted?: () => void;
}

interface ChangeDialogProps {
  readonly type: InstanceType;
  readonly request: InstanceChangeRequest;
  onClose(): void;
}

/**
 * A dialog that confirms a change of one or more instances. To delete a single instance, the user must type its name.
 * To delete several, the user must type how many.
 */
export function InstanceChangeDialog({
  type,
  request: { change, rows, skipped = 0, onAttempted },
  onClose,
}: ChangeDialogProps) {
  const only = rows.length === 1 ? (rows[0]?.metadata.name ?? '') : undefined;
  const names = only ?? `${rows.length} ${type.noun}s`;
  return (
    <BulkDialog
      title={change.title(names)}
      about={change.about(type)}
      skippedNote={skipped === 0 ? undefined : leftOutText(skipped, type)}
      action={`${change.label} ${only ?? rows.length}`}
      doneLabel={change.doneLabel}
      danger={change.danger}
      confirmationText={change.danger ? (only ?? String(rows.length)) : undefined}
      items={rows.map((row) => ({ key: row.key, name: row.metadata.name ?? '', where: projectOf(row), row }))}
      run={({ row }) => change.run(row, type)}
      onClose={(isTried) => {
        onClose();
        if (isTried) onAttempted?.();
      }}
    />
  );
}

function leftOutText(count: number, { noun }: InstanceType): string {
  const what = count === 1 ? `1 selected ${noun} is` : `${count} selected ${noun}s are`;
  return `${what} skipped, because the status or your permissions do not allow this change.`;
}
