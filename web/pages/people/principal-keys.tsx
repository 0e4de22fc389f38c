import { Group } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { usePermissions } from '../../data/permissions.ts';
import { type Principal, principalKey } from '../../data/principals.ts';
import { KeysList } from '../access-keys/keys-list.tsx';

const filters = ['Status', 'Type'];
const without = ['Owner'];

/** A list of the access keys of a user or a team. */
export function PrincipalKeys({ principal }: { readonly principal: Principal }) {
  const [all, create] = usePermissions([
    { verb: 'list', kind: kinds.accessKey },
    { verb: 'create', kind: kinds.ownedKey },
  ]);
  const make =
    create?.allowed === true ? (
      <LinkButton to="/keys/new" search={{ owner: principalKey(principal) }} leftSection={<Icon name="plus" />}>
        New access key
      </LinkButton>
    ) : undefined;
  if (all?.known !== true) return null;
  const { kind, name } = principal;
  return (
    <>
      <Group justify="flex-end" mb="md">
        {make}
      </Group>
      <KeysList
        what="access keys"
        kind={all.allowed ? kinds.accessKey : kinds.ownedKey}
        fieldSelector={`${kind === 'User' ? 'spec.user' : 'spec.team'}=${name}`}
        filters={filters}
        hiddenColumns={without}
        empty={{
          title: 'No access keys',
          text: `Create a separate key for each script or tool of ${kind === 'User' ? name : `the team ${name}`}.`,
        }}
      />
    </>
  );
}
