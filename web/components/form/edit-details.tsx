import { useState } from 'react';
import type { Owner } from '../../../src/api/management/v1/owner.ts';
import type { TypedObject } from '../../../src/api/meta.ts';
import { fieldProblems } from '../../data/field-problems.ts';
import type { KindRef } from '../../data/kind-ref.ts';
import { changedMembers } from '../../data/objects/changed-members.ts';
import { type DisplayFields, displayFieldsPatch } from '../../data/objects/display-fields.ts';
import { patchObject } from '../../data/objects/objects.ts';
import { ownerOf, ownerPatch } from '../../data/owner.ts';
import { usePermission } from '../../data/permissions.ts';
import { notify } from '../notifications.tsx';
import { DisplayFieldInputs } from './display-field-inputs.tsx';
import { FormDialog } from './form-dialog.tsx';
import { PrincipalPicker } from './principal-picker.tsx';

/** An object of a kind whose spec has a display name, a description and an owner. */
type Detailed = TypedObject<{ spec?: { displayName?: string; description?: string; owner?: Owner } }>;

export interface EditDetailsProps {
  readonly kind: KindRef<Detailed>;
  readonly object: Detailed;
  /** An explanation of the owner's permissions. */
  readonly aboutOwner: string;
  onClose(): void;
}

/** A dialog that edits the display name, description and owner of an object. */
export function EditDetails({ kind, object, aboutOwner, onClose }: EditDetailsProps) {
  const { name = '', namespace } = object.metadata;
  // The values when the form was opened. Only fields that differ from these values are sent.
  const [before] = useState(() => ({
    described: {
      displayName: object.spec?.displayName ?? '',
      description: object.spec?.description ?? '',
    },
    owner: ownerOf(object),
  }));
  const [described, setDescribed] = useState<DisplayFields>(before.described);
  const [owner, setOwner] = useState(before.owner);
  const { allowed: canChangeOwner } = usePermission({
    verb: 'update',
    kind,
    namespace,
    name,
    subresource: 'spec.owner',
  });

  async function send(): Promise<void> {
    await patchObject(
      kind,
      { namespace, name },
      {
        spec: {
          ...displayFieldsPatch(described, before.described),
          ...(canChangeOwner && owner !== undefined
            ? changedMembers(before.owner === undefined ? {} : ownerPatch(before.owner), ownerPatch(owner))
            : {}),
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
            {canChangeOwner ? (
              <PrincipalPicker
                label="Owner"
                description={aboutOwner}
                value={owner}
                onChange={setOwner}
                error={problem('spec.owner')}
              />
            ) : null}
          </>
        );
      }}
    </FormDialog>
  );
}
