import { useState } from 'react';
import { DisplayFieldInputs } from '../../components/form/display-field-inputs.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { displayFieldsPatch } from '../../data/objects/display-fields.ts';
import { patchObject } from '../../data/objects/objects.ts';
import { isUserHeld, type KeyWithKind, keySpec } from './key-spec.ts';
import { type Lifetime, LifetimeFields } from './lifetime-fields.tsx';

/**
 * A dialog that edits the display name, description and lifetime of an access key. To change the scope, users edit the
 * YAML or duplicate the key.
 */
export function EditKey({ kind, accessKey, onClose }: KeyWithKind & { readonly onClose: () => void }) {
  const { name = '' } = accessKey.metadata;
  // The values when the form was opened. Only fields that differ from these values are sent.
  const [before] = useState(() => keySpec(accessKey));
  const lifetimeBefore: Lifetime = { ttl: before.ttl ?? 0, afterUse: before.ttlAfterLastActivity === true };
  const { displayName = '', description = '' } = before;
  const [described, setDescribed] = useState({ displayName, description });
  const [lifetime, setLifetime] = useState(lifetimeBefore);

  async function send(): Promise<void> {
    const isChanged = lifetime.ttl !== lifetimeBefore.ttl || lifetime.afterUse !== lifetimeBefore.afterUse;
    await patchObject(
      kind,
      { name },
      {
        spec: {
          ...displayFieldsPatch(described, { displayName, description }),
          ...(isChanged ? { ttl: lifetime.ttl, ttlAfterLastActivity: lifetime.ttl > 0 && lifetime.afterUse } : {}),
        },
      },
    );
    notify.done(`Saved ${name}`);
  }

  return (
    <FormDialog title={`Edit ${name}`} action="Save" onSend={send} onClose={onClose}>
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <DisplayFieldInputs value={described} onChange={setDescribed} problem={problem} autoFocus />
            {isUserHeld(before) ? (
              <LifetimeFields
                value={lifetime}
                onChange={setLifetime}
                error={problem('spec.ttl')}
                about="The lifetime starts when the key is created. With Renew on use, each use restarts it."
              />
            ) : null}
          </>
        );
      }}
    </FormDialog>
  );
}
