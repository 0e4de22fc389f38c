import { useState } from 'react';
import type { Team } from '../../../src/api/management/v1/team.ts';
import { DescribedFields } from '../../components/described-fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notices.tsx';
import { PrincipalPicker } from '../../components/principal-picker.tsx';
import { changedMembers } from '../../data/changed-members.ts';
import { describedPatch } from '../../data/described.ts';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { patchObject } from '../../data/objects.ts';
import { ownerPatch, ownerPrincipal } from '../../data/owner.ts';
import { useMayEach } from '../../data/permissions.ts';
import { GroupsFields } from './groups-fields.tsx';
import { teamSpec } from './team-members.ts';

/** Edits the fields of a team that the caller may change; members are edited on the page itself. */
export function EditTeam({ team, onClose }: { readonly team: Team; readonly onClose: () => void }) {
  const { name = '' } = team.metadata;
  // The values when the form was opened.
  const [{ displayName = '', description = '', groups: before = [] }] = useState(() => teamSpec(team));
  const [ownerBefore] = useState(() => ownerPrincipal(team));
  const [described, setDescribed] = useState({ displayName, description });
  const [groups, setGroups] = useState<readonly string[]>(before);
  const [owner, setOwner] = useState(ownerBefore);
  const [mayGroups, mayOwner] = useMayEach(
    ['spec.groups', 'spec.owner'].map((subresource) => ({ verb: 'update', kind: kinds.team, name, subresource })),
  ).map(({ allowed }) => allowed);

  async function send(): Promise<void> {
    await patchObject(
      kinds.team,
      { name },
      {
        spec: {
          ...describedPatch(described, { displayName, description }),
          ...(mayGroups === true ? changedMembers({ groups: before as readonly string[] }, { groups }) : {}),
          ...(mayOwner === true && owner !== undefined
            ? changedMembers(ownerBefore === undefined ? {} : ownerPatch(ownerBefore), ownerPatch(owner))
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
            <DescribedFields value={described} onChange={setDescribed} problem={problem} autoFocus />
            {mayOwner === true ? (
              <PrincipalPicker
                label="Owner"
                description="May change the display name and description."
                value={owner}
                onChange={setOwner}
                error={problem('spec.owner')}
              />
            ) : null}
            {mayGroups === true ? (
              <GroupsFields
                value={groups}
                onChange={setGroups}
                error={problem('spec.groups')}
                adminText="Access keys of the team have all permissions on this server."
              />
            ) : null}
          </>
        );
      }}
    </FormDialog>
  );
}
