import { ActionIcon, Button, Text, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { rolesInside } from '../../../../src/api/management/roles-inside.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { Icon } from '../../../components/icon.tsx';
import { notify } from '../../../components/notices.tsx';
import { Panel } from '../../../components/panel.tsx';
import { PrincipalLink } from '../../../components/principal-link.tsx';
import { SimpleTable } from '../../../components/simple-table.tsx';
import { changeObject } from '../../../data/change-object.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { type Principal, principalKey } from '../../../data/principals.ts';
import { ShareDialog } from './share-dialog.tsx';
import { everybody, type Shared, sharedWith, withoutShare } from './sharing.ts';
import type { InstancePartProps } from './use-instance-rights.ts';

/** Who gets into a virtual cluster and as what, and how to let others in. */
export function AccessTab({ facts, rights }: InstancePartProps) {
  const [isSharing, setSharing] = useState(false);
  const [leaving, setLeaving] = useState<Principal>();
  const { object, namespace, name, project } = facts;
  const people = sharedWith(object);
  const { fallback } = rolesInside(object);
  const head = ['Who', 'May', 'Role inside', ...(rights.canShare ? [''] : [])];
  return (
    <Panel
      title="Who gets in"
      actions={
        rights.canShare ? (
          <Button size="xs" leftSection={<Icon name="share" size={16} />} onClick={() => setSharing(true)}>
            Share
          </Button>
        ) : null
      }
    >
      <SimpleTable
        label={`Who gets into ${name}`}
        head={head}
        rows={people.map((one) => ({
          key: principalKey(one.principal),
          cells: [
            <Who key="who" shared={one} />,
            one.may,
            one.roles.length === 0 ? (
              'none'
            ) : (
              <span key="roles" className="mono">
                {one.roles.join(', ')}
              </span>
            ),
            ...(rights.canShare ? [one.isOwner ? null : removeButton(one.principal, setLeaving)] : []),
          ],
        }))}
      />
      <Text size="sm" c="dimmed" mt="md">
        Besides them, administrators and the admins of the project{' '}
        <Link to="/projects/$project" params={{ project }} search={{ tab: 'members' }}>
          {project}
        </Link>{' '}
        get in. For whom nothing else is said, the template gives the role <span className="mono">{fallback}</span>.
      </Text>
      {isSharing ? <ShareDialog facts={facts} fallback={fallback} onClose={() => setSharing(false)} /> : null}
      {leaving === undefined ? null : (
        <Confirm
          title={`Take ${name} back from ${wordsFor(leaving)}?`}
          action="Take it back"
          danger
          onClose={() => setLeaving(undefined)}
          onConfirm={async () => {
            await changeObject(kinds.instance, { namespace, name }, (now) => ({ spec: withoutShare(now, leaving) }));
            notify.done(`${name} is not shared with ${wordsFor(leaving)} any more`);
          }}
        >
          <Text size="sm">
            They get nothing of {name} from here any more, and what they have open ends. What they have as a member of
            the project stays.
          </Text>
        </Confirm>
      )}
    </Panel>
  );
}

function Who({ shared: { principal, isOwner } }: { readonly shared: Shared }) {
  return (
    <>
      {principal.name === everybody.name ? 'everybody' : <PrincipalLink principal={principal} />}
      <Text span size="sm" c="dimmed">
        {principal.kind === 'Team' ? ' (team)' : ''}
        {isOwner ? ' owns it' : ''}
      </Text>
    </>
  );
}

function removeButton(principal: Principal, onRemove: (principal: Principal) => void) {
  const label = `Take it back from ${wordsFor(principal)}`;
  return (
    <Tooltip label={label} key="remove">
      <ActionIcon variant="subtle" color="red" aria-label={label} onClick={() => onRemove(principal)}>
        <Icon name="trash" />
      </ActionIcon>
    </Tooltip>
  );
}

function wordsFor({ kind, name }: Principal): string {
  if (name === everybody.name) return 'everybody';
  return kind === 'Team' ? `the team ${name}` : name;
}
