import { Anchor, Button, Grid } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { accessKeyExpiry, accessKeyNotice } from '../../../src/api/management/access-key-expiry.ts';
import type { AccessKey } from '../../../src/api/management/v1/access-key.ts';
import { EffectiveAccess } from '../../components/access/effective-access.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { Age } from '../../components/object/age.tsx';
import { DetailList } from '../../components/object/detail-list.tsx';
import { DetailTabs } from '../../components/object/detail-tabs.tsx';
import { LiveObjectView } from '../../components/object/live-object-view.tsx';
import { ObjectEditor } from '../../components/object/object-editor.tsx';
import { PrincipalLink } from '../../components/object/principal-link.tsx';
import { TimeUntil } from '../../components/object/time-until.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatDuration } from '../../data/format-text.ts';
import { type KindRef, kinds } from '../../data/kind-ref.ts';
import { displayNameOf } from '../../data/objects/display-name.ts';
import { useObject } from '../../data/objects/use-object.ts';
import { usePermission } from '../../data/permissions.ts';
import { describeScope } from './describe-scope.ts';
import { EditKey } from './edit-key.tsx';
import { KeyStatus, LastUsed } from './key-columns.tsx';
import { type KeyAction, KeyDialog } from './key-dialogs.tsx';
import { ownerOfKey } from './key-form.ts';
import { isUserHeld, type KeyWithKind, keySpec } from './key-spec.ts';
import { ScopePanel } from './scope-panel.tsx';
import { useKeyPermissions } from './use-key-permissions.ts';

const back = (
  <Anchor component={Link} to="/keys" size="sm">
    Access keys
  </Anchor>
);

/** The page of one access key. */
export function KeyPage() {
  const { key } = useParams({ from: '/keys/named/$key' });
  const all = usePermission({ verb: 'list', kind: kinds.accessKey });
  if (!all.known) return <LoadingIndicator message="Loading access key" />;
  return <KeyOf kind={all.allowed ? kinds.accessKey : kinds.ownedKey} name={key} />;
}

function KeyOf({ kind, name }: { readonly kind: KindRef<AccessKey>; readonly name: string }) {
  const live = useObject(kind, { name });
  return (
    <LiveObjectView live={live} what="access key" name={name} back={back}>
      {(object) => <Key key={object.metadata.uid} kind={kind} accessKey={object} />}
    </LiveObjectView>
  );
}

function Key({ kind, accessKey }: KeyWithKind) {
  const { name = '' } = accessKey.metadata;
  const spec = keySpec(accessKey);
  const { mayCreate, mayChange, mayDelete } = useKeyPermissions(kind);
  const navigate = useNavigate();
  const [open, setOpen] = useState<KeyAction | 'edit'>();
  const close = () => setOpen(undefined);
  const isOrdinary = isUserHeld(spec);
  const actions = (
    <>
      {mayChange ? (
        <Button variant="default" leftSection={<Icon name="edit" size={16} />} onClick={() => setOpen('edit')}>
          Edit details
        </Button>
      ) : null}
      {mayCreate && isOrdinary ? (
        <LinkButton
          variant="default"
          to="/keys/new"
          search={{ like: name }}
          leftSection={<Icon name="copy" size={16} />}
        >
          Duplicate
        </LinkButton>
      ) : null}
      {mayChange && isOrdinary ? (
        <Button variant="default" leftSection={<Icon name="refresh" size={16} />} onClick={() => setOpen('rotate')}>
          Rotate
        </Button>
      ) : null}
      {mayChange ? (
        <Button variant="default" onClick={() => setOpen(spec.disabled === true ? 'enable' : 'disable')}>
          {spec.disabled === true ? 'Enable' : 'Disable'}
        </Button>
      ) : null}
      {mayDelete ? <DeleteButton onClick={() => setOpen('delete')} /> : null}
    </>
  );
  return (
    <>
      <PageHeader
        title={displayNameOf(accessKey)}
        above={back}
        about={displayNameOf(accessKey) === name ? undefined : <span className="mono">{name}</span>}
        actions={actions}
      />
      <DetailTabs
        label="Access key sections"
        tabs={[
          { id: 'overview', label: 'Overview', render: () => <Overview accessKey={accessKey} /> },
          {
            id: 'effective-access',
            label: 'Effective access',
            render: () => <EffectiveAccess subject={{ accessKey: name }} />,
          },
          {
            id: 'yaml',
            label: 'YAML',
            render: () => <ObjectEditor kind={kind} object={accessKey} readOnly={!mayChange} />,
          },
        ]}
      />
      {open === 'edit' ? <EditKey kind={kind} accessKey={accessKey} onClose={close} /> : null}
      {open === undefined || open === 'edit' ? null : (
        <KeyDialog
          action={open}
          kind={kind}
          accessKey={accessKey}
          onDeleted={() => navigate({ to: '/keys' })}
          onClose={close}
        />
      )}
    </>
  );
}

/** Returns the type of a key; `undefined` for an ordinary key. */
function typeText(type = 'User'): string | undefined {
  if (type === 'User') return undefined;
  return type === 'Login' ? 'Session (Login)' : type;
}

function Overview({ accessKey }: { readonly accessKey: AccessKey }) {
  const spec = keySpec(accessKey);
  const { ttl = 0, ttlAfterLastActivity, groups = [], allowedCIDRs = [] } = spec;
  const owner = ownerOfKey(spec);
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Panel title="Details">
          <DetailList
            items={{
              Status: <KeyStatus accessKey={accessKey} />,
              Notice: accessKeyNotice(accessKey, Date.now()),
              Owner: owner === undefined ? spec.subject : <PrincipalLink principal={owner} />,
              'Created by': spec.createdBy,
              'Allowed addresses': allowedCIDRs.length === 0 ? undefined : allowedCIDRs.join(', '),
              Description: spec.description,
              Expires: <TimeUntil end={accessKeyExpiry(accessKey)} />,
              Lifetime:
                ttl === 0
                  ? undefined
                  : `${formatDuration(ttl)} ${ttlAfterLastActivity === true ? 'after the last use, renewed on each use' : 'after creation'}`,
              'Last used': <LastUsed accessKey={accessKey} />,
              Type: typeText(spec.type),
              'Extra groups': groups.join(', '),
              Age: <Age since={accessKey.metadata.creationTimestamp} />,
            }}
          />
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <ScopePanel title="Permissions" description={describeScope(spec.scope)} />
      </Grid.Col>
    </Grid>
  );
}
