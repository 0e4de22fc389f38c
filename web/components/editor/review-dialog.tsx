import { Text } from '@mantine/core';
import type { KubeObject } from '../../../src/api/meta.ts';
import { FormDialog } from '../form-dialog.tsx';
import { DiffView } from './diff-view.tsx';
import { fieldChanges } from './field-changes.ts';
import { fieldText } from './field-steps.ts';
import { writtenPart, writtenText } from './object-draft.ts';

export interface ReviewDialogProps {
  readonly before: KubeObject;
  /** As the server would keep it: with what it fills in by itself. */
  readonly after: KubeObject;
  onSave(): Promise<void>;
  onClose(): void;
}

const mostNamed = 5;

/** What a save will change, before it does. */
export function ReviewDialog({ before, after, onSave, onClose }: ReviewDialogProps) {
  const changes = fieldChanges(writtenPart(before), writtenPart(after));
  const names = changes.slice(0, mostNamed).map(({ steps }) => fieldText(steps));
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
          <Text>The server would keep it exactly as it is: there is nothing to save.</Text>
        ) : (
          <>
            <Text size="sm">
              {changes.length === 1 ? 'One field changes' : `${changes.length} fields change`}:{' '}
              <span className="mono">{names.join(', ')}</span>
              {more > 0 ? ` and ${more} more` : ''}. The server has checked it.
            </Text>
            <DiffView label="What changes" before={writtenText(before)} after={writtenText(after)} />
          </>
        )
      }
    </FormDialog>
  );
}
