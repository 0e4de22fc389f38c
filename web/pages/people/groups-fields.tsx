import { Switch, TagsInput } from '@mantine/core';
import { adminsGroup } from '../../../src/api/naming.ts';
import { withAdminsGroup } from './user-spec.ts';

export interface GroupsFieldsProps {
  readonly value: readonly string[];
  onChange(groups: readonly string[]): void;
  readonly error: string | undefined;
  /** Explains the effect of the administrator switch. */
  readonly adminText: string;
}

/** Form fields that edit the groups of a user or team, with a switch for the administrators group. */
export function GroupsFields({ value, onChange, error, adminText }: GroupsFieldsProps) {
  const isAdmin = value.includes(adminsGroup);
  return (
    <>
      <Switch
        label="Administrator"
        description={adminText}
        checked={isAdmin}
        onChange={(event) => onChange(withAdminsGroup(value, event.currentTarget.checked))}
      />
      <TagsInput
        label="Groups"
        description="Role bindings in clusters can refer to these groups. Type a name and press Enter."
        value={value.filter((group) => group !== adminsGroup)}
        onChange={(groups) => onChange(withAdminsGroup(groups, isAdmin))}
        error={error}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear groups' }}
      />
    </>
  );
}
