import { Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { scopeCliFlag } from '../../../src/api/naming.ts';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { generateAccessKey } from '../../data/generate-access-key.ts';
import { deleteObject, patchObject } from '../../data/objects/objects.ts';
import { useSelf } from '../../data/session/use-self.ts';
import { type KeyWithKind, keySpec } from './key-spec.ts';
import { KeyValueDialog } from './key-value-dialog.tsx';

export type KeyAction = 'disable' | 'enable' | 'rotate' | 'delete';

export interface KeyDialogProps extends KeyWithKind {
  readonly action: KeyAction;
  /** Called after the key was deleted. Optional. */
  onDeleted?(): Promise<void>;
  onClose(): void;
}

/** A dialog that asks for confirmation and then performs an action on an access key. Open as long as it is mounted. */
export function KeyDialog(props: KeyDialogProps) {
  switch (props.action) {
    case 'disable':
      return <DisableKey {...props} />;
    case 'enable':
      return <EnableKey {...props} />;
    case 'rotate':
      return <RotateKey {...props} />;
    case 'delete':
      return <DeleteKey {...props} />;
  }
}

async function setDisabled({ kind, accessKey }: KeyWithKind, disabled: boolean): Promise<void> {
  const { name = '' } = accessKey.metadata;
  await patchObject(kind, { name }, { spec: { disabled } });
  notify.done(`${disabled ? 'Disabled' : 'Enabled'} ${name}`);
}

/**
 * Explains what happens when a key stops working: its sessions and connections end, and keys that were created with
 * this key stop working too.
 */
function RevocationNote({ name }: { readonly name: string }) {
  const { self } = useSelf();
  return (
    <Text size="sm" mt="xs">
      {self?.accessKey === name
        ? 'You are signed in with this key. Your session ends at once in all browser tabs.'
        : 'Its open connections are closed, and keys that were created with it also stop working.'}
    </Text>
  );
}

function DisableKey({ kind, accessKey, onClose }: KeyDialogProps) {
  const { name = '' } = accessKey.metadata;
  return (
    <Confirm
      title={`Disable ${name}?`}
      action={`Disable ${name}`}
      onClose={onClose}
      onConfirm={() => setDisabled({ kind, accessKey }, true)}
    >
      <Text size="sm">The key stops working at once. You can enable it again later.</Text>
      <RevocationNote name={name} />
    </Confirm>
  );
}

function EnableKey({ kind, accessKey, onClose }: KeyDialogProps) {
  const { name = '' } = accessKey.metadata;
  return (
    <Confirm
      title={`Enable ${name}?`}
      action={`Enable ${name}`}
      onClose={onClose}
      onConfirm={() => setDisabled({ kind, accessKey }, false)}
    >
      <Text size="sm">Anyone who has the value of the key can use it again, with the same permissions as before.</Text>
    </Confirm>
  );
}

function DeleteKey({ kind, accessKey, onDeleted, onClose }: KeyDialogProps) {
  const { name = '', uid } = accessKey.metadata;
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={`Delete ${name}`}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kind, { name }, { uid });
        notify.done(`Deleted ${name}`);
        await onDeleted?.();
      }}
    >
      <Text size="sm">The key stops working at once. This cannot be undone.</Text>
      <RevocationNote name={name} />
    </Confirm>
  );
}

function RotateKey({ kind, accessKey, onClose }: KeyDialogProps) {
  const { name = '' } = accessKey.metadata;
  const { scope } = keySpec(accessKey);
  const [value, setValue] = useState<string>();
  const isDone = useRef(false);
  if (value !== undefined) {
    const isForCli = scope === undefined || scope === null || scope[scopeCliFlag] === true;
    return <KeyValueDialog name={name} value={value} isForCli={isForCli} onClose={onClose} />;
  }
  return (
    <Confirm
      title={`Rotate ${name}?`}
      action="Rotate key"
      onClose={() => {
        // After a rotation, does not call `onClose`, because this component must stay mounted to show the new value.
        if (!isDone.current) onClose();
      }}
      onConfirm={async () => {
        const made = await generateAccessKey();
        await patchObject(kind, { name }, { spec: { key: made } });
        isDone.current = true;
        setValue(made);
      }}
    >
      <Text size="sm">
        The key gets a new value, which is shown only once. The old value stops working at once. The name, scope and
        lifetime stay the same.
      </Text>
      <RevocationNote name={name} />
    </Confirm>
  );
}
