import { BulkDialog } from '../../../components/bulk-dialog.tsx';
import type { Row } from '../../../data/table-rows.ts';
import { type InstanceChange, projectOf } from './instance-change.ts';

export interface AskedChange {
  readonly change: InstanceChange;
  /** Those that it is for. */
  readonly rows: readonly Row[];
  /** How many more were ticked, for which it makes no sense or which one may not change. */
  readonly leftOut?: number;
  /** Called once it was tried. */
  readonly onTried?: () => void;
}

interface ChangeDialogProps {
  readonly asked: AskedChange;
  onClose(): void;
}

/** One question for all of them. What cannot be undone asks for more than a click: the name, or how many. */
export function ChangeDialog({ asked: { change, rows, leftOut = 0, onTried }, onClose }: ChangeDialogProps) {
  const only = rows.length === 1 ? (rows[0]?.metadata.name ?? '') : undefined;
  const names = only ?? `${rows.length} virtual clusters`;
  return (
    <BulkDialog
      title={change.title(names)}
      about={change.about}
      leftOut={leftOut === 0 ? undefined : leftOutText(leftOut)}
      action={`${change.word} ${only ?? rows.length}`}
      doneWord={change.doneWord}
      danger={change.danger}
      typed={change.danger ? (only ?? String(rows.length)) : undefined}
      items={rows.map((row) => ({ key: row.key, name: row.metadata.name ?? '', where: projectOf(row), row }))}
      run={({ row }) => change.run(row)}
      onClose={(isTried) => {
        onClose();
        if (isTried) onTried?.();
      }}
    />
  );
}

function leftOutText(count: number): string {
  const what = count === 1 ? '1 more that you ticked is' : `${count} more that you ticked are`;
  return `${what} left out: as it stands, or with your rights, this cannot be done there.`;
}
