import { Button } from '@mantine/core';
import { memo, useCallback } from 'react';
import { Icon } from '../../../components/icon.tsx';
import type { KindRef } from '../../../data/kind-ref.ts';
import type { Row } from '../../../data/rows/table-rows.ts';
import { usePermittedRows } from '../../../data/rows/use-permitted-rows.ts';
import type { InstanceChangeRequest } from './change-dialog.tsx';
import { type InstanceChange, instanceChanges } from './instance-change.ts';

interface BulkButtonsProps {
  readonly kind: KindRef;
  readonly rows: readonly Row[];
  statusOf(row: Row): string;
  onAsk(request: InstanceChangeRequest): void;
  onClear(): void;
}

/** The buttons for actions on the selected rows. */
export function BulkButtons({ kind, rows, statusOf, onAsk, onClear }: BulkButtonsProps) {
  const ask = useCallback(
    (request: InstanceChangeRequest) => onAsk({ ...request, onAttempted: onClear }),
    [onAsk, onClear],
  );
  return (
    <>
      {instanceChanges.map((change) => (
        <BulkButton key={change.label} kind={kind} change={change} rows={rows} statusOf={statusOf} onAsk={ask} />
      ))}
      <Button size="compact-sm" variant="subtle" color="gray" onClick={onClear}>
        Clear selection
      </Button>
    </>
  );
}

interface BulkButtonProps extends Omit<BulkButtonsProps, 'onClear'> {
  readonly change: InstanceChange;
}

/**
 * A button that makes one type of change to the selected rows. It is memoized, because the list changes often and
 * thousands of rows may be selected.
 */
const BulkButton = memo(function BulkButton({ kind, change, rows, statusOf, onAsk }: BulkButtonProps) {
  const fitting = rows.filter((row) => change.appliesTo(statusOf(row)));
  const { known, isPermitted } = usePermittedRows(kind, change.verb, fitting);
  const allowed = known ? fitting.filter(isPermitted) : [];
  if (allowed.length === 0) return null;
  return (
    <Button
      size="compact-sm"
      variant="light"
      color={change.danger ? 'red' : 'tide'}
      leftSection={<Icon name={change.icon} size={15} />}
      onClick={() => onAsk({ change, rows: allowed, skipped: rows.length - allowed.length })}
    >
      {change.label} {allowed.length === rows.length ? '' : allowed.length}
    </Button>
  );
});
