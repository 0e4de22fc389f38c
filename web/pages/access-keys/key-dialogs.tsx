import { Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { scopeCliFlag } from '../../../src/api/naming.ts';
import { Confirm } from '../../components/confirm.tsx';
import { notify } from '../../components/notices.tsx';
import { newKeyValue } from '../../data/new-key-value.ts';
import { deleteObject, patchObject } from '../../data/objects.ts';
import { useSelf } from '../../data/use-self.ts';
import { type KeyAt, keySpec } from './key-spec.ts';
import { KeyValueDialog } from './key-value-dialog.tsx';

export type KeyAction = 'disable' | 'enable' | 'rotate' | 'delete';

export interface KeyDialogProps extends KeyAt {
  readonly action: KeyAction;
  onClose(): void;
}

/** Asks before something becomes of a key, and does it. Mounted while it is open. */
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

async function setDisabled({ kind, accessKey }: KeyAt, disabled: boolean): Promise<void> {
  const { name = '' } = accessKey.metadata;
  await patchObject(kind, { name }, { spec: { disabled } });
  notify.done(`The key ${name} is ${disabled ? 'disabled' : 'enabled'}`);
}

/** What was opened with a key ends with it; so do the keys that were made with it. */
function WhatEnds({ name }: { readonly name: string }) {
  const { self } = useSelf();
  return (
    <Text size="sm" mt="xs">
      {self?.accessKey === name
        ? 'You are signed in with this very key: your session ends at once, on every page.'
        : 'Whatever was opened with it is closed, and keys that were made with it stop working too.'}
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
      <Text size="sm">From the next request on it opens nothing. It can be enabled again.</Text>
      <WhatEnds name={name} />
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
      <Text size="sm">Whoever has its value can use it again, with the same rights as before.</Text>
    </Confirm>
  );
}

function DeleteKey({ kind, accessKey, onClose }: KeyDialogProps) {
  const { name = '', uid } = accessKey.metadata;
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={`Delete ${name}`}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kind, { name }, { uid });
        notify.done(`The key ${name} is deleted`);
      }}
    >
      <Text size="sm">From the next request on it opens nothing. This cannot be undone.</Text>
      <WhatEnds name={name} />
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
      title={`Give ${name} a new value?`}
      action="Make a new value"
      onClose={() => {
        // What comes next is the value, which has to be seen.
        if (!isDone.current) onClose();
      }}
      onConfirm={async () => {
        const made = await newKeyValue();
        await patchObject(kind, { name }, { spec: { key: made } });
        isDone.current = true;
        setValue(made);
      }}
    >
      <Text size="sm">
        Name, reach and lifetime stay as they are. The old value is void at once: whoever uses it needs the new one,
        which is shown this once.
      </Text>
      <WhatEnds name={name} />
    </Confirm>
  );
}
