import { useState } from 'react';
import type { Team } from '../../../src/api/management/v1/team.ts';
import { DisplayFieldInputs } from '../../components/form/display-field-inputs.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { PrincipalPicker } from '../../components/form/principal-picker.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { changedMembers } from '../../data/objects/changed-members.ts';
import { displayFieldsPatch } from '../../data/objects/display-fields.ts';
import { patchObject } from '../../data/objects/objects.ts';
import { ownerOf, ownerPatch } from '../../data/owner.ts';
import { usePermissions } from '../../data/permissions.ts';
import { GroupsFields } from './groups-fields.tsx';
import { teamSpec } from './team-members.ts';

/** A dialog that edits the fields of a team that the caller may change. Members are edited on the page of the team. */
export function EditTeam({ team, onClose }: { readonly team: Team; readonly onClose: () => void }) {
  const { name = '' } = team.metadata;
  // The values when the form was opened. Only fields that differ from these values are sent.
  const [{ displayName = '', description = '', groups: before = [] }] = useState(() => teamSpec(team));
  const [ownerBefore] = useState(() => ownerOf(team));
  const [described, setDescribed] = useState({ displayName, description });
  const [groups, setGroups] = useState<readonly string[]>(before);
  const [owner, setOwner] = useState(ownerBefore);
  const [mayGroups, mayOwner] = usePermissions(
    ['spec.groups', 'spec.owner'].map((subresource) => ({ verb: 'update', kind: kinds.team, name, subresource })),
  ).map(({ allowed }) => allowed);

  async function send(): Promise<void> {
    await patchObject(
      kinds.team,
      { name },
      {
        spec: {
          ...displayFieldsPatch(described, { displayName, description }),
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
            <DisplayFieldInputs value={described} onChange={setDescribed} problem={problem} autoFocus />
            {mayOwner === true ? (
              <PrincipalPicker
                label="Owner"
                description="The owner may change the display name and description."
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
                auditorText="Access keys of the team can read everything except secrets and logs, and search the audit log."
              />
            ) : null}
          </>
        );
      }}
    </FormDialog>
  );
}
