import { Text } from '@mantine/core';
import type { KubeObject } from '../../../src/api/meta.ts';
import { FormDialog } from '../form/form-dialog.tsx';
import { DiffView } from './diff-view.tsx';
import { fieldChanges } from './merge/field-changes.ts';
import { fieldPathText } from './merge/field-path.ts';
import { editablePart, editableText } from './object-draft.ts';

export interface ReviewDialogProps {
  readonly before: KubeObject;
  /** The object as the server would store it, including defaults. */
  readonly after: KubeObject;
  onSave(): Promise<void>;
  onClose(): void;
}

const maxNamed = 5;

/** A dialog that shows the changes to an object before they are saved. */
export function ReviewDialog({ before, after, onSave, onClose }: ReviewDialogProps) {
  const changes = fieldChanges(editablePart(before), editablePart(after));
  const names = changes.slice(0, maxNamed).map(({ steps }) => fieldPathText(steps));
  const more = changes.length - names.length;
  return (
    <FormDialog
      title={`Save ${before.metadata.name ?? 'the object'}?`}
      action="Save"
      size="xl"
      canSend={changes.length > 0}
      onSend={onSave}
      onClose={onClose}
    >
      {() =>
        changes.length === 0 ? (
          <Text>There are no changes to save.</Text>
        ) : (
          <>
            <Text size="sm">
              {changes.length === 1 ? '1 field changes' : `${changes.length} fields change`}:{' '}
              <span className="mono">{names.join(', ')}</span>
              {more > 0 ? ` and ${more} more` : ''}. The server has validated the changes.
            </Text>
            <DiffView label="Changes" before={editableText(before)} after={editableText(after)} />
          </>
        )
      }
    </FormDialog>
  );
}
