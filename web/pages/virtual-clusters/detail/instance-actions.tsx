import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../../components/confirm.tsx';
import { Icon } from '../../../components/icon.tsx';
import { LinkButton } from '../../../components/link-button.tsx';
import { notify } from '../../../components/notices.tsx';
import { putToSleep } from '../../../data/instance-writes.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { deleteObject } from '../../../data/objects.ts';
import type { InstancePartProps } from './use-instance-rights.ts';
import { WakeButton } from './wake-button.tsx';

/** What can be done with a virtual cluster as it stands, by whoever looks at it. */
export function InstanceActions({ facts, rights }: InstancePartProps) {
  const [asked, setAsked] = useState<'sleep' | 'delete'>();
  const { name, namespace, project, phase, object } = facts;
  const close = () => setAsked(undefined);
  const isGoing = phase === 'Terminating';
  return (
    <>
      {rights.canUse && facts.isOpen ? (
        <LinkButton
          to="/virtual-clusters/$project/$name/inside"
          params={{ project, name }}
          leftSection={<Icon name="search" />}
        >
          Look inside
        </LinkButton>
      ) : null}
      <WakeButton facts={facts} rights={rights} />
      {rights.canChange && (phase === 'Ready' || phase === 'Failed') ? (
        <Button variant="default" leftSection={<Icon name="moon" />} onClick={() => setAsked('sleep')}>
          Sleep
        </Button>
      ) : null}
      {rights.canDelete && !isGoing ? (
        <Button variant="light" color="red" leftSection={<Icon name="trash" />} onClick={() => setAsked('delete')}>
          Delete
        </Button>
      ) : null}
      {asked === 'sleep' ? (
        <Confirm
          title={`Put ${name} to sleep?`}
          action="Put it to sleep"
          onClose={close}
          onConfirm={async () => {
            await putToSleep({ namespace, name });
            notify.done(`${name} is put to sleep`);
          }}
        >
          <Text size="sm">
            It uses nothing while it sleeps, and nothing in it is lost. Whoever tries to use it is told that it sleeps,
            until somebody wakes it.
          </Text>
        </Confirm>
      ) : null}
      {asked === 'delete' ? (
        <Confirm
          title={`Delete ${name}?`}
          action={`Delete ${name}`}
          typed={name}
          danger
          onClose={close}
          onConfirm={async () => {
            await deleteObject(kinds.instance, { namespace, name }, { uid: object.metadata.uid });
            notify.done(`${name} is being deleted`);
          }}
        >
          <Text size="sm">
            {facts.spec.external === true
              ? 'It is managed elsewhere: it is only forgotten here, and goes on where it runs.'
              : 'Everything in it is deleted with it, and cannot be brought back.'}
          </Text>
        </Confirm>
      ) : null}
    </>
  );
}
