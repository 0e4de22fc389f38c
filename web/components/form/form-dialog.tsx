import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { StatusError } from '../../../src/api/status.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { Dialog } from './dialog.tsx';

export interface FormDialogProps {
  readonly title: string;
  /** The label of the submit button. */
  readonly action: string;
  /** True if the form is complete enough to submit it. Optional; defaults to true. */
  readonly canSend?: boolean;
  readonly size?: string;
  /** Submits the form. If it rejects, the dialog stays open with all input and shows the error. */
  onSend(): Promise<void>;
  onClose(): void;
  /** Renders the form fields. Receives the error of the last submission, so the fields can show their problems. */
  children(error: unknown): ReactNode;
}

/** A dialog with a form. Open as long as it is mounted. */
export function FormDialog({ title, action, canSend = true, size = 'md', onSend, onClose, children }: FormDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isShownAtFields, setShownAtFields] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  // Focuses the first invalid field after a failed submission. The submit button lost the focus because it was disabled
  // during the submission.
  useLayoutEffect(() => {
    if (error === undefined) return;
    const wrong = form.current?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [];
    const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
    setShownAtFields(causes.length > 0 && wrong.length === causes.length);
    const next = wrong[0] ?? form.current?.querySelector<HTMLElement>('button[type="submit"]');
    next?.focus();
  }, [error]);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    try {
      await onSend();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <Dialog onClose={onClose} title={title} size={size} keepOpenOnClickOutside>
      <form ref={form} onSubmit={(event) => void submit(event)} noValidate>
        <Stack gap="md">
          {children(error)}
          {error === undefined || isShownAtFields ? null : <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={!canSend}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
